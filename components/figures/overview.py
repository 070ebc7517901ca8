"""Figures of the Overview page: tags per group, means with intervals, and Correctness against Relevance.

Pure functions from frames to figures; undefined and failed scores are in none of them, and the caption says how many.
Text from uploads stands in labels only after :func:`label` took away what plotly would read as markup.
"""

import html
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from components.figures import style
from components.palette import TAGS
from components.words import short
from lemaj_core.metrics.table import METRICS
from lemaj_core.types import Status, Tag

BLIND_HIGH = 0.80
BLIND_LOW = 0.50
RINGED = 400
MOST_GROUPS = 20
DOT = {"size": 9, "opacity": 0.85, "line": {"width": 0.6, "color": "rgba(0,0,0,.45)"}}
RING = {"symbol": "circle-open", "size": 17, "color": style.MARKED, "line": {"width": 2.2}}
MARKERS = {"correctness": ("circle", style.CORRECTNESS), "relevance": ("diamond", style.RELEVANCE)}


def label(text: object, length: int = 34) -> str:
    """Shorten and escape text of unknown origin for axes and hover boxes."""
    return html.escape(short(text, length), quote=False)


def tag_shares(counts: pd.DataFrame, *, by: str) -> go.Figure:
    """Draw the shares of the four tags among the data points of each group.

    Parameters
    ----------
    counts : pandas.DataFrame
        Columns group, tag, points, answers, as ``analysis.summary.tags_by`` gives them.
    by : str
        What the groups are, for the title: "model".

    Returns
    -------
    plotly.graph_objects.Figure
        One bar per group and one trace per tag, in the order of the tags; x is percent of the group's points.
    """
    title = f"Data points per {by}, by tag"
    totals = counts.groupby("group")["points"].sum()
    answers = counts.groupby("group")["answers"].first()
    groups, title = _largest([group for group in totals.index if totals[group] > 0], answers, title)
    if not groups:
        return style.empty(title, "No data points yet")
    rows = [f"{label(group)}<br>{totals[group]:,} points, {answers[group]:,} answers" for group in groups]
    points = counts.pivot_table(index="group", columns="tag", values="points", aggfunc="sum", fill_value=0)
    traces: list[style.Trace] = []
    for tag in Tag:
        look = TAGS[tag]
        number = points.loc[groups, str(tag)].to_numpy() if str(tag) in points else np.zeros(len(groups))
        share = 100 * number / totals[groups].to_numpy()
        traces.append(
            {
                "type": "bar",
                "name": f"{look.icon} {look.word}",
                "y": rows,
                "x": share,
                "customdata": number,
                "orientation": "h",
                "marker": {
                    "color": look.colour,
                    "pattern": {
                        "shape": look.pattern,
                        "fillmode": "overlay",
                        "fgcolor": "rgba(255,255,255,.4)",
                        "size": 6,
                    },
                },
                "text": [f"{value:.0f} %" if value >= 6 else "" for value in share],
                "textposition": "inside",
                "insidetextanchor": "middle",
                "textangle": 0,
                "textfont": {"color": "#111" if tag is Tag.IRRELEVANT else "#fff"},
                "hovertemplate": f"{look.icon} {look.word}: %{{customdata:,}} points (%{{x:.1f}} %)<extra></extra>",
            }
        )
    return style.figure(
        traces,
        title,
        height=150 + 44 * len(groups),
        xaxis={"title": {"text": "share of data points, %"}, "range": [0, 100]},
        yaxis={"autorange": "reversed"},
        barmode="stack",
        bargap=0.35,
    )


