"""The row of filters that is the same on every page and is kept in the address.

Turns widgets into a smaller frame; knows nothing of what a page shows. Keys are shared by all pages, so a filter stays
on when the reader changes the page.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from components.palette import TAGS, badge_text
from lemaj_core.analysis.triage import CORRECTNESS, RELEVANCE
from lemaj_core.metrics.table import METRICS, Metric
from lemaj_core.types import Tag

FIXED = frozenset(
    "item_id position row judge question model document_id document document_type status failure reason correct "
    "incorrect irrelevant missing untagged minutes human_correctness human_relevance".split()
)
SUFFIXES = ("", "_status", "_reason", "_numerator", "_denominator")
STATUSES = ("scored", "undefined", "failed", "waiting")
CHOICES = ("text", "model", "document_type", "tag", "status", "values")
ANY = "any column"
FEW, MANY = 12, 200
CORRECTNESS_KEY = "t_correctness"
RELEVANCE_KEY = "t_relevance"


def uploaded_columns(frame: pd.DataFrame) -> list[str]:
    """Columns that came with the user's file and mean nothing to us."""
    ours = FIXED | {key + suffix for key in METRICS for suffix in SUFFIXES}
    return [name for name in frame.columns if name not in ours]


def metrics_of(frame: pd.DataFrame) -> list[Metric]:
    """Metrics that this run has, in table order."""
    return [metric for metric in METRICS.values() if metric.key in frame.columns]


def thresholds() -> tuple[str, str]:
    """Thresholds for Correctness and Relevance as the reader set them on Triage, as decimals to be compared exactly."""
    found = []
    for key, default in ((CORRECTNESS_KEY, CORRECTNESS), (RELEVANCE_KEY, RELEVANCE)):
        try:
            value = float(st.session_state.get(key, st.query_params.get(key, default)))
        except ValueError:
            value = float(default)
        found.append(f"{min(max(value, 0.0), 1.0):.2f}")
    return found[0], found[1]


def filter_row(frame: pd.DataFrame, key: str = "f") -> pd.DataFrame:
    """Draw the filters and return the rows that pass; the frame itself when nothing is filtered.

    Parameters
    ----------
    frame : pandas.DataFrame
        Answers of a run, as ``components.cached.answers`` gives them.
    key : str, default "f"
        Prefix of the widget keys, which are also the names in the address.

    Returns
    -------
    pandas.DataFrame
        The rows that pass every filter, in their order.
    """
    keep = np.ones(len(frame), dtype=bool)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{key}_row"):
        words = st.text_input(
            "Find in questions",
            key=f"{key}_text",
            bind="query-params",
            type="search",
            placeholder="Find in questions",
            label_visibility="collapsed",
            width=160,
        )
        if words:
            keep &= frame["question"].str.contains(words, case=False, regex=False).fillna(False).to_numpy(dtype=bool)
        for column, label in (("model", "Model"), ("document_type", "Type")):
            options = _options(frame[column])
            if len(options) > 1:
                with _button(label, f"{key}_{column}"):
                    chosen = st.multiselect(label, options, key=f"{key}_{column}", bind="query-params")
                if chosen:
                    keep &= frame[column].isin(chosen).to_numpy()
        tags = _pills("Tag", list(TAGS), f"{key}_tag", badge_text, "Answers with at least one such point")
        if tags:
            keep &= frame[[str(Tag(tag)) for tag in tags]].gt(0).any(axis=1).to_numpy()
        statuses = _pills("Status", list(STATUSES), f"{key}_status", str, "Undefined: at least one score is 0/0")
        if statuses:
            keep &= _has_status(frame, statuses)
        ranges: dict[str, tuple[float, float]] = {}
        keep &= _in_ranges(frame, key, ranges)
        keep &= _uploaded(frame, key, ranges)
        left = int(keep.sum())
        if left < len(frame) or _active(key):
            st.button(
                "Clear",
                icon=":material/filter_alt_off:",
                key=f"{key}_clear",
                on_click=clear,
                args=(key, ranges),
                type="tertiary",
            )
            st.caption(f"{left:,} of {len(frame):,} answers", width="content")
    return frame[keep] if left < len(frame) else frame


def clear(key: str, ranges: Mapping[str, tuple[float, float]]) -> None:
    """Take every filter off, and out of the address; used as a callback.

    A value that is only deleted would come back from the address, so each is set to what it is at the start.
    """
    for part in CHOICES:
        if f"{key}_{part}" in st.session_state:
            st.session_state[f"{key}_{part}"] = "" if part == "text" else []
    for name, full in ranges.items():
        st.session_state[name] = full


def _active(key: str) -> bool:
    return any(st.session_state.get(f"{key}_{part}") for part in CHOICES)


