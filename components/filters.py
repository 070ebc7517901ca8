"""The row of filters that is the same on every page and is kept in the address.

Turns widgets into a smaller frame; knows nothing of what a page shows. Keys are shared by all pages, so a filter stays
on when the reader changes the page.
"""

from collections.abc import Iterable

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
ANY = "any column"
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
    keep = pd.Series(True, index=frame.index)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{key}_row"):
        words = st.text_input(
            "Find in questions",
            key=f"{key}_text",
            bind="query-params",
            type="search",
            placeholder="Find in questions",
            label_visibility="collapsed",
            width=190,
        )
        if words:
            keep &= frame["question"].str.contains(words, case=False, regex=False).fillna(False).astype(bool)
        for column, label in (("model", "Model"), ("document_type", "Document type")):
            options = _options(frame[column])
            if len(options) > 1:
                chosen = _choice(label, options, f"{key}_{column}")
                if chosen:
                    keep &= frame[column].isin(chosen)
        tags = _choice(
            "Tag", list(TAGS), f"{key}_tag", format_func=badge_text, help="Answers with at least one such point"
        )
        if tags:
            keep &= frame[[str(Tag(tag)) for tag in tags]].gt(0).any(axis=1)
        statuses = _choice("Status", list(STATUSES), f"{key}_status", help="Undefined: at least one score is 0/0")
        if statuses:
            keep &= _has_status(frame, statuses)
        keep &= _score_range(frame, key)
        keep &= _uploaded(frame, key)
        left = int(keep.sum())
        active = left < len(frame)
        if active or _active(key):
            st.button(
                "Clear",
                icon=":material/filter_alt_off:",
                key=f"{key}_clear",
                on_click=clear,
                args=(key,),
                type="tertiary",
            )
            st.caption(f"{left:,} of {len(frame):,} answers", width="content")
    return frame[keep] if active else frame


def clear(key: str = "f") -> None:
    """Take every filter off; used as a callback."""
    for name in _keys(key):
        if name in st.session_state:
            del st.session_state[name]


def _keys(key: str) -> list[str]:
    parts = ("text", "model", "document_type", "tag", "status", "score", "range", "column", "values", "numbers")
    return [f"{key}_{part}" for part in parts]


def _active(key: str) -> bool:
    plain = [f"{key}_{part}" for part in ("text", "model", "document_type", "tag", "status", "values")]
    return any(st.session_state.get(name) for name in plain)


def _options(column: pd.Series) -> list[str]:
    return sorted(str(value) for value in column.dropna().unique())


def _choice(label: str, options: list, key: str, *, format_func=str, help: str | None = None) -> list:
    """Multiple choice behind one small button that shows how many are chosen."""
    chosen = [value for value in st.session_state.get(key, ()) if value in options]
    shown = f"{label} · {len(chosen)}" if chosen else label
    with st.popover(shown, key=f"{key}_popover"):
        return st.pills(
            label, options, key=key, bind="query-params", selection_mode="multi", format_func=format_func, help=help
        )


def _has_status(frame: pd.DataFrame, statuses: Iterable[str]) -> pd.Series:
    wanted = set(statuses)
    undefined = pd.Series(False, index=frame.index)
    for metric in metrics_of(frame):
        undefined |= frame[f"{metric.key}_status"].eq("undefined")
    found = frame["status"].isin(wanted - {"scored", "undefined"})
    if "undefined" in wanted:
        found |= undefined
    if "scored" in wanted:
        found |= frame["status"].eq("scored") & ~undefined
    return found


def _score_range(frame: pd.DataFrame, key: str) -> pd.Series:
    metrics = metrics_of(frame)
    everything = pd.Series(True, index=frame.index)
    if not metrics:
        return everything
    labels = {metric.label: metric for metric in metrics}
    with st.popover("Score", key=f"{key}_score_popover"):
        label = st.selectbox("Score", list(labels), key=f"{key}_score", bind="query-params")
        metric = labels.get(label, metrics[0])
        low, high = st.slider(
            "From, to", metric.low, metric.high, (metric.low, metric.high), key=f"{key}_range", bind="query-params"
        )
        st.caption("Undefined and failed scores are in no range.")
    if (low, high) == (metric.low, metric.high):
        return everything
    return frame[metric.key].between(low, high)


def _uploaded(frame: pd.DataFrame, key: str) -> pd.Series:
    everything = pd.Series(True, index=frame.index)
    columns = uploaded_columns(frame)
    if not columns:
        return everything
    with st.popover("More", key=f"{key}_more_popover"):
        column = st.selectbox("Column of your file", [ANY, *columns], key=f"{key}_column", bind="query-params")
        if column == ANY or column not in columns:
            return everything
        values = _options(frame[column])[:200]
        chosen = st.multiselect("Values", values, key=f"{key}_values", bind="query-params")
    return frame[column].astype(str).isin(chosen) if chosen else everything