def means(table: pd.DataFrame, *, by: str, keys: Sequence[str] = ("correctness", "relevance")) -> go.Figure:
    """Draw the mean of each group with its 95 % interval, one row per group, one mark per metric.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns group, metric, mean, low, high, n_scored, n_undefined, n_failed, as ``analysis.summary.by`` gives them.
    by : str
        What the groups are, for the title.
    keys : sequence of str
        Metrics to draw, of those the table has.
    """
    title = f"Mean scores by {by}"
    shown = table[table["metric"].isin(keys) & table["mean"].notna()]
    if shown.empty:
        return style.empty(title, "No answer is scored yet")
    counts = shown.groupby("group")["n_scored"].max()
    groups, title = _largest(list(dict.fromkeys(shown["group"])), counts, title)
    traces: list[style.Trace] = []
    for number, key in enumerate(keys):
        part = shown[shown["metric"] == key].set_index("group")
        here = [group for group in groups if group in part.index]
        part = part.loc[here]
        symbol, colour = MARKERS[key]
        offset = (number - (len(keys) - 1) / 2) * 0.26
        low = part["low"].astype(float).fillna(part["mean"].astype(float))
        high = part["high"].astype(float).fillna(part["mean"].astype(float))
        middle = part["mean"].astype(float)
        traces.append(
            {
                "type": "scatter",
                "name": METRICS[key].label,
                "x": middle,
                "y": [groups.index(group) + offset for group in here],
                "mode": "markers",
                "marker": {"symbol": symbol, "size": 10, "color": colour},
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": high - middle,
                    "arrayminus": middle - low,
                    "thickness": 1.6,
                    "width": 4,
                },
                "customdata": np.stack([low, high, part["n_scored"], part["n_undefined"], part["n_failed"]], axis=-1),
                "hovertemplate": f"{METRICS[key].label} %{{x:.2f}} [%{{customdata[0]:.2f}}, %{{customdata[1]:.2f}}]"
                "<br>n = %{customdata[2]:,}, %{customdata[3]:,} undefined, %{customdata[4]:,} failed<extra></extra>",
            }
        )
    return style.figure(
        traces,
        title,
        height=150 + 44 * len(groups),
        xaxis={"title": {"text": "mean score, 95 % interval"}, "range": [-0.02, 1.02], "showgrid": True},
        yaxis={
            "tickvals": list(range(len(groups))),
            "ticktext": [f"{label(group)}<br>n = {counts[group]:,}" for group in groups],
            "range": [len(groups) - 0.5, -0.5],
        },
    )


def _largest(groups: list[str], counts: pd.Series, title: str) -> tuple[list[str], str]:
    """Keep the groups with most answers, in their order, and say so in the title where some are left out."""
    if len(groups) <= MOST_GROUPS:
        return groups, title
    kept = set(sorted(groups, key=lambda group: -counts[group])[:MOST_GROUPS])
    return [group for group in groups if group in kept], f"{title} ({MOST_GROUPS} largest of {len(groups)})"


def blind_spots(answers: pd.DataFrame) -> np.ndarray:
    """Find answers that one score alone would praise: one of Correctness and Relevance high, the other low.

    Relevance ignores incorrect points and Correctness ignores missing ones, so each is blind to what the other sees.
    High means at least 0.80, low below 0.50.
    """
    correctness = _scored(answers, "correctness")
    relevance = _scored(answers, "relevance")
    with np.errstate(invalid="ignore"):
        return ((correctness >= BLIND_HIGH) & (relevance < BLIND_LOW)) | (
            (relevance >= BLIND_HIGH) & (correctness < BLIND_LOW)
        )


def _scored(answers: pd.DataFrame, key: str) -> np.ndarray:
    values = answers[key].to_numpy(dtype=float, na_value=np.nan)
    return np.where((answers[f"{key}_status"] == Status.SCORED).to_numpy(), values, np.nan)


def spread(x: np.ndarray, y: np.ndarray, step: float = 0.011) -> tuple[np.ndarray, np.ndarray]:
    """Move answers with the very same two scores apart, on a small spiral around their place, so each can be clicked.

    The first stays where it is; the k-th is at most ``step * sqrt(k)`` away. The same input gives the same picture.
    """
    place = pd.Series(np.round(x, 6)).astype(str) + "|" + pd.Series(np.round(y, 6)).astype(str)
    turn = place.groupby(place).cumcount().to_numpy()
    angle = turn * np.pi * (3 - np.sqrt(5))
    radius = step * np.sqrt(turn)
    return x + radius * np.cos(angle), y + radius * np.sin(angle)


