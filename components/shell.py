"""What every page shares: title and question, choice of run and judge, navigation, and what must be said of them.

The run and the judge stand in the address (``?run=…&judge=…``) and the address is the truth: a deep link, a click and
the browser's back button all end in the same place. Draws no figures and computes no scores.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from components import cached
from components.facts import offline_measured, offline_sentence
from components.words import plain
from lemaj_core.errors import LemajError
from lemaj_core.metrics.table import GROUPS
from lemaj_core.types import Run, RunState

PRODUCT = "LeMAJ"
OFFLINE = "offline"
SIDEBAR = 232
TRAVEL = ("t_correctness", "t_relevance", "minutes")
# Files, because Streamlit fetches named icons for the browser's tab from a font service.
ICON = Path(__file__).parent / "icon.svg"
LOGO = Path(__file__).parent / "logo.svg"


@dataclass(frozen=True, slots=True)
class Stop:
    """One page in the navigation."""

    path: str
    title: str
    icon: str


PAGES: tuple[Stop, ...] = (
    Stop("app.py", "Overview", ":material/monitoring:"),
    Stop("pages/evaluate.py", "Evaluate", ":material/play_circle:"),
    Stop("pages/answers.py", "Answers", ":material/article:"),
    Stop("pages/triage.py", "Triage", ":material/rule:"),
    Stop("pages/specificity.py", "Specificity", ":material/target:"),
    Stop("pages/context_utilization.py", "Context utilization", ":material/low_priority:"),
    Stop("pages/relevance.py", "Relevance", ":material/join_inner:"),
    Stop("pages/readability.py", "Readability", ":material/menu_book:"),
    Stop("pages/annotate.py", "Annotate", ":material/ink_pen:"),
    Stop("pages/agreement.py", "Agreement", ":material/handshake:"),
    Stop("pages/jury.py", "Jury", ":material/groups:"),
    Stop("pages/prompts.py", "Prompts", ":material/edit_note:"),
    Stop("pages/methods.py", "Methods", ":material/function:"),
)


@dataclass(frozen=True, slots=True)
class View:
    """What the reader looks at: one run as judged by one judge. ``header`` is the free end of the title row."""

    run_id: str
    judge: str
    run: Run | None
    header: Any = field(default=None, repr=False, compare=False)


def frame(title: str, question: str, *, needs_run: bool = True, group: str | None = None) -> View:
    """Draw what every page shares and return the chosen run and judge.

    Parameters
    ----------
    title : str
        Name of the page.
    question : str
        What the page answers, in one line.
    needs_run : bool, default True
        Whether the page is empty without a run; it then says what to do and stops.
    group : str, optional
        Group of metrics that the page shows; it says what to do and stops where the run has none of it.

    Returns
    -------
    View
        The chosen run and judge; empty strings and None where there is no run and none is needed.
    """
    st.set_page_config(page_title=f"{title} · {PRODUCT}", page_icon=ICON, layout="wide", initial_sidebar_state=SIDEBAR)
    st.logo(LOGO, size="large", link=None)
    try:
        runs = cached.runs()
    except LemajError as error:
        _title(title, question)
        st.error(str(error), title="The store cannot be read", icon=":material/database_off:")
        st.stop()
    asked = st.query_params.get("run")
    with st.sidebar:
        navigation = st.container(gap="xsmall", key="navigation")
        run = _choose_run(runs)
        judge = _choose_judge(run)
    with navigation:
        _links()
    header = _title(title, question)
    if run is not None and asked and asked not in {known.id for known in runs}:
        st.warning(f"There is no run {plain(asked)} here; this is the newest one.", icon=":material/search_off:")
    if run is None:
        if needs_run:
            _nothing_yet()
        return View("", "", None, header)
    if needs_run:
        _say(run, judge)
    if group is not None and group not in run.settings.metrics:
        _lacks(group, run)
    return View(run.id, judge, run, header)


def open_page(path: str, **params: str) -> NoReturn:
    """Go to another page with the chosen run and judge; filters travel by themselves, so never repeat them here."""
    st.switch_page(path, query_params=_here() | {name: str(value) for name, value in params.items()})


def copy_link(*keys: str, into: Any = None) -> None:
    """Offer the full address of this view, values that are at their default included.

    Parameters
    ----------
    *keys : str
        Keys of the page's own widgets that are kept in the address; filters, run and judge are known.
    into : container, optional
        Where to draw, usually ``view.header``.
    """
    address = full_address(keys)
    with into or st.container(), st.popover("Copy link", icon=":material/link:", type="tertiary", key="copy_link"):
        st.caption("Opens this very view: run, judge, filters and settings.")
        st.code(address, language=None, wrap_lines=True)


def full_address(keys: tuple[str, ...] = ()) -> str:
    """Address of this view with run, judge, filters and the values of the named widgets."""
    values: dict[str, Any] = {name: st.query_params.get_all(name) for name in st.query_params}
    for name in keys:
        value = st.session_state.get(name)
        if value not in (None, "", [], ()):
            values[name] = list(value) if isinstance(value, (list, tuple)) else [value]
    base = (st.context.url or "").split("?")[0]
    return f"{base}?{urlencode(values, doseq=True)}"


def _title(title: str, question: str) -> Any:
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute", key="title_row"):
        with st.container(gap=None, width="stretch"):
            st.title(title, anchor=False)
            st.caption(question)
        return st.container(width="content")


def _here() -> dict[str, str]:
    """Give what must stay in the address on the way to another page.

    Widgets take their own values along. A value whose widget was never drawn (a link to this page with the thresholds
    of another) stands in the address only, and would be lost.
    """
    kept = [name for name in TRAVEL if name not in st.session_state]
    return {name: st.query_params[name] for name in ("run", "judge", *kept) if name in st.query_params}


def _moved(name: str) -> None:
    """Write a choice into the address before the page is drawn again."""
    st.query_params[name] = st.session_state[name]


def _choose(name: str, label: str, options: list[str], shown: dict[str, str], help: str | None = None) -> str:
    """Select box whose value is the address's; an unknown value falls back to the first option."""
    asked = st.query_params.get(name)
    st.session_state[name] = asked if asked in options else options[0]
    chosen = st.selectbox(
        label,
        options,
        format_func=lambda value: shown.get(value, value),
        key=name,
        help=help,
        on_change=_moved,
        args=(name,),
    )
    if st.query_params.get(name) != chosen:
        st.query_params[name] = chosen
    return chosen


