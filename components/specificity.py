"""What the Specificity page shows besides its figures: the answers of a run, the open answer, the votes of one cell.

Reads findings and texts through the cache, keeps the reader's choice in the session, and computes no score.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from components import cached
from components.markup import Html, Span, element, paper, text_block
from components.shell import OFFLINE
from components.words import number, plain, short
from lemaj_core.analysis import specificity as analysis
from lemaj_core.metrics.specificity import OFFLINE_MEASURED, Label
from lemaj_core.types import Finding, Run, Status, Tag

ANSWER_KEY, CLAIM_KEY, DIMENSION_KEY = "sp_answer", "sp_claim", "sp_dimension"
ANSWERS_CHART, CLAIMS_CHART = "sp_answers_chart", "sp_claims_chart"
CONVENTIONS = ("undefined", "zero")
SORTS = {
    "lowest first": (["specificity"], [True]),
    "highest first": (["specificity"], [False]),
    "most claims first": (["claims"], [False]),
    "order of the file": ([], []),
}
TAG_OF = {Label.YES: Tag.CORRECT, Label.NO: Tag.INCORRECT, Label.NA: None}
CLASS_OF = {Label.YES: "lj-correct", Label.NO: "lj-incorrect", Label.NA: "lj-untagged"}
SIGN_OF = {Label.YES: "✔ yes", Label.NO: "✖ no", Label.NA: "— n/a"}
MOST_ANSWERS = 400


def measured(judge: str) -> str:
    """Say what the offline judges were measured to reach; empty for a model."""
    return OFFLINE_MEASURED if judge == OFFLINE else ""


def joined(answers: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Put what was found out beside question and model of each answer that passes the filters, in their order."""
    ours = table.rename(columns={"status": "found_status", "reason": "found_reason"}).drop(columns="specificity")
    counted = answers[["item_id", "question", "model", "position"]].merge(ours, on="item_id", how="inner")
    scores = table[["item_id", "specificity"]]
    found = counted.merge(scores, on="item_id")
    return found.rename(columns={"found_status": "status", "found_reason": "reason"})


def ordered(answers: pd.DataFrame, sort: str) -> pd.DataFrame:
    """Sort answers as the reader chose; those without a score come last."""
    columns, ascending = SORTS.get(sort, ([], []))
    if not columns:
        return answers.sort_values("position", kind="stable")
    return answers.sort_values(columns, ascending=ascending, kind="stable", na_position="last")


def picked_answer() -> None:
    """Open the answer whose cell was clicked, at that dimension."""
    data = _clicked(ANSWERS_CHART)
    if data is not None:
        st.session_state[ANSWER_KEY] = str(data[0])
        st.session_state[DIMENSION_KEY] = str(data[1])
        forget_claim()


def forget_claim() -> None:
    """Let another answer open at the cell that opens first."""
    for kept in (st.session_state, st.query_params):
        if CLAIM_KEY in kept:
            del kept[CLAIM_KEY]


def picked_cell() -> None:
    """Show the votes of the cell that was clicked."""
    data = _clicked(CLAIMS_CHART)
    if data is not None:
        st.session_state[CLAIM_KEY] = int(data[0]) + 1
        st.session_state[DIMENSION_KEY] = str(data[1])


def _clicked(key: str) -> Sequence[Any] | None:
    points = st.session_state[key]["selection"]["points"]
    data = points[0].get("customdata") if points else None
    return data if isinstance(data, (list, tuple)) and len(data) == 2 else None


def choose_answer(answers: pd.DataFrame) -> str | None:
    """Let the reader choose an answer; None where there is none."""
    shown = {
        str(row["item_id"]): f"{_score(row)} · {short(row['question'], 90)} · {short(row['model'], 24)}"
        for row in answers.head(MOST_ANSWERS).to_dict("records")
    }
    asked = st.session_state.get(ANSWER_KEY, st.query_params.get(ANSWER_KEY))
    extra = answers[answers["item_id"].astype(str) == str(asked)]
    if asked and asked not in shown and not extra.empty:
        shown[str(asked)] = f"{_score(extra.iloc[0])} · {short(extra.iloc[0]['question'], 90)}"
    if not shown:
        return None
    st.session_state[ANSWER_KEY] = str(asked) if str(asked) in shown else next(iter(shown))
    chosen = st.selectbox(
        "Answer",
        list(shown),
        format_func=lambda name: shown.get(name, name),
        key=ANSWER_KEY,
        on_change=forget_claim,
    )
    # Not bound: a bound box writes what it shows into the address, and the score in it is no name of an answer.
    st.query_params[ANSWER_KEY] = chosen
    return chosen


def _score(row: Any) -> str:
    return number(row["specificity"]) if row["status"] == Status.SCORED else str(row["status"])


def first_cell(detail: Mapping[str, Any]) -> tuple[int, str]:
    """Cell that opens first: one on which judges disagree, else an unsupported one, else the first that is stated."""
    names = list(detail["dimensions"])
    stated = [(row, name) for row, claim in enumerate(detail["claims"]) for name in names if name in claim["cells"]]
    for wanted in (
        lambda cast: len({vote["label"] for vote in cast}) > 1,
        lambda cast: any(vote["label"] == Label.NO for vote in cast),
        lambda cast: True,
    ):
        for row, name in stated:
            if wanted(detail["claims"][row]["cells"][name]):
                return row, name
    return 0, names[0]


