"""Figures of groups of answers: the tags of their data points, and mean scores with intervals.

Undefined and failed scores are in none of them. Text from uploads stands in labels only after ``style.label``.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from components.figures import style
from components.palette import TAGS
from lemaj_core.metrics.table import METRICS
from lemaj_core.types import Tag

MOST_GROUPS = 20
MARKERS = {"correctness": ("circle", style.CORRECTNESS), "relevance": ("diamond", style.RELEVANCE)}


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
    rows = [f"{style.label(group)}<br>{totals[group]:,} points, {answers[group]:,} answers" for group in groups]
    points = dict(zip(zip(counts["group"], counts["tag"], strict=True), counts["points"], strict=True))
    traces: list[style.Trace] = []
    for tag in Tag:
        look = TAGS[tag]
        number = np.array([points.get((group, str(tag)), 0) for group in groups])
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
        height=140 + 44 * len(groups),
        left=style.label_room(rows),
        bottom=94,
        xaxis={"title": {"text": "share of data points, %"}, "range": [0, 100]},
        yaxis={"autorange": "reversed"},
        legend=style.LEGEND | {"entrywidth": 0.5, "entrywidthmode": "fraction"},
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
    ticks = [f"{style.label(group)}<br>n = {counts[group]:,}" for group in groups]
    return style.figure(
        traces,
        title,
        height=140 + 44 * len(groups),
        left=style.label_room(ticks),
        xaxis={"title": {"text": "mean score, 95 % interval"}, "range": [-0.02, 1.02], "showgrid": True},
        yaxis={
            "tickvals": list(range(len(groups))),
            "ticktext": ticks,
            "range": [len(groups) - 0.5, -0.5],
        },
    )


def _largest(groups: list[str], counts: pd.Series, title: str) -> tuple[list[str], str]:
    """Keep the groups with most answers, in their order, and say so in the title where some are left out."""
    if len(groups) <= MOST_GROUPS:
        return groups, title
    kept = set(sorted(groups, key=lambda group: -counts[group])[:MOST_GROUPS])
    return [group for group in groups if group in kept], f"{title} ({MOST_GROUPS} largest of {len(groups)})"
