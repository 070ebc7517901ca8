"""The open answer: question, scores and decision, the answer with its data points in place, and the points one by one.

Everything that came from a file or a judge is drawn through ``components.markup``; Streamlit's own elements get fixed
words and numbers only. The chosen point stands in the address as ``point``.
"""

import streamlit as st

from components import cards, playground
from components.clauses import clause_at
from components.markup import located, marked, point_spans, text_block
from components.reading import Opened, Reading, count, first_to_show, numbers_of, scores
from components.words import number, plain
from lemaj_core.analysis.margin import Margin, margin
from lemaj_core.types import DataPoint, Document, Item, Tag

ADDRESSED = "the text addresses the judge"
KIN = "judge and answer model are of one family"
"""How the notes begin that a judge leaves on an answer (lemaj_core/judge/data_points.py)."""


def choose_point(number_: int) -> None:
    """Choose a point of the open answer; used as a callback."""
    st.query_params["point"] = str(number_)


def chosen_point(points: tuple[DataPoint, ...]) -> int:
    """Number of the point that the address names, else of the one to be seen first; 0 where there are none."""
    asked = st.query_params.get("point", "")
    if asked.isdecimal() and 1 <= int(asked) <= len(points):
        return int(asked)
    return first_to_show(points)


def head(opened: Opened) -> None:
    """Question, and the facts of the answer."""
    item, document = opened.item, opened.document
    facts = [
        item.model and f"answered by {item.model}",
        document and document.name,
        document and document.type,
        item.minutes is not None and f"{item.minutes:g} minutes to review",
        expert_scores(item),
    ]
    st.html(cards.question(item.question, [str(fact) for fact in facts if fact]))


def cautions(reading: Reading) -> None:
    """Say what a reader should know before trusting the judge: text that speaks to it, and a judge of the family."""
    spoken = [note for note in reading.notes if note.startswith(ADDRESSED)]
    if spoken:
        said = "; ".join(note.removeprefix(ADDRESSED).strip(" ()") for note in spoken)
        st.warning(
            f"Found in the {plain(said)}. The prompt keeps such words apart from its instructions, and no tag can be "
            "given that was not offered; read this answer yourself all the same.",
            title="This text addresses the judge",
            icon=":material/shield_question:",
        )
    for note in reading.notes:
        if note.startswith(KIN):
            st.caption(f":material/family_restroom: {plain(note)}")


def score_strip(
    reading: Reading, where: playground.Where, flips: dict[str, Tag], *, beta: float, thresholds: tuple[str, str]
) -> None:
    """Four scores and the decision, as judged and as changed by the reader."""
    counts, changed = count(reading.points), count(reading.points, flips)

    def decide(tags) -> Margin:
        return margin(*numbers_of(tags), correctness=thresholds[0], relevance=thresholds[1], beta=beta)

    before = decide(counts)
    now = decide(changed) if flips else before
    st.html(
        cards.score_tiles(
            scores(counts, beta),
            scores(changed, beta) if flips else None,
            cards.decision(now, before if flips else None, thresholds),
        )
    )
    playground.notice(where)


def answer_text(item: Item, reading: Reading | None, flips: dict[str, Tag], chosen: int) -> None:
    """Draw the answer as written, with its data points marked in place."""
    points = reading.points if reading else ()
    spans = point_spans(points, item.answer, flips)
    tags = [tag for tag in (*Tag, None) if any(span.tag is tag for span in spans)]
    st.html(cards.heading("Answer", cards.legend(tags)))
    if item.answer.strip():
        st.html(text_block(marked(item.answer, spans, chosen=chosen), name="answer", label="Answer"))
    else:
        st.caption("The answer is empty.")


def open_point(opened: Opened, reading: Reading, where: playground.Where, flips: dict[str, Tag], chosen: int) -> None:
    """Draw the chosen point below the answer, always in the same place, with its reason and the other tags to try."""
    if not chosen:
        st.info("The judge found no data point in this answer, so every score is undefined.", icon=":material/info:")
        return
    point = reading.points[chosen - 1]
    tag = flips.get(point.id, point.tag)
    with st.container(border=True, key="lj_chosen_point", gap="small"):
        st.html(
            cards.point_open(
                chosen,
                point,
                tag,
                in_answer=located(point, opened.item.answer),
                clause=clause_of(point, opened.document),
                document=opened.document.text if opened.document else None,
            )
        )
        playground.control(where, chosen, point, tag)


def point_list(opened: Opened, reading: Reading, flips: dict[str, Tag], chosen: int) -> None:
    """Draw the data points one by one, those of the answer first, then what it left out; a click chooses one."""
    numbered = list(enumerate(reading.points, start=1))
    stated = [(n, point) for n, point in numbered if point.tag is not Tag.MISSING]
    missing = [(n, point) for n, point in numbered if point.tag is Tag.MISSING]
    for title, group, note in (
        ("Legal Data Points", stated, f"{len(stated)} in the answer"),
        ("Left out of the answer", missing, f"{len(missing)} missing"),
    ):
        if group:
            st.html(cards.heading(title, note))
            with st.container(gap=None):
                for n, point in group:
                    _row(opened, n, point, flips.get(point.id, point.tag), on=n == chosen)


def _row(opened: Opened, n: int, point: DataPoint, tag: Tag | None, *, on: bool) -> None:
    in_answer = located(point, opened.item.answer)
    card = cards.point_row(n, point, tag, in_answer=in_answer, clause=clause_of(point, opened.document), on=on)
    with st.container(key=f"lj_card_point_{n}", gap=None):
        st.html(card)
        if not on:
            st.button(
                f"Show data point {n}", key=f"lj_open_point_{n}", on_click=choose_point, args=(n,), width="stretch"
            )


def clause_of(point: DataPoint, document: Document | None) -> str | None:
    """Name of the clause in which the point's first found evidence stands."""
    if document is None:
        return None
    starts = [
        piece.start
        for piece in point.evidence
        if piece.start is not None and piece.document_id in (None, document.id) and piece.start < len(document.text)
    ]
    return clause_at(document.text, starts[0]) if starts else None


def failed(reading: Reading) -> None:
    """Say that the answer could not be judged, and why."""
    st.error(
        "It has no scores, counts in no mean and is never cleared. The Evaluate page retries failed answers.",
        title=f"This answer could not be judged: {reading.failure or 'reason unknown'}",
        icon=":material/error:",
    )
    if reading.reason:
        st.code(reading.reason, language=None, wrap_lines=True)


def expert_scores(item: Item) -> str | None:
    """Scores that human experts gave, in words."""
    said = [
        f"{label} {number(value)}"
        for label, value in (("Correctness", item.human_correctness), ("Relevance", item.human_relevance))
        if value is not None
    ]
    return "Experts: " + ", ".join(said) if said else None
