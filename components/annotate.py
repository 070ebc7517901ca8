"""The desk of an annotator: who annotates, which answer lies on it, and saving each change at once with its time.

Keeps nothing but the place on the page between reruns; what was said stands in the store. Draws no data point.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pandas as pd
import streamlit as st

from components import cached
from components.words import plain, short
from lemaj_core.analysis import labelling
from lemaj_core.errors import LemajError
from lemaj_core.store import Label
from lemaj_core.types import DataPoint, Document, Item, Run

ANNOTATOR, MODE, ANSWER = "annotator", "mode", "answer"
MODES = {
    "segmented": "Judge's cut, no tags",
    "scratch": "From scratch",
    "second": "Second reader",
    "tagged": "Judge's cut and tags",
}
EXPLAINED = {
    "segmented": "The answer is cut as the judge cut it; you give the tags and see nothing of the judge's.",
    "scratch": "You cut the answer yourself: select words, press a.",
    "second": "You tag first; when you commit, the judge's tags are shown and you may change yours.",
    "tagged": "The judge's tags are shown and you correct them: quick, but they pull you towards the judge.",
}
LONGEST = 60
IDLE = 120.0  # a pause longer than this is not time on the answer


@dataclass(frozen=True, slots=True)
class Desk:
    """One answer before one annotator; ``label`` is what is stored, or what would be with the first change."""

    run: Run
    item: Item
    document: Document | None
    label: Label
    stored: bool
    judged: tuple[DataPoint, ...]

    @property
    def where(self) -> str:
        """Name of this desk among the keys of the session: nothing is carried over to another answer."""
        return f"{self.run.dataset_id} {self.item.id} {self.label.annotator}"

    @property
    def open(self) -> bool:
        """Whether the label may be changed."""
        return self.label.finished is None

    @property
    def reveals(self) -> bool:
        """Whether the judge's opinion is shown."""
        return self.label.mode == "tagged" or self.label.committed is not None


def annotator() -> str:
    """Give the annotator's id from the address or this session; without one ask for it and stop."""
    known = " ".join(st.query_params.get(ANNOTATOR, st.session_state.get("lj_annotator", "")).split())[:LONGEST]
    if known:
        st.session_state["lj_annotator"] = st.query_params[ANNOTATOR] = known
        return known
    with st.form("lj_who", border=True, width=460):
        st.text_input(
            "Who annotates?",
            key="lj_who_name",
            max_chars=LONGEST,
            placeholder="for example AK, or expert 2",
            help="Kept with every label. Use the same id to go on later.",
        )
        st.form_submit_button("Begin", type="primary", on_click=_begin)
    st.stop()


def _begin() -> None:
    name = " ".join(st.session_state.get("lj_who_name", "").split())
    if name:
        st.query_params[ANNOTATOR] = name


def mode() -> str:
    """Choose the mode of the next answers; it stands in the address."""
    asked = st.query_params.get(MODE)
    st.session_state["lj_annotate_mode"] = asked if asked in MODES else next(iter(MODES))
    return st.selectbox(
        "Mode",
        list(MODES),
        format_func=MODES.__getitem__,
        key="lj_annotate_mode",
        label_visibility="collapsed",
        width=210,
        help="How the next answers are laid before you. An answer that is begun keeps its mode.",
        on_change=lambda: st.query_params.update({MODE: st.session_state["lj_annotate_mode"]}),
    )


def leave() -> None:
    """Let another annotator take the desk; used as a callback."""
    st.session_state.pop("lj_annotator", None)
    st.query_params.pop(ANNOTATOR, None)


def pick(answers: pd.DataFrame, done: dict[str, bool]) -> str:
    """Give the answer that the address names, else the first unfinished one, else the first."""
    ids = answers["item_id"].tolist()
    asked = st.query_params.get(ANSWER)
    if asked in set(ids):
        return str(asked)
    chosen = next((item_id for item_id in ids if not done.get(item_id)), ids[0])
    st.query_params[ANSWER] = chosen
    return str(chosen)


def after(ids: list[str], here: str, done: dict[str, bool]) -> str | None:
    """Give the next unfinished answer after this one, from the top again at the end; None if all are finished."""
    at = ids.index(here)
    return next((item_id for item_id in ids[at + 1 :] + ids[:at] if not done.get(item_id)), None)


def go(item_id: str) -> None:
    """Open an answer; used as a callback."""
    st.query_params[ANSWER] = item_id


def lay(run: Run, judge: str, who: str, item_id: str, mode: str) -> Desk:
    """Fetch one answer and what the annotator said of it so far."""
    store = cached.store()
    item = store.item(run.dataset_id, item_id)
    document = store.document(run.dataset_id, item.document_id) if item.document_id else None
    label = store.label(run.dataset_id, item_id, who)
    source = (label.run_id, label.judge) if label else (run.id, judge)
    judgement = None if None in source else store.judgement(str(source[0]), item_id, str(source[1]))
    judged = judgement.points if judgement else ()
    fresh = Label(item_id, who, mode, labelling.laid(judged, mode), run_id=run.id, judge=judge)
    found = Desk(run, item, document, label or fresh, label is not None, judged)
    if st.session_state.get("lj_annotate_open") != found.where:
        st.session_state["lj_annotate_open"] = found.where
        st.session_state["lj_annotate_seen"] = time.monotonic()
        for name in ("lj_annotate_point", "lj_annotate_words", "lj_annotate_hit", "lj_annotate_error"):
            st.session_state.pop(name, None)
    return found


def save(desk: Desk, change: Callable[[Label], Label]) -> Label | None:
    """Save one change at once; used in callbacks. What goes wrong is said by :func:`told`, and nothing is lost."""
    seen = st.session_state.get("lj_annotate_seen", time.monotonic())
    spent = min(time.monotonic() - seen, IDLE)
    st.session_state["lj_annotate_seen"] = time.monotonic()
    st.session_state.pop("lj_annotate_error", None)
    try:
        return cached.store().change_label(desk.run.dataset_id, desk.label, change, spent)
    except LemajError as error:
        st.session_state["lj_annotate_error"] = str(error)
        return None


def save_points(desk: Desk, change: Callable[[labelling.Points], labelling.Points]) -> Label | None:
    """Save a change of the data points."""
    return save(desk, lambda label: replace(label, points=change(label.points)))


def told(desk: Desk) -> None:
    """Say when the last change was saved, how long the answer took so far, and what could not be saved."""
    error = st.session_state.get("lj_annotate_error")
    if error:
        st.error(plain(error), title="Not saved", icon=":material/error:")
    label = desk.label
    if not desk.stored or label.saved is None:
        st.caption("Nothing said yet; every change is saved at once.")
        return
    spent = f"{int(label.seconds) // 60}:{int(label.seconds) % 60:02d} min on this answer"
    done = " · finished" if label.finished else ""
    st.caption(f":material/cloud_done: saved {_clock(label.saved)} · {spent}{done}")


def _clock(moment: datetime) -> str:
    zone = st.context.timezone
    return f"{moment.astimezone(ZoneInfo(zone)) if zone else moment:%H:%M:%S}"


def titles(answers: pd.DataFrame, done: dict[str, bool]) -> dict[str, str]:
    """Name every answer for the list: number, whether it is begun or finished, question."""
    signs = {True: "✔ ", False: "… ", None: ""}
    pairs = zip(answers["item_id"], answers["question"], strict=True)
    return {
        item_id: f"{n} · {signs[done.get(item_id)]}{short(question, 80)}"
        for n, (item_id, question) in enumerate(pairs, 1)
    }
