"""Below the open answer: readings of experts and of other judges beside the chosen judge's, and raw replies.

Each is drawn only while it is asked for.
"""

import streamlit as st

from components import cached, cards
from components.markup import marked, point_spans, text_block
from components.reading import Opened, Reading, count, of_expert, of_judge, scores
from components.shell import OFFLINE
from components.words import money, number, plain, seconds
from lemaj_core.types import Reply, Run, Tag

KEY = "show"
READINGS = "Experts and judges"
RAW = "Raw reply of the judge"


def draw(run: Run, opened: Opened, judge: str) -> None:
    """Offer what else there is to see of this answer, and draw what was chosen."""
    others = [of_judge(run, other, opened.item.id) for other in run.settings.judges if other != judge]
    readings = [reading for reading in others if reading] + [of_expert(note) for note in opened.annotations]
    judged = opened.reading is not None and opened.reading.judged
    options = ([READINGS] if readings else []) + ([RAW] if judged else [])
    if not options:
        return
    if st.session_state.get(KEY) not in (None, *options):
        del st.session_state[KEY]
    first = READINGS if opened.annotations else None
    chosen = st.segmented_control("Also show", options, default=first, key=KEY, bind="query-params")
    if chosen == READINGS:
        _side_by_side(opened, ([opened.reading] if opened.reading else []) + readings, run.settings.beta)
    elif chosen == RAW:
        raw_replies(run, opened.item.id, judge)


def _side_by_side(opened: Opened, readings: list[Reading], beta: float) -> None:
    with st.grid(min(3, len(readings)), min_column_width=300, gap="medium", key="lj_readings"):
        for reading in readings:
            with st.container(gap="small"):
                _reading(opened, reading, beta)


def _reading(opened: Opened, reading: Reading, beta: float) -> None:
    kind = "human expert" if reading.expert else "judge, approximate" if reading.who == OFFLINE else "judge"
    st.html(cards.heading(reading.who, kind))
    if not reading.judged:
        st.caption(f"Could not be judged: {plain(reading.failure or reading.reason or 'reason unknown')}")
        return
    counts = count(reading.points)
    found = scores(counts, beta)
    given = {"correctness": reading.correctness, "relevance": reading.relevance}
    said = [
        f"{label} {number(value) if value is not None else given_score}"
        for label, value, given_score in (
            ("Correctness", given["correctness"], cards.score_words(found.correctness)),
            ("Relevance", given["relevance"], cards.score_words(found.relevance)),
        )
    ]
    st.caption(", ".join(said))
    if reading.points:
        st.html(cards.tag_bar(counts))
        spans = point_spans(reading.points, opened.item.answer)
        st.html(
            cards.still(text_block(marked(opened.item.answer, spans), name="small", label=f"As read by {reading.who}"))
        )
        rest = [
            (n, point)
            for n, point in enumerate(reading.points, start=1)
            if point.tag is Tag.MISSING or not point.in_answer
        ]
        for n, point in rest:
            st.html(cards.point_row(n, point, point.tag, in_answer=point.in_answer, clause=None))
    for note in reading.notes:
        st.text(note)


def raw_replies(run: Run, item_id: str, judge: str) -> None:
    """Show every reply of the judge to this answer as it came."""
    replies: list[Reply] = cached.store().raw_replies(run.id, item_id, judge)
    if not replies:
        st.caption("No reply is stored for this answer.")
    for at, reply in enumerate(replies, start=1):
        facts = [
            f"Reply {at} of {len(replies)}",
            reply.model and f"by {reply.model}",
            reply.finish_reason and f"ended with {reply.finish_reason}",
            reply.seconds is not None and seconds(reply.seconds),
            reply.cost is not None and money(reply.cost),
        ]
        st.caption(plain(" · ".join(str(fact) for fact in facts if fact)))
        st.code(reply.text or "(empty)", language="json" if reply.text.lstrip()[:1] in "{[" else None, wrap_lines=True)
