"""Tables of answers with the same columns, tooltips and downloads on every page.

Column names, ranges and tooltips come from the metric table. A table shows at most a page of rows, and never the text
of an answer or a contract.
"""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import pandas as pd
import streamlit as st

from components.palette import TAGS
from components.shell import open_page
from components.words import NOTHING, number, plain, score, short
from lemaj_core.analysis.export import plain as json_value
from lemaj_core.analysis.export import to_csv
from lemaj_core.metrics.table import METRICS
from lemaj_core.types import Status, Tag

ROWS = 100
LEADING = ("correctness", "relevance")
LABELS = {
    "question": "Question",
    "model": "Model",
    "document": "Document",
    "document_type": "Type",
    "status": "Status",
    "minutes": "Minutes",
    "flips": "Flips",
    "points": "Points",
    "human_correctness": "Expert Correctness",
    "human_relevance": "Expert Relevance",
}
WIDTHS = {"model": 88, "document": 120, "document_type": 92, "status": 176, "points": 100, "flips": 50, "minutes": 70}
HELP = {
    "flips": "How many tags would have to change for the decision to change",
    "status": "scored, undefined or failed, with the reason",
    "minutes": "Review time, as uploaded or the default",
    "points": "Data points per tag: " + ", ".join(f"{look.icon} {look.word}" for look in TAGS.values()),
}


def status_words(frame: pd.DataFrame) -> pd.Series:
    """Say per answer whether it is scored, and why not where it is not."""
    said = frame["status"].astype(object).fillna("waiting")
    reason = frame["failure"].astype(object)
    failed = said.eq(Status.FAILED) & reason.notna()
    said = said.where(~failed, "failed: " + reason.fillna("").astype(str))
    for key in ("relevance", "correctness"):
        if f"{key}_status" in frame:
            undefined = frame["status"].eq(Status.SCORED) & frame[f"{key}_status"].eq(Status.UNDEFINED)
            why = frame[f"{key}_reason"].astype(object).fillna("").astype(str)
            said = said.where(~undefined, "undefined: " + why)
    return said


def point_counts(frame: pd.DataFrame) -> list[str]:
    """Write the tags of each answer as ``3 ✔  1 ✖``; tags that no point has are left out."""
    table = frame[[str(tag) for tag in Tag]].to_numpy(dtype=float, na_value=0).astype(int)
    icons = [look.icon for look in TAGS.values()]
    return ["  ".join(f"{n} {icon}" for n, icon in zip(row, icons, strict=True) if n) for row in table]


def columns(names: Sequence[str]) -> dict[str, Any]:
    """Column settings for st.dataframe, from the metric table where a column is a metric."""
    config: dict[str, Any] = {}
    for name in names:
        if name in METRICS:
            metric = METRICS[name]
            help = f"{metric.formula}. {metric.direction}. Undefined: {metric.undefined}."
            config[name] = st.column_config.NumberColumn(metric.label, format="%.2f", help=help, width=84)
        elif name in {str(tag) for tag in Tag}:
            look = TAGS[Tag(name)]
            config[name] = st.column_config.NumberColumn(
                look.icon, format="%d", help=f"Points that are {look.word}", width=44
            )
        elif name == "question":
            config[name] = st.column_config.TextColumn(LABELS[name], width=236 if "status" in names else 400)
        elif name in LABELS:
            config[name] = st.column_config.Column(LABELS[name], help=HELP.get(name), width=WIDTHS.get(name))
    return config


