"""The contract beside the answer, open at the words that the chosen point's judge points at.

Shows text and highlights; which passages matter was decided by the judge.
"""

import streamlit as st

from components import cards
from components.clauses import clause_at
from components.markup import evidence_spans, paper
from lemaj_core.types import DataPoint, Document, Tag

ROOM = 60_000
WHOLE = 600_000


def draw(document: Document | None, points: tuple[DataPoint, ...], flips: dict[str, Tag], chosen: int) -> None:
    """Draw the document with the evidence of all points, the chosen one's stronger and in view."""
    if document is None:
        st.html(cards.heading("Document"))
        st.info(
            "This answer came without a document, so nothing could be checked against one.", icon=":material/draft:"
        )
        return
    spans = evidence_spans(points, document.text, document.id, flips)
    here = next((span for span in spans if span.number == chosen), None)
    clause = clause_at(document.text, here.start) if here else None
    st.html(cards.heading(document.name, clause and f"at {clause}", f"{len(document.text):,} characters"))
    _say(points, chosen, found=here is not None)
    room = ROOM
    if len(document.text) > ROOM:
        whole = st.toggle(
            "Whole text",
            key="lj_whole",
            help=f"Only {ROOM:,} characters around the evidence are shown at first: long documents take time to draw.",
        )
        room = WHOLE if whole else ROOM
    st.html(
        paper(
            document.text,
            spans,
            chosen=chosen,
            room=room,
            label=f"Document {document.name}",
            only_chosen=here is not None,
        )
    )


def _say(points: tuple[DataPoint, ...], chosen: int, *, found: bool) -> None:
    if not 1 <= chosen <= len(points) or found:
        return
    if points[chosen - 1].evidence:
        st.warning(
            f"The words that the judge quotes for point {chosen} do not stand in this document.",
            title="Quote not found in the document",
            icon=":material/search_off:",
        )
    else:
        st.caption(f"The judge points at no passage for point {chosen}.")
