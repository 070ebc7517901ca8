"""What runs, how far it is, and what can be done about it: cancel, resume, retry, open the results.

Looks at the store on a timer only while something runs. The work itself is done by other processes: nothing here
stops when the page is left. Every look is cheap: counts, never texts.
"""

import time
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from components import cached
from components.judge_facts import is_local, unset
from components.keys import key_field, typed_keys
from components.pace import pace, remember
from components.run_facts import (
    LOADING,
    LOOKS,
    STARTING_LOOK,
    bar_text,
    cost_text,
    failure_rows,
    last_reply_text,
    look,
    may_be_starting,
)
from components.shell import open_page
from components.words import plain, short
from lemaj_core import jobs, settings
from lemaj_core.errors import LemajError
from lemaj_core.types import FailureKind, Run, RunState

POLL = "1s"
MOST_CARDS = 4
_WATCH, _PIDS, _LOOKS, _PROBLEM = "evaluate_watch", "evaluate_pids", "evaluate_looks", "evaluate_run_problem"


def watch(run_id: str) -> None:
    """Show this run first from now on."""
    st.session_state[_WATCH] = run_id


def runs_section(runs: Sequence[Run]) -> None:
    """Draw the runs: cards for those that need attention, a table of all."""
    if not runs:
        st.caption("No run yet. Choose data in step 1, or use the sample; Start is in step 3.")
        return
    busy = frozenset(run.id for run in runs if _busy(run))
    st.fragment(_live, run_every=POLL if busy else None)(busy)


def _busy(run: Run) -> bool:
    return run.state is RunState.RUNNING or may_be_starting(run) or _started_here(run)


def _started_here(run: Run) -> bool:
    """Whether this session started a process for the run that still lives but has given no sign."""
    pid = st.session_state.get(_PIDS, {}).get(run.id)
    return pid is not None and run.state is not RunState.FINISHED and jobs.is_alive(pid)


def _live(busy_before: frozenset[str]) -> None:
    runs = cached.runs()
    if frozenset(run.id for run in runs if _busy(run)) != busy_before:
        st.rerun()
    if problem := st.session_state.pop(_PROBLEM, None):
        st.error(plain(problem), title="That did not work", icon=":material/error:")
    for run in _shown(runs):
        _card(run)
    _table(runs)


def _shown(runs: Sequence[Run]) -> list[Run]:
    """Return the run that is watched, then those that run, then the newest that needs a decision."""
    watched = [run for run in runs if run.id == st.session_state.get(_WATCH)]
    busy = [run for run in runs if _busy(run)]
    unfinished = [run for run in runs if run.state is not RunState.FINISHED or run.failed]
    chosen = {run.id: run for run in (*watched, *busy, *unfinished[:1], *([] if watched else runs[:1]))}
    return list(chosen.values())[:MOST_CARDS]


def _card(run: Run) -> None:
    progress = cached.store().progress(run.id)
    shown = look(run, started=_started_here(run) or may_be_starting(run))
    with st.container(border=True, key=f"card_{run.id}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{plain(short(run.name))}**", width="content")
            st.badge(shown.word, icon=shown.icon, color=shown.colour)
            judges = ", ".join("offline judge, approximate" if j == "offline" else j for j in run.settings.judges)
            data = () if run.name == run.dataset_name else (plain(short(run.dataset_name)),)
            facts = (plain(judges), *data, f"run {run.id}", f"{run.created:%d %b %H:%M} UTC")
            st.caption(" · ".join(facts), width="content")
        _bar(run, progress)
        if meaning := shown.meaning or (LOADING if run.state is RunState.RUNNING and not progress.done else ""):
            st.caption(meaning)
        _failures(run, progress)
        _buttons(run, progress)


def _bar(run: Run, progress: Any) -> None:
    looks = st.session_state.setdefault(_LOOKS, {})
    rate = left = None
    if run.state is RunState.RUNNING:
        looks[run.id] = remember(looks.get(run.id, ()), time.monotonic(), progress.done)
        rate, left = pace(looks[run.id], progress.total)
    else:
        looks.pop(run.id, None)
    st.progress(
        progress.done / progress.total if progress.total else 0.0,
        text=bar_text(progress.done, progress.total, rate, left),
    )
    parts = [
        f"{progress.scored:,} judged, {progress.failed:,} failed",
        cost_text(progress, run.settings.judges),
    ]
    if progress.cached:
        parts.append(f"{progress.cached:,} replies taken from the ledger")
    if run.state is RunState.RUNNING and (reply := last_reply_text(progress, run.settings.timeout)):
        parts.append(reply)
    st.caption(" · ".join(plain(part) for part in parts))


