"""Figures of context utilization: what each claim does to an answer's likelihood, and how a run and proxies spread.

Text of claims stands in labels only after ``style.label``; a kind of claim is told by colour, sign and word.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from components.figures import spread as spread_of
from components.figures import style
from components.palette import EFFECTS
from lemaj_core.analysis.summary import metric_mean
from lemaj_core.metrics.table import METRICS

CITED = "§"
MOST_MODELS = 12
UNITS = {
    "delta": ("Δ: fall of the likelihood without the claim", 1.0, ".4f", ""),
    "delta_rel": ("δ: fall of the likelihood without the claim, %", 100.0, ".2f", " %"),
}


def claim_bars(claims: Sequence[dict[str, Any]], *, key: str, title: str, running: bool = False) -> go.Figure:
    """Draw one bar per claim.

    Parameters
    ----------
    claims : sequence of dict
        Rows with number (from 1), text, kind, cited, delta, delta_rel, in the order in which they are drawn.
    key : {"delta", "delta_rel"}
        Which effect.
    title : str
        Says how the effects were found.
    running : bool
        Each bar begins where the one before ended, and the last one is the sum: the mean effect times the claims.

    Returns
    -------
    plotly.graph_objects.Figure
        A horizontal bar per claim, one trace per kind, ``customdata`` the number of the claim. A claim that the judge
        cites has a § in its label.
    """
    if not claims:
        return style.empty(title, "The context has no claims")
    axis, scale, digits, unit = UNITS[key]
    values = [float(np.nan_to_num(row[key])) * scale for row in claims]
    begins = [0.0, *accumulate(values)][:-1] if running else [0.0] * len(values)
    ticks = [f"{style.label(row['text'], 40)} {CITED if row['cited'] else ''} {row['number']}" for row in claims]
    traces: list[style.Trace] = []
    for kind, look in EFFECTS.items():
        places = [place for place, row in enumerate(claims) if row["kind"] == kind]
        traces.append(
            {
                "type": "bar",
                "name": f"{look.icon} {kind}: {len(places)}",
                "orientation": "h",
                "y": places,
                "x": [values[place] for place in places],
                "base": [begins[place] for place in places],
                "width": 0.72,
                "marker": {"color": look.colour},
                "customdata": [claims[place]["number"] for place in places],
                "text": [f"{look.icon} {values[place]:+{digits}}{unit}" for place in places],
                "textposition": "outside",
                "cliponaxis": False,
                "textfont": {"size": 11},
                "hovertext": [
                    f"{kind}{', cited by the judge' if claims[place]['cited'] else ''}<br>"
                    f"{style.label(claims[place]['text'], 90)}"
                    for place in places
                ],
                "hovertemplate": "%{text}<br>%{hovertext}<extra></extra>",
            }
        )
    count = len(claims)
    if running:
        total = sum(values)
        traces.append(
            {
                "type": "bar", "name": "sum", "orientation": "h", "y": [count], "x": [total], "width": 0.72,
                "marker": {"color": "rgba(127,127,127,.35)", "line": {"color": style.MUTED, "width": 1}},
                "text": [f"{total:+{digits}}{unit} = {count} × {total / count:+{digits}}{unit}"],
                "textposition": "outside", "cliponaxis": False, "showlegend": False,
                "hovertemplate": "%{text}<extra></extra>",
            }
        )  # fmt: skip
        ticks.append("sum = claims × mean")
    ends = [0.0, *begins, *(begin + value for begin, value in zip(begins, values, strict=True))]
    low, high = min(ends), max(ends)
    # Room for the numbers beside the bars.
    room = 0.3 * ((high - low) or 1.0)
    rows = count + running
    return style.figure(
        traces,
        title,
        height=130 + 23 * rows,
        left=style.label_room(ticks),
        bottom=86,
        barmode="overlay",
        xaxis={"title": {"text": axis, "font": {"size": 12}}, "range": [low - room, high + room], "zeroline": True},
        yaxis={
            "tickvals": list(range(rows)), "ticktext": ticks, "range": [rows - 0.4, -0.6], "showgrid": False,
            "tickfont": {"size": 11},
        },
        clickmode="event+select",
    )  # fmt: skip


def spread(answers: pd.DataFrame, key: str) -> go.Figure:
    """Draw the distribution of CU or CU_rel for each model, with its mean and 95 % interval.

    Parameters
    ----------
    answers : pandas.DataFrame
        Answers of a run with ``cu`` and ``cu_rel`` as shares; the axis of ``cu_rel`` is in percent.
    key : {"cu", "cu_rel"}
        Which score.
    """
    metric = METRICS[key]
    scale, unit, digits = (100.0, " %", 2) if key == "cu_rel" else (1.0, "", 4)
    title = f"{metric.label} by model"
    scored = answers[answers[f"{key}_status"] == "scored"]
    if scored.empty:
        return style.empty(title, "No answer could be scored")
    names = scored["model"].astype(object).where(scored["model"].notna(), "no model named")
    models = list(names.value_counts().index[:MOST_MODELS])
    traces: list[style.Trace] = []
    ticks = []
    for place, model in enumerate(models):
        part = scored[names == model]
        values = part[key].to_numpy(dtype=float) * scale
        found = metric_mean(part, key)
        middle, low, high = (None if end is None else scale * end for end in (found.mean, found.low, found.high))
        hover = [style.label(question, 60) for question in part["question"]]
        traces.append(spread_of.box(values, place, hover, f"%{{x:.{digits}f}}{unit}"))
        traces.append(spread_of.mean(place, middle, low, high, found.n_scored, digits=digits, unit=unit))
        ticks.append(f"{style.label(model, 24)}<br>n = {len(part):,}")
    return style.figure(
        traces,
        title,
        height=130 + 56 * len(models),
        bottom=58,
        left=style.label_room(ticks),
        xaxis={"title": {"text": f"{metric.label}{', %' if unit else ''}"}, "zeroline": True},
        yaxis={
            "tickvals": list(range(len(models))), "ticktext": ticks, "range": [len(models) - 0.45, -0.55],
            "showgrid": False,
        },
        showlegend=False,
    )  # fmt: skip


def two_sides(table: pd.DataFrame, x: str, y: str, *, title: str, axes: tuple[str, str]) -> go.Figure:
    """Draw one dot per answer for two values of it, with the line on which they are equal.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``x``, ``y`` and question.
    x, y : str
        Columns that are drawn; rows without both are left out.
    title : str
        What is compared.
    axes : (str, str)
        What stands at the axes.
    """
    both = table[table[x].notna() & table[y].notna()]
    if both.empty:
        return style.empty(title, "No answer has both values")
    shown = both if len(both) <= 2000 else both.sample(2000, random_state=0)
    ends = [float(min(both[x].min(), both[y].min())), float(max(both[x].max(), both[y].max()))]
    line = {
        "type": "scatter", "x": ends, "y": ends, "mode": "lines", "hoverinfo": "skip",
        "line": {"color": style.MUTED, "width": 1, "dash": "dot"},
    }  # fmt: skip
    dots = {
        "type": "scatter",
        "x": shown[x],
        "y": shown[y],
        "mode": "markers",
        "marker": {"size": 7, "opacity": 0.6, "color": style.CORRECTNESS},
        "text": [style.label(question, 60) for question in shown["question"]],
        "hovertemplate": "%{x:.4f}, %{y:.4f}<br>%{text}<extra></extra>",
    }
    part = "" if len(shown) == len(both) else f" (2,000 of {len(both):,} drawn)"
    return style.figure(
        [line, dots],
        title + part,
        height=330,
        bottom=58,
        left=70,
        xaxis={"title": {"text": f"{axes[0]}, n = {len(both):,}"}},
        yaxis={"title": {"text": axes[1]}},
        showlegend=False,
    )
