"""What the Relevance page shows of one answer: its words masked, the questions written back, its points in order.

Reads findings and texts through the cache and builds marked text with ``components.markup``; computes no score.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from components import cached
from components.figures import relevance as figures
from components.markup import Html, element, text_block
from components.words import number, plain, short
from lemaj_core.analysis import relevance as analysis
from lemaj_core.metrics.table import METRICS
from lemaj_core.types import Finding, Item

GROUPS = ("answer_relevance", "reranking", "robustness")
ANSWER_KEY = "relevance_answer"
MOST = 300
KINDS = {"paraphrase": "Paraphrased question", "perturbation": "Perturbed question"}


def choose(answers: pd.DataFrame) -> str | None:
    """Let the reader choose one answer, lowest masked relevance first; None where there is none."""
    key = "answer_relevance" if "answer_relevance" in answers.columns else "position"
    ordered = answers.sort_values(key, na_position="last", kind="stable").head(MOST)
    if ordered.empty:
        return None
    shown = {
        str(row["item_id"]): " · ".join(
            filter(
                None,
                [
                    number(row[key]) if key == "answer_relevance" else None,
                    short(row["question"], 84),
                    short(row["model"], 26) if isinstance(row["model"], str) else None,
                ],
            )
        )
        for row in ordered.to_dict("records")
    }
    asked = st.session_state.get(ANSWER_KEY, st.query_params.get(ANSWER_KEY))
    st.session_state[ANSWER_KEY] = asked if asked in shown else next(iter(shown))
    chosen = st.selectbox("Answer", list(shown), format_func=lambda name: shown.get(name, name), key=ANSWER_KEY)
    # Not bound: a bound box writes what it shows into the address, and the score in it is no name of an answer.
    st.query_params[ANSWER_KEY] = chosen
    return chosen


def masked_panel(finding: Finding, item: Item) -> None:
    """Show the answer as it is and masked, side by side, each with its questions and their similarity."""
    detail = finding.detail
    if not detail:
        st.info(f"There are no questions: {plain(finding.reason or 'not examined yet')}.", icon=":material/quiz:")
        return
    hidden = [(int(start), int(end), str(name)) for start, end, name in detail["hidden"]]
    with st.grid(2, min_column_width=330, gap="medium", key="relevance_masked") as grid:
        for heading, text, name in (
            ("Masked", _placeholders(item.answer, hidden), "questions"),
            ("As it is", _hidden(item.answer, hidden), "unmasked"),
        ):
            with grid.cell():
                mean = figures.mean_of(detail.get(name, ()))
                st.markdown(f"**{heading}**: mean similarity {number(mean)}, n = {len(detail.get(name, ()))}")
                st.html(text_block(text, name="answer", label=f"Answer, {heading.lower()}"))
                st.html(questions(detail.get(name, ())))
    by = "the packaged language model (approximate)" if finding.by == "packaged" else finding.by
    st.caption(f"Questions written by {plain(by)}, who did not see the question. {notes(finding)}".strip())


def questions(found: Sequence[Mapping[str, Any]]) -> Html:
    """List questions with their similarity to the question asked."""
    if not found:
        return element("p", "No question was generated.", attributes={"class": "lj-meta"})
    return element("div", *(_row(number(one["similarity"]), str(one["text"])) for one in found))


def order_panel(finding: Finding, item: Item) -> None:
    """Show the points as written and re-ranked, side by side, with the Delta of each."""
    points = analysis.reordered(finding.detail, item.answer) if finding.detail else []
    if not points:
        reason = finding.reason or next(iter(finding.notes), "not examined yet")
        st.info(f"There is no order to show: {plain(reason)}.", icon=":material/swap_vert:")
        return
    said = "the order changes" if finding.detail["changed"] else "the order stays as it is"
    st.markdown(f"**R(q, a) = {number(finding.detail['full'])}** logits; {said}")
    st.plotly_chart(
        figures.deltas(points),
        key="relevance_deltas",
        config={"displayModeBar": False},
        alt="Delta of each point in the new order",
    )
    intro, closing = (item.answer[slice(*finding.detail[name])] for name in ("intro", "closing"))
    written = sorted(points, key=lambda point: point["was"])
    with st.grid(2, min_column_width=330, gap="medium", key="relevance_orders") as grid:
        for heading, several, sign in (
            ("As written", written, lambda place, point: str(point["was"])),
            ("Re-ranked", points, lambda place, point: f"{place} ← {point['was']}"),
        ):
            with grid.cell():
                st.markdown(f"**{heading}**")
                rows = [_row(sign(place, point), point["text"]) for place, point in enumerate(several, start=1)]
                first, last = (_row("", text) if text.strip() else None for text in (intro, closing))
                st.html(element("div", first, *rows, last))
    st.caption(
        "Introduction and closing keep their places. Only the order decides whether it changed; equal Δ keep theirs. "
        f"{notes(finding)}".strip()
    )


def robustness_panel(finding: Finding, item: Item) -> None:
    """Show the new answers beside the first one with their similarity, and where each came from."""
    if not finding.detail:
        st.info(f"There is no new answer: {plain(finding.reason or 'not examined yet')}.", icon=":material/alt_route:")
        return
    with st.grid(2, min_column_width=330, gap="medium", key="relevance_robustness") as grid:
        for kind, heading in KINDS.items():
            part = finding.detail.get(kind, {})
            direction = METRICS[f"robustness_{kind}"].direction
            with grid.cell():
                if "answer" not in part:
                    st.markdown(f"**{heading}**: undefined")
                    st.caption(plain(part.get("reason", "")))
                    continue
                st.markdown(f"**{heading}**: similarity {number(part['similarity'])} ({direction})")
                if part.get("question"):
                    st.caption(plain(part["question"]))
                st.html(text_block(str(part["answer"]), name="answer", label=f"Answer to the {heading.lower()}"))
                origin = f"column {part['column']}" if part.get("from") == "column" else f"written by {part['from']}"
                st.caption(plain(f"New answer: {origin}"))
    if said := notes(finding):
        st.caption(said)


def notes(finding: Finding) -> str:
    """Join what must be said of a finding."""
    return plain(" · ".join(finding.notes))


def finding_of(run_id: str, judge: str, item_id: str, group: str) -> Finding | None:
    """Give what was found out about one answer for one group."""
    return next(iter(cached.findings(run_id, item_id, judge).get(group, [])), None)


def _row(sign: str, text: str) -> Html:
    return element(
        "div",
        element("span", sign, attributes={"class": "lj-sign"}),
        element("p", " ".join(text.split())),
        attributes={"class": "lj-point lj-plain"},
    )


def _placeholders(text: str, hidden: Sequence[tuple[int, int, str]]) -> Html:
    return _marked(text, hidden, lambda words, name: element("span", name, attributes={"class": "lj-placeholder"}))


def _hidden(text: str, hidden: Sequence[tuple[int, int, str]]) -> Html:
    return _marked(
        text, hidden, lambda words, name: element("span", words, attributes={"class": "lj-hidden", "title": name})
    )


def _marked(text: str, hidden: Sequence[tuple[int, int, str]], mark: Any) -> Html:
    parts: list[object] = []
    at = 0
    for start, end, name in hidden:
        parts += [text[at:start], mark(text[start:end], name)]
        at = end
    return element("span", *parts, text[at:])