def show(
    frame: pd.DataFrame,
    names: Sequence[str],
    *,
    key: str,
    alt: str,
    height: int | Literal["auto", "content"] = "auto",
    link: bool = True,
) -> None:
    """Show a page of answers; the button of a row opens that answer.

    Parameters
    ----------
    frame : pandas.DataFrame
        Answers, as ``components.cached.answers`` gives them, perhaps with more columns.
    names : sequence of str
        Columns to show, in order; those the frame lacks are left out. ``status`` is shown in words with its reason,
        and ``points`` are the counts of the tags.
    key : str
        Prefix of the widget keys.
    alt : str
        What the table is for, one sentence.
    height : int, "auto" or "content", default "auto"
        Height of the table in pixels.
    link : bool, default True
        Whether rows open the Answers page.
    """
    pages = max(1, -(-len(frame) // ROWS))
    page = 1
    if pages > 1:
        page = min(st.pagination(pages, key=f"{key}_page") or 1, pages)
        st.caption(f"Rows {(page - 1) * ROWS + 1:,} to {min(page * ROWS, len(frame)):,} of {len(frame):,}")
    part = frame.iloc[(page - 1) * ROWS : page * ROWS]
    part = part.assign(status=status_words(part), points=point_counts(part))
    shown = part[[name for name in names if name in part.columns]].copy()
    config = columns(list(shown.columns))
    if link and len(part):
        shown.insert(0, "open", "Open")
        ids = part["item_id"].astype(str).tolist()
        config["open"] = st.column_config.ButtonColumn(
            "", on_click=_open, args=(f"{key}_open", ids), key=f"{key}_open", type="secondary", width=72
        )
    st.dataframe(shown, hide_index=True, column_config=config, height=height, placeholder=NOTHING, alt=alt, key=key)


def _open(key: str, ids: list[str]) -> None:
    click = st.session_state.get(key)
    if click is not None and 0 <= click["row"] < len(ids):
        open_page("pages/answers.py", answer=ids[click["row"]])


def reading_list(frame: pd.DataFrame, *, key: str) -> None:
    """List a few answers by their question, each a button that opens it; lighter than a table and not cut."""
    points = point_counts(frame)
    rows = st.container(gap="xsmall", key=key)
    for row, counts in zip(frame.to_dict("records"), points, strict=True):
        with rows, st.container(gap=None):
            if st.button(
                plain(short(row["question"], 110)),
                icon=":material/arrow_forward:",
                type="tertiary",
                key=f"{key}_open_{row['position']}",
            ):
                open_page("pages/answers.py", answer=str(row["item_id"]))
            said = [f"{METRICS[name].label} {score(row[name], row[f'{name}_status'])}" for name in LEADING]
            model = f" · {plain(short(row['model'], 30))}" if isinstance(row["model"], str) else ""
            st.caption(f"{' · '.join(said)} · {counts}{model}", width="content")


def downloads(frame: pd.DataFrame, name: str) -> None:
    """Offer a frame as CSV (inert in spreadsheets), JSONL and Parquet; the file is made when it is asked for."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{name}_downloads"):
        st.caption(f"Download {len(frame):,} rows", width="content")
        for kind, make, mime in (
            ("CSV", to_csv, "text/csv"),
            ("JSONL", to_jsonl, "application/x-ndjson"),
            ("Parquet", to_parquet, "application/vnd.apache.parquet"),
        ):
            st.download_button(
                kind,
                partial(make, frame),
                file_name=f"{name}.{kind.lower()}",
                mime=mime,
                key=f"{name}_{kind.lower()}",
                on_click="ignore",
                icon=":material/download:",
                type="tertiary",
            )


def to_jsonl(frame: pd.DataFrame) -> bytes:
    """Encode one JSON object per row; null where there is no value, never NaN."""
    rows = (json.dumps(json_value(row), ensure_ascii=False, allow_nan=False) for row in frame.to_dict("records"))
    return "".join(f"{row}\n" for row in rows).encode()


def to_parquet(frame: pd.DataFrame) -> bytes:
    """Encode as Parquet; columns of mixed types become text."""
    safe = frame.copy()
    for column in safe.select_dtypes("object").columns:
        kinds = {type(value) for value in safe[column].dropna()}
        if len(kinds) > 1:
            safe[column] = safe[column].map(lambda value: None if value is None else str(value))
    return safe.to_parquet(index=False)


def mean_table(table: pd.DataFrame) -> pd.DataFrame:
    """Spell means per group out for reading: mean, interval and what was left out, one row per group and metric."""
    rows = [
        {
            **({"by": row["by"]} if "by" in row else {}),
            "group": row["group"],
            "metric": METRICS[row["metric"]].label,
            "mean": number(row["mean"]),
            "95 % interval": NOTHING if pd.isna(row["low"]) else f"[{row['low']:.2f}, {row['high']:.2f}]",
            "n": row["n_scored"],
            "undefined": row["n_undefined"],
            "failed": row["n_failed"],
        }
        for row in table.to_dict("records")
    ]
    return pd.DataFrame(rows)