def chosen_cell(detail: Mapping[str, Any]) -> tuple[int, str]:
    """Give the claim (from 0) and dimension in the session or the address, or the one that opens first."""
    names, claims = list(detail["dimensions"]), len(detail["claims"])
    row, name = first_cell(detail)
    asked = str(st.session_state.get(CLAIM_KEY, st.query_params.get(CLAIM_KEY, "")))
    if asked.isdecimal() and 1 <= int(asked) <= claims:
        row = int(asked) - 1
    dimension = st.session_state.get(DIMENSION_KEY, st.query_params.get(DIMENSION_KEY))
    if dimension in names:
        name = dimension
        if not asked:
            row = next((at for at, claim in enumerate(detail["claims"]) if name in claim["cells"]), row)
    return row, name


def choose_cell(detail: Mapping[str, Any], cell: tuple[int, str]) -> tuple[int, str]:
    """Two boxes for what a click on the figure chooses too."""
    names = list(detail["dimensions"])
    claims = [claim["text"] for claim in detail["claims"]]
    st.session_state[CLAIM_KEY], st.session_state[DIMENSION_KEY] = cell[0] + 1, cell[1]
    with st.container(horizontal=True, gap="small", key="sp_cell_boxes"):
        claim = st.selectbox(
            "Claim",
            range(1, len(claims) + 1),
            format_func=lambda at: f"{at}. {short(claims[at - 1], 60)}" if at <= len(claims) else str(at),
            key=CLAIM_KEY,
        )
        dimension = st.selectbox("Dimension", names, key=DIMENSION_KEY, width=210)
    st.query_params[CLAIM_KEY], st.query_params[DIMENSION_KEY] = str(claim), dimension
    return claim - 1, dimension


def cell_card(detail: Mapping[str, Any], cell: tuple[int, str]) -> Html:
    """One cell as markup: the claim, the majority, and each judge's vote with what it found, why, and its evidence."""
    claim, name = detail["claims"][cell[0]], cell[1]
    cast = claim["cells"].get(name)
    said = [element("p", element("b", f"{cell[0] + 1}. {claim['text']}"), attributes={"dir": "auto"})]
    if cast is None:
        words = f"— n/a: no judge found anything of “{name}” in this claim."
        return element("div", *said, element("p", words, attributes={"class": "lj-side"}))
    label = analysis.verdict(cast)
    count = sum(Label(vote["label"]) is label for vote in cast)
    tie = " (a tie is n/a)" if label is Label.NA and count < len(cast) else ""
    said.append(element("p", f"{name}: {SIGN_OF[label]}, {count} of {len(cast)} judges{tie}"))
    rows = [_vote(judge, vote) for judge, vote in zip(detail["judges"], cast, strict=True)]
    return element("div", *said, *rows)


def _vote(judge: str, vote: Mapping[str, Any]) -> Html:
    label = Label(vote["label"])
    found = element("p", "in the claim: ", element("b", " · ".join(vote["found"])), attributes={"class": "lj-side"})
    quotes = [
        element(
            "div",
            short(place["quote"], 600),
            element("footer", _where(place)),
            attributes={"class": "lj-text lj-small lj-quote", "dir": "auto"},
        )
        for place in vote["evidence"]
    ]
    return element(
        "div",
        element("div", SIGN_OF[label], attributes={"class": "lj-sign"}),
        element(
            "div",
            element("p", element("b", judge)),
            found if vote["found"] else None,
            element("p", vote["reason"] or "no reason given"),
            *quotes,
        ),
        attributes={"class": f"lj-point lj-vote {CLASS_OF[label]}"},
    )


def _where(place: Mapping[str, Any]) -> str:
    if place["start"] is None:
        return "this quote does not stand in the source"
    source = "the document" if place["context"] is None else f"context {place['context'] + 1}"
    return f"{source}, characters {place['start']:,} to {place['end']:,}"


def source_panel(run: Run, item_id: str, detail: Mapping[str, Any], cell: tuple[int, str]) -> None:
    """Show the source open at the evidence of a cell, all judges' passages marked."""
    item = cached.store().items(run.dataset_id, [item_id]).get(item_id)
    cast = detail["claims"][cell[0]]["cells"].get(cell[1], ())
    places = [
        (place, Label(vote["label"])) for vote in cast for place in vote["evidence"] if place["start"] is not None
    ]
    if item is None:
        return
    if not places:
        st.caption("No passage of the source was pointed at.")
        return
    if detail["source"] == "contexts":
        numbers = list(dict.fromkeys(place["context"] for place, _ in places))
        texts = [(f"Context {at + 1} of {len(item.contexts)}", item.contexts[at], at) for at in numbers]
    else:
        document = cached.store().document(run.dataset_id, item.document_id) if item.document_id else None
        texts = [(document.name, document.text, None)] if document else []
    for name, text, at in texts:
        st.caption(plain(name))
        spans = {
            (place["start"], place["end"]): Span(place["start"], place["end"], 1, TAG_OF[label])
            for place, label in places
            if place["context"] == at and place["end"] <= len(text)
        }
        st.html(paper(text, list(spans.values()), chosen=1, label=name, only_chosen=True))


def answer_text(run: Run, item_id: str, detail: Mapping[str, Any], row: int) -> None:
    """Show the answer with the chosen claim marked."""
    item = cached.store().items(run.dataset_id, [item_id]).get(item_id)
    if item is None:
        return
    claim = detail["claims"][row]
    start, end = claim["start"], claim["end"]
    if not 0 <= start < end <= len(item.answer):
        st.html(text_block(item.answer, name="answer"))
        st.caption("The judge's wording of this claim does not stand in the answer.")
        return
    marked = [item.answer[:start], element("b", element("u", item.answer[start:end])), item.answer[end:]]
    st.html(element("div", *marked, attributes={"class": "lj-text lj-small", "dir": "auto"}))


def notes(finding: Finding) -> None:
    """Say what a reader must know of this answer's votes: padded, failed and unread judges or dimensions."""
    for note in finding.notes:
        st.caption(plain(note))