def _options(column: pd.Series) -> list[str]:
    return sorted(str(value) for value in column.dropna().unique())


def _button(label: str, key: str) -> Any:
    """Small button that opens a filter and shows how many values are chosen, also on the first draw of a deep link."""
    chosen = st.session_state.get(key, st.query_params.get_all(key))
    return st.popover(f"{label} · {len(chosen)}" if chosen else label, key=f"{key}_popover", type="tertiary")


def _pills(label: str, options: list, key: str, shown: Callable[[Any], str], help: str) -> list:
    written = st.query_params.get_all(key)
    # an address written by hand names a tag by its word; the widget knows it by sign and word
    if key not in st.session_state and any(str(option) in written for option in options):
        st.session_state[key] = [option for option in options if {str(option), shown(option)} & set(written)]
    with _button(label, key):
        return st.pills(
            label, options, key=key, bind="query-params", selection_mode="multi", format_func=shown, help=help
        )


def _has_status(frame: pd.DataFrame, statuses: Iterable[str]) -> np.ndarray:
    """Find answers in any of the states; an answer with a score that is 0/0 is undefined, not scored."""
    wanted = set(statuses)
    judged = frame["status"].eq("scored").to_numpy()
    undefined = np.zeros(len(frame), dtype=bool)
    for metric in metrics_of(frame):
        undefined = undefined | judged & frame[f"{metric.key}_status"].eq("undefined").to_numpy()
    found = frame["status"].isin(wanted - {"scored", "undefined"}).to_numpy()
    if "undefined" in wanted:
        found = found | undefined
    if "scored" in wanted:
        found = found | (judged & ~undefined)
    return found


def _in_ranges(frame: pd.DataFrame, key: str, ranges: dict[str, tuple[float, float]]) -> np.ndarray:
    """One slider per metric; a score that does not exist is in no range but the full one. Fills ``ranges``."""
    keep = np.ones(len(frame), dtype=bool)
    metrics = metrics_of(frame)
    if not metrics:
        return keep
    moved = sum(f"{key}_{metric.key}" in st.query_params for metric in metrics)
    with st.popover(f"Score · {moved}" if moved else "Score", key=f"{key}_score_popover", type="tertiary"):
        for metric in metrics:
            values = frame[metric.key].to_numpy(dtype=float, na_value=np.nan)
            low, high = _ends(metric, values)
            start, stop = _range(metric.label, low, high, f"{key}_{metric.key}", ranges)
            if (start, stop) != (low, high):
                with np.errstate(invalid="ignore"):
                    keep &= (values >= start) & (values <= stop)
        st.caption("Undefined and failed scores are in no range.")
    return keep


def _range(
    label: str, low: float, high: float, name: str, ranges: dict[str, tuple[float, float]]
) -> tuple[float, float]:
    """Draw a slider with two ends; once it was drawn, its value comes from the session, so that Clear may set it."""
    ranges[name] = (low, high)
    value = None if name in st.session_state else (low, high)
    ends = st.slider(label, low, high, value, key=name, bind="query-params", format="%.2f")
    return ends if isinstance(ends, tuple) else (low, high)


def _ends(metric: Metric, values: np.ndarray) -> tuple[float, float]:
    """Ends of a metric's slider: its range, or that of the data where the range has no end."""
    finite = values[np.isfinite(values)]
    low = metric.low if math.isfinite(metric.low) else math.floor(finite.min()) if len(finite) else 0.0
    high = metric.high if math.isfinite(metric.high) else math.ceil(finite.max()) if len(finite) else 1.0
    return float(low), float(max(high, low + 1e-9))


def _uploaded(frame: pd.DataFrame, key: str, ranges: dict[str, tuple[float, float]]) -> np.ndarray:
    """Filter by one column of the user's file: a range where it holds many numbers, else a choice of values."""
    keep = np.ones(len(frame), dtype=bool)
    columns = uploaded_columns(frame)
    if not columns:
        return keep
    with _button("More", f"{key}_values"):
        column = st.selectbox("Column of your file", [ANY, *columns], key=f"{key}_column", bind="query-params")
        if column not in columns:
            return keep
        values = frame[column]
        options = _options(values)
        if pd.api.types.is_numeric_dtype(values) and len(options) > FEW:
            low, high = float(values.min()), float(values.max())
            start, stop = _range("From, to", low, high, f"{key}_numbers", ranges)
            return values.between(start, stop).to_numpy() if (start, stop) != (low, high) else keep
        chosen = st.multiselect("Values", options[:MANY], key=f"{key}_values", bind="query-params")
        if len(options) > MANY:
            st.caption(f"{len(options):,} different values; these are the first {MANY} in alphabetical order.")
    return values.map(str, na_action="ignore").isin(chosen).to_numpy() if chosen else keep