def _failures(run: Run, progress: Any) -> None:
    rows = failure_rows(progress.failures)
    if not rows:
        return
    going = _busy(run)
    wait = "Possible when the run has ended." if going else None
    for kind, number, advice in rows:
        badge, text, button = st.columns([1.5, 3, 1], vertical_alignment="center", gap="small")
        badge.badge(f"{number:,} {kind}", icon=":material/error:", color="red")
        text.caption(advice)
        button.button(
            "Retry",
            key=f"retry_{run.id}_{kind.name}",
            on_click=_retry,
            args=(run.id, kind),
            disabled=going,
            help=wait,
        )


def _buttons(run: Run, progress: Any) -> None:
    going, finished = _busy(run), run.state is RunState.FINISHED
    if not going and (not finished or progress.failed):
        _keys(run)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        if going:
            st.button("Cancel", key=f"cancel_{run.id}", icon=":material/stop:", on_click=_cancel, args=(run.id,))
        elif not finished:
            if run.state is RunState.CAPPED:
                _cap(run)
            st.button(
                "Resume" if progress.done else "Start",
                key=f"resume_{run.id}",
                icon=":material/play_arrow:",
                on_click=_resume,
                args=(run.id,),
            )
        if progress.done and st.button(
            "Open Overview" if finished else "Overview of what is done",
            key=f"open_{run.id}",
            icon=":material/monitoring:",
            type="primary" if finished else "secondary",
        ):
            open_page("app.py", run=run.id, judge=run.settings.judges[0])
        if not going and (run.state is RunState.INTERRUPTED or progress.failures.get(FailureKind.INTERNAL)):
            with st.popover("Log", icon=":material/description:"):
                st.code(jobs.log_tail(run.id) or "The log is empty.", language=None, wrap_lines=True)


def _keys(run: Run) -> None:
    """Ask for keys that the environment lacks, so that a run of an earlier session can go on."""
    for model in run.settings.judges:
        if not is_local(model) and unset(model):
            key_field(model, place=run.id)


def _cap(run: Run) -> None:
    """Offer a higher spend cap: with the old one the run would stop again at once."""
    old = run.settings.max_cost or 0.0
    st.number_input(
        "Spend cap (USD)", min_value=old, value=old * 2, step=1.0, key=f"cap_{run.id}", width=150,
        help=f"The run stopped at {old:.2f} USD.",
    )  # fmt: skip


def _table(runs: Sequence[Run]) -> None:
    """List every run; the button of a row shows its card."""
    frame = pd.DataFrame(
        {
            "show": ["Show"] * len(runs),
            "run": [run.name for run in runs],
            "judges": [", ".join(run.settings.judges) for run in runs],
            "state": [STARTING_LOOK.word if may_be_starting(run) else LOOKS[run.state].word for run in runs],
            "done": [f"{run.done:,} / {run.total:,}" for run in runs],
            "failed": [run.failed for run in runs],
            "started": [run.created for run in runs],
        }
    )
    ids = [run.id for run in runs]
    config: dict[str, Any] = {
        "show": st.column_config.ButtonColumn(
            "", key="runs_show", on_click=_show, args=(ids,), type="tertiary", width=50
        ),
        "run": st.column_config.TextColumn("Run", width=110),
        "judges": st.column_config.TextColumn("Judges", width=75),
        "state": st.column_config.TextColumn("State", width=78),
        "done": st.column_config.TextColumn("Done", width=65),
        "failed": st.column_config.NumberColumn("Failed", width=50),
        "started": st.column_config.DatetimeColumn(
            "Started", format="D MMM, HH:mm", timezone="UTC", width=88, help="UTC"
        ),
    }
    st.dataframe(frame, hide_index=True, column_config=config, key="runs_table", alt="All runs with their state")


def _show(ids: Sequence[str]) -> None:
    click = st.session_state.get("runs_show")
    if click is not None and 0 <= click["row"] < len(ids):
        watch(ids[click["row"]])


def _cancel(run_id: str) -> None:
    cached.store().request_cancel(run_id)


def _resume(run_id: str) -> None:
    _try(lambda: _begin(run_id))


def _retry(run_id: str, kind: FailureKind) -> None:
    def again() -> None:
        cached.store().forget_failed(run_id, [kind])
        _begin(run_id)

    _try(again)


def _begin(run_id: str) -> None:
    store = cached.store()
    store.clear_cancel(run_id)
    if cap := st.session_state.get(f"cap_{run_id}"):
        store.set_max_cost(run_id, float(cap))
    keys = typed_keys(store.run(run_id).settings.judges)
    started(run_id, jobs.start(run_id, store_url=settings.store_url(), keys=keys))


def started(run_id: str, pid: int) -> None:
    """Remember the process of a run, so that it counts as running before its first sign of life."""
    st.session_state[_PIDS] = {**st.session_state.get(_PIDS, {}), run_id: pid}
    watch(run_id)


def _try(action) -> None:
    try:
        action()
    except LemajError as error:
        st.session_state[_PROBLEM] = str(error)
