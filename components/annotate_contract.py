"""The contract beside the answer while annotating: search in it, the linked evidence, and linking a passage to a point.

Highlights and links; which words are evidence is the annotator's choice alone.
"""

import re

import streamlit as st

from components import cards
from components.annotate import Desk, save_points
from components.clauses import clause_at
from components.markup import Span, evidence_spans, paper, passage
from components.selection import Selection, place
from components.words import plain, short
from lemaj_core.analysis import labelling
from lemaj_core.types import Evidence

ROOM = 60_000
FIRST_HIT = 90_000  # numbers of search hits begin here, so that no data point has one; markup.css knows it
MOST = 200
LONG = 500
HIT, WORDS = "lj_annotate_hit", "lj_annotate_words"
SENTENCE = re.compile(r"(?<=[.;])\s+(?=[A-Z(“\"])")


def hits(text: str, words: str) -> list[tuple[int, int]]:
    """Places of the sought words in any case, blanks of any kind and number between them; at most MOST."""
    parts = [re.escape(part) for part in words.split()]
    if not parts:
        return []
    found = re.finditer(r"\s+".join(parts), text, re.IGNORECASE)
    return [match.span() for match, _ in zip(found, range(MOST), strict=False)]


def sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Line around these characters, without blanks; a long line is cut down to the sentence."""
    low = text.rfind("\n", 0, start) + 1
    high = text.find("\n", end)
    high = len(text) if high < 0 else high
    if high - low > LONG:
        cuts = [match.end() for match in SENTENCE.finditer(text, low, high)]
        low = max([low, *(cut for cut in cuts if cut <= start)])
        high = min([high, *(cut for cut in cuts if cut >= end)])
    line = text[low:high]
    low += len(line) - len(line.lstrip())
    return low, low + len(line.strip())


def draw(desk: Desk, number: int) -> None:
    """Draw search, contract and the button that links the passage found."""
    document = desk.document
    if document is None:
        st.html(cards.heading("Document"))
        st.info("This answer came without a document.", icon=":material/draft:")
        return
    text = document.text
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="lj_search_row"):
        words = st.text_input(
            "Search in the contract",
            key=f"lj_search_{desk.where}",
            placeholder="Search in the contract",
            label_visibility="collapsed",
            on_change=_restart,
        )
        found = hits(text, words)
        at = min(st.session_state.get(HIT, 0), max(len(found) - 1, 0))
        if words.strip():
            st.caption(
                f"{at + 1} of {len(found)}{'+' * (len(found) == MOST)}" if found else "not found", width="content"
            )
            for label, icon, step in (("Before", ":material/expand_less:", -1), ("After", ":material/expand_more:", 1)):
                st.button(
                    label,
                    key=f"lj_hit_{label}",
                    icon=icon,
                    type="tertiary",
                    disabled=not found,
                    on_click=_step,
                    args=((at + step) % max(len(found), 1),),
                )
    spans = [span for span in evidence_spans(desk.label.points, text, document.id) if span.number == number]
    spans += [Span(*place_, FIRST_HIT + n, None, "found") for n, place_ in enumerate(found)]
    focus = FIRST_HIT + at if found else number
    here = next((span for span in spans if span.number == focus), None)
    span = sentence(text, *found[at]) if found else None
    shift = passage(text, here and (here.start, here.end), room=ROOM)[0]
    _offer(desk, number, span, shift)
    st.html(cards.heading(document.name, here and clause_at(text, here.start), f"{len(text):,} characters"))
    st.html(paper(text, spans, chosen=focus, room=ROOM, label=f"Document {document.name}"))


def _offer(desk: Desk, number: int, span: tuple[int, int] | None, shift: int) -> None:
    """Offer to link the selected words, else the sentence around the hit, to the chosen point."""
    document, selected = desk.document, st.session_state.get(WORDS)
    if document is None:
        return
    if isinstance(selected, Selection) and selected.where == "document":
        span = place(selected, document.text, shift)
    if span is None or not number or not desk.open:
        st.caption("Search, or select words of the contract, to link them to the chosen point.")
        return
    quote = document.text[slice(*span)]
    st.button(
        f"Link to point {number}: “{plain(short(quote, 60))}”",
        key="lj_link",
        icon=":material/add_link:",
        shortcut="E",
        on_click=_link,
        args=(desk, number, Evidence(quote, document.id, *span)),
    )


def _link(desk: Desk, number: int, evidence: Evidence) -> None:
    point_id = desk.label.points[number - 1].id
    save_points(desk, lambda points: labelling.linked(points, point_id, evidence))
    st.session_state.pop(WORDS, None)


def _restart() -> None:
    st.session_state[HIT] = 0
    st.session_state.pop(WORDS, None)


def _step(at: int) -> None:
    st.session_state[HIT] = at
    st.session_state.pop(WORDS, None)