def _choose_run(runs: list[Run]) -> Run | None:
    if not runs:
        return None
    known = {run.id: run for run in runs}
    shown = {run.id: f"{run.name} · {run.created:%d %b %H:%M}" for run in runs}
    return known[_choose("run", "Run", list(known), shown)]


def _choose_judge(run: Run | None) -> str:
    if run is None:
        return ""
    judges = list(run.settings.judges)
    shown = {OFFLINE: "offline judge (approximate)"}
    if len(judges) == 1:
        st.query_params["judge"] = judges[0]
        st.caption(f"Judged by {plain(shown.get(judges[0], judges[0]))}")
        return judges[0]
    return _choose("judge", "Judge", judges, shown)


def _links() -> None:
    """Draw the navigation, without tooltips: they would lie over the neighbouring links.

    A page that is run on its own has no siblings to link to.
    """
    params = _here()
    for stop in PAGES:
        try:
            st.page_link(stop.path, label=stop.title, icon=stop.icon, query_params=params, width="stretch")
        except StreamlitPageNotFoundError:
            continue


def _say(run: Run, judge: str) -> None:
    """Say what a reader must know before any number of this run."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="badges"):
        if judge == OFFLINE:
            st.badge("Offline judge, approximate", icon=":material/wifi_off:", color="orange", help=offline_figures())
        if run.constructed:
            st.badge(
                "Constructed sample",
                icon=":material/science:",
                color="gray",
                help="Contracts, answers and labels were written for this project. They show how the product works; "
                "they are no evidence about any real system.",
            )
        st.caption(f"{plain(run.dataset_name)} · run {run.id} · {run.done:,} of {run.total:,} answers", width="content")
    if judge == OFFLINE:
        st.caption(plain(offline_measured()))
    if run.state in (RunState.RUNNING, RunState.WAITING):
        _watch(run.id, run.state, run.done)
    elif run.state is not RunState.FINISHED:
        st.info(
            f"{_state(run)}: {run.done:,} of {run.total:,} answers are done, and all figures are of those.",
            icon=":material/hourglass_top:",
        )
    if run.failed:
        st.warning(
            f"{run.failed:,} of {run.total:,} answers could not be judged. They count in no mean and are never "
            "cleared; the Evaluate page says why and retries them.",
            icon=":material/error:",
        )


def _state(run: Run) -> str:
    return "This run goes on" if run.state is RunState.RUNNING else f"This run is {run.state}"


@st.fragment(run_every="2s")
def _watch(run_id: str, state: RunState, shown: int) -> None:
    """Follow a run that is going on; the figures stay as they are until the reader asks, or its state changes."""
    run = cached.store().run(run_id)
    if run.state is not state:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="watch"):
        st.info(
            f"{_state(run)}: {run.done:,} of {run.total:,} answers are done, the figures are of {shown:,}.",
            icon=":material/hourglass_top:",
        )
        if st.button("Show the new ones", disabled=run.done == shown, icon=":material/refresh:", key="watch_refresh"):
            st.rerun()


def offline_figures() -> str:
    """What the offline judge is and what was measured of it, as Markdown."""
    return plain(offline_sentence())


def _lacks(group: str, run: Run) -> NoReturn:
    """Say that a run did not compute what the page shows, how to get it, and where this run has something to show."""
    has = ", ".join(GROUPS[name] for name in run.settings.metrics if name in GROUPS)
    st.info(
        f"It has: {has}. Tick {GROUPS[group]} under Metrics on the Evaluate page and start a run of the same data, or "
        f"on the command line: python -m lemaj_core run FILE --metrics {group}",
        title=f"This run has no {GROUPS[group]}",
        icon=":material/inbox:",
    )
    st.stop()


def _nothing_yet() -> NoReturn:
    st.info(
        "Load the sample on the Evaluate page (nine contracts, 72 answers, no key needed) or upload your own answers. "
        "On the command line: python -m lemaj_core demo",
        title="There is no run yet",
        icon=":material/inbox:",
    )
    try:
        st.page_link("pages/evaluate.py", label="Go to Evaluate", icon=":material/play_circle:")
    except StreamlitPageNotFoundError:
        pass
    st.stop()