def score_plane(answers: pd.DataFrame, colours: dict[str, str], *, thresholds: tuple[float, float]) -> go.Figure:
    """Draw Correctness against Relevance, one mark per answer, blind spots ringed.

    Parameters
    ----------
    answers : pandas.DataFrame
        Answers of a run; rows without both scores are left out.
    colours : dict
        Colour per model.
    thresholds : tuple of float
        Correctness and Relevance from which an answer may be cleared; their corner is outlined.

    Returns
    -------
    plotly.graph_objects.Figure
        Marks carry ``item_id`` as first customdata. Above 2,000 answers a density with only the ringed ones as marks.
    """
    title = "Correctness against Relevance, one mark per answer"
    x, y = _scored(answers, "relevance"), _scored(answers, "correctness")
    both = np.isfinite(x) & np.isfinite(y)
    if not both.any():
        return style.empty(title, "No answer has both scores", height=420)
    blind = blind_spots(answers)[both]
    shown = answers[both]
    traces: list[style.Trace] = []
    if len(shown) > style.DENSE:
        title = "Correctness against Relevance, answers per cell"
        ringed = np.flatnonzero(blind)[:RINGED]
        traces.append(_density(x[both], y[both]))
        if len(ringed):
            rings = _marks(shown.iloc[ringed], x[both][ringed], y[both][ringed], "blind spot", RING)
            traces.append(rings | {"showlegend": True})
    else:
        at_x, at_y = spread(x[both], y[both])
        models = shown["model"].astype(object).where(shown["model"].notna(), "(no model)").to_numpy()
        for model in sorted(set(models)):
            here = models == model
            dot = DOT | {"color": colours.get(model, style.MUTED)}
            traces.append(_marks(shown[here], at_x[here], at_y[here], str(model), dot))
        if blind.any():
            traces.append(_marks(shown[blind], at_x[blind], at_y[blind], "blind spot", RING))
    correctness, relevance = thresholds
    corner = {
        "type": "rect",
        "x0": relevance - 0.02,
        "x1": 1.045,
        "y0": correctness - 0.045,
        "y1": 1.045,
        "line": {"color": style.MUTED, "width": 1.2, "dash": "dot"},
    }
    note = {
        "x": relevance - 0.02,
        "y": 1.05,
        "text": "could be cleared",
        "showarrow": False,
        "xanchor": "left" if relevance < 0.85 else "right",
        "yanchor": "bottom",
    }
    return style.figure(
        traces,
        title,
        height=460,
        xaxis={"title": {"text": "Relevance"}, "range": [-0.06, 1.06], "dtick": 0.2, "showgrid": True},
        yaxis={"title": {"text": "Correctness"}, "range": [-0.06, 1.11], "dtick": 0.2},
        shapes=[corner],
        annotations=[note],
    )


def _marks(rows: pd.DataFrame, x: np.ndarray, y: np.ndarray, name: str, marker: dict[str, Any]) -> style.Trace:
    """Draw one mark per answer; its id comes first in customdata, for the page that opens it."""
    questions = [label(question, 70) for question in rows["question"]]
    scores = [rows["correctness"].astype(float), rows["relevance"].astype(float)]
    return {
        "type": "scatter",
        "name": label(name),
        "x": x,
        "y": y,
        "mode": "markers",
        "marker": marker,
        "customdata": np.stack([rows["item_id"].astype(object), questions, *scores], axis=-1),
        "hovertemplate": "%{customdata[1]}<br>Correctness %{customdata[2]:.2f}, Relevance %{customdata[3]:.2f}"
        "<br>click to open<extra></extra>",
    }


def _density(x: np.ndarray, y: np.ndarray, cells: int = 20) -> style.Trace:
    """Count answers in cells; drawn on a logarithmic colour scale, since most answers share few places."""
    edges = np.linspace(-0.5 / cells, 1 + 0.5 / cells, cells + 2)
    counts, _, _ = np.histogram2d(y, x, bins=(edges, edges))
    middle = np.linspace(0, 1, cells + 1)
    tens = [ten for ten in (1, 10, 100, 1_000, 10_000, 100_000) if ten <= max(counts.max(), 1)]
    return {
        "type": "heatmap",
        "x": middle,
        "y": middle,
        "z": np.where(counts > 0, np.log10(np.maximum(counts, 1)), np.nan),
        "customdata": counts,
        "hovertemplate": "Relevance %{x:.2f}, Correctness %{y:.2f}<br>%{customdata:,.0f} answers<extra></extra>",
        "colorbar": {
            "title": {"text": "answers"},
            "tickvals": np.log10(tens),
            "ticktext": [f"{ten:,}" for ten in tens],
            "thickness": 12,
            "outlinewidth": 0,
        },
    }
