"""What the Jury page needs beside its figures: the sitting, kept between reruns, and one disagreement drawn.

Text of unknown origin is escaped; nothing is decided here.
"""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from components import cached
from components.palette import badge_text
from components.shell import open_page
from components.words import percent, plain, short
from lemaj_core import settings
from lemaj_core.analysis import jury
from lemaj_core.analysis.jury import Heard, Rule
from lemaj_core.analysis.jury_read import sit
from lemaj_core.types import Tag

SHOWN = 30
KINDS = {
    "all": "Every disagreement",
    "undecided": "Undecided: for a person",
    "alone": "One juror alone",
    "tag": "Same point, other tag",
    "absent": "Point of some only",
}


def sitting(
    run_id: str, jurors: Sequence[str], rule: Rule, weights: Mapping[str, float], version: str
) -> tuple[list[Heard], pd.DataFrame]:
    """Every data point as the jury sees it, and the same as a table; shared by all sessions, so change neither."""
    return _sitting(settings.store_url(), run_id, tuple(jurors), rule, tuple(sorted(weights.items())), version)


@st.cache_resource(max_entries=6, show_spinner="The jury sits …")
def _sitting(
    url: str, run_id: str, jurors: tuple[str, ...], rule: Rule, weights: tuple[tuple[str, float], ...], version: str
) -> tuple[list[Heard], pd.DataFrame]:
    heard = sit(cached.store(), run_id, jurors, rule, dict(weights))
    return heard, jury.table(heard, jurors)


def disagreements(heard: Sequence[Heard], kind: str, juror: str | None = None) -> list[Heard]:
    """Data points on which the jurors differ: all, or those of one kind; ``juror`` narrows "alone" to one."""
    split = [one for one in heard if len(set(one.votes.values())) > 1]
    if kind == "undecided":
        return [one for one in split if one.tag == jury.UNDECIDED]
    if kind == "alone":
        return [one for one in split if one.alone is not None and juror in (None, one.alone)]
    if kind == "tag":
        return [one for one in split if len(set(one.votes.values()) - {jury.ABSENT}) > 1]
    if kind == "absent":
        return [one for one in split if jury.ABSENT in one.votes.values()]
    return split


def word(vote: str) -> str:
    """A vote with its sign."""
    return badge_text(Tag(vote)) if vote in set(Tag) else ("○ " if vote == jury.ABSENT else "? ") + vote


def explorer(found: Sequence[Heard], questions: Mapping[str, str]) -> None:
    """Draw the data points one by one: what each juror says and why, and the way to the answer."""
    if not found:
        st.success("No such disagreement.", icon=":material/done_all:")
        return
    pages = -(-len(found) // SHOWN)
    page = min(st.pagination(pages, key="jury_page") or 1, pages) if pages > 1 else 1
    for one in found[(page - 1) * SHOWN : page * SHOWN]:
        with st.container(border=True, gap="xsmall", key=f"heard_{one.item_id}_{one.number}"):
            st.caption(plain(short(questions.get(one.item_id, one.item_id), 110)))
            st.markdown(f"**{plain(short(one.text, 300))}**")
            for name, vote in one.votes.items():
                mark = " :orange-badge[alone]" if name == one.alone else ""
                reason = one.points[name].reason if name in one.points else ""
                why = f": {plain(short(reason, 220))}" if reason else ""
                st.markdown(f"{plain(name)} — **{word(vote)}**{mark}{why}")
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(
                    f"The jury: **{word(one.tag)}**, {percent(one.agreement)} of the pairs agree", width="stretch"
                )
                if st.button(
                    "Open the answer", key=f"open_{one.item_id}_{one.number}", icon=":material/arrow_forward:"
                ):
                    open_page("pages/answers.py", answer=one.item_id)
