"""The list of answers at the left of the Answers page: one card per answer, a page of them at a time.

Works from the frame of answers alone: no text of an answer or a contract is fetched for it. The chosen answer stands
in the address as ``answer``, and the address is the truth.
"""

import math
from typing import NamedTuple
from zlib import crc32

import pandas as pd
import streamlit as st

from components import cards
from components.words import plain
from lemaj_core.metrics.table import METRICS
from lemaj_core.types import Status, Tag

ON_A_PAGE = 12
CLOSEST = "Closest to the other decision"
FAILED = "Failed and undefined first"
FILE = "Order of the file"
SORTS = (CLOSEST, "Lowest Correctness", "Lowest Relevance", FAILED, FILE)


class Place(NamedTuple):
    """Where an answer stands in the list; ``at`` is None when the filters hide it."""

    item_id: str | None
    at: int | None
    known: bool
    ids: list[str]


def ordered(shown: pd.DataFrame, decisions: pd.DataFrame, sort: str) -> pd.DataFrame:
    """Sort the answers that pass the filters, with their decision; equals keep the order of the file."""
    frame = shown.assign(**decisions.loc[shown.index])
    if sort == CLOSEST:
        return frame.sort_values(["flips", "cleared"], kind="stable", na_position="last")
    if sort == FAILED:
        rank = frame["status"].ne(Status.FAILED) * 2 - frame["correctness"].isna() * 1
        return frame.loc[rank.sort_values(kind="stable").index]
    for key in ("correctness", "relevance"):
        if sort.endswith(METRICS[key].label):
            return frame.sort_values(key, kind="stable", na_position="last")
    return frame


def go(item_id: str) -> None:
    """Open an answer; used as a callback."""
    st.query_params["answer"] = item_id
    st.query_params.pop("point", None)
    st.session_state["lj_follow"] = None


def place(frame: pd.DataFrame, everything: pd.DataFrame) -> Place:
    """Find the answer that the address names, or open the first of the list while the reader has chosen none."""
    ids = frame["item_id"].tolist()
    asked = st.query_params.get("answer")
    followed = st.session_state.get("lj_follow")
    if asked is None or (asked == followed and asked not in ids):
        asked = ids[0] if ids else None
        st.session_state["lj_follow"] = asked
        if asked is None:
            return Place(None, None, True, ids)
        st.query_params["answer"] = asked
        st.query_params.pop("point", None)
    at = ids.index(asked) if asked in ids else None
    return Place(asked, at, at is not None or bool(everything["item_id"].eq(asked).any()), ids)


def draw(frame: pd.DataFrame, here: Place) -> None:
    """Draw the page of the list on which the chosen answer stands, and the pager."""
    if frame.empty:
        st.info("No answer passes the filters.", icon=":material/filter_alt:")
        return
    pages = math.ceil(len(frame) / ON_A_PAGE)
    start = min(pages, (here.at or 0) // ON_A_PAGE + 1)
    # Another answer or another list is another pager, which begins where the answer stands.
    key = f"lj_page_{crc32(repr((here.item_id, here.at, len(here.ids))).encode())}"
    page = min(max(1, st.session_state.get(key, start)), pages)
    for row in frame.iloc[(page - 1) * ON_A_PAGE : page * ON_A_PAGE].to_dict("records"):
        _card(row, on=row["item_id"] == here.item_id)
    if pages > 1:
        st.pagination(pages, default=start, key=key, max_visible_pages=5, width="stretch")


def _card(row: dict, *, on: bool) -> None:
    place_in_file = int(row["position"]) + 1
    with st.container(key=f"lj_card_{place_in_file}", gap=None):
        st.html(
            cards.row(
                question=row["question"],
                model=_text(row["model"]),
                document=_text(row["document_type"]) or _text(row["document"]),
                counts={tag: _int(row[column]) for tag, column in _columns()},
                scores=_scores(row),
                state=state(row),
                on=on,
            )
        )
        st.button(
            f"Open answer {place_in_file}",
            key=f"lj_open_{place_in_file}",
            on_click=go,
            args=(row["item_id"],),
            width="stretch",
        )


def _scores(row: dict) -> dict[str, tuple[float | None, str | None]]:
    """Scores to be listed; none for an answer that has no verdict, which its state says."""
    keys = ("correctness", "relevance") if row["status"] == Status.SCORED else ()
    return {METRICS[key].label: (row[key], row[f"{key}_status"]) for key in keys}


def _columns() -> list[tuple[Tag | None, str]]:
    return [*((tag, str(tag)) for tag in Tag), (None, "untagged")]


def _int(value: object) -> int:
    return 0 if pd.isna(value) else int(value)  # type: ignore[call-overload]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def state(row: dict) -> str:
    """Decision on an answer in a few words."""
    if row["status"] == Status.FAILED:
        kind = _text(row["failure"])
        return "not judged" + (f": {kind}" if kind else "")
    if row["status"] != Status.SCORED:
        return "waits for the judge"
    flips = "" if pd.isna(row["flips"]) else f" · {int(row['flips'])} flip{'' if row['flips'] == 1 else 's'} away"
    return ("✓ cleared" if row["cleared"] else "⚑ flagged") + flips


def toolbar(here: Place) -> None:
    """Draw previous and next by button and key, and where the reader is."""
    at = here.at
    before = here.ids[at - 1] if at else None
    after = here.ids[at + 1] if at is not None and at + 1 < len(here.ids) else None
    if at is None and here.ids:
        after = here.ids[0]
    _step("Previous", "P", ":material/arrow_back:", before)
    _step("Next", "N", ":material/arrow_forward:", after)
    where = f"{at + 1:,} of {len(here.ids):,}" if at is not None else "not among the filtered answers"
    st.caption(f"{where} · {plain(here.item_id)}" if here.item_id else where, width="content")


def _step(label: str, key: str, icon: str, item_id: str | None) -> None:
    st.button(
        label,
        icon=icon,
        shortcut=key,
        key=f"lj_{label.lower()}",
        disabled=item_id is None,
        on_click=go,
        args=(item_id,),
        help=f"{label} answer of the list",
    )
