"""Figures of the Relevance page: masked relevance by model, masked against unmasked, Deltas of points, robustness.

Pure functions from frames and findings' details to figures; they compute no score. Where an arrow or a word says which
way is good, it comes from the metric table.
"""

import html
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from components.figures import style
from components.palette import BLUE, GREEN, GREY, SKY, VERMILION
from components.words import number
from lemaj_core.analysis.relevance import MASKED, UNMASKED
from lemaj_core.analysis.summary import metric_mean
from lemaj_core.metrics.relevance import mean_similarity
from lemaj_core.metrics.table import METRICS, Direction

PARAPHRASE, PERTURBATION = "robustness_paraphrase", "robustness_perturbation"
COLOURS = {PARAPHRASE: BLUE, PERTURBATION: "#B07A00"}
SYMBOLS = {PARAPHRASE: "circle", PERTURBATION: "diamond-open"}
MOST_MODELS = 12
PAIR_HEIGHT = 380
MOST_PAIRS = 60
NO_MODEL = "no model named"


def by_model(answers: pd.DataFrame, key: str, colours: Mapping[str, str], *, least: int = 0) -> go.Figure:
    """Draw a dot per answer and the mean with its 95 % interval for each model.

    Parameters
    ----------
    answers : pandas.DataFrame
        Answers of a run with the metric's column and status.
    key : str
        Which metric.
    colours : mapping of str to str
        Colour of each model, the same as on other pages.
    least : int
        Least height in pixels, to match the figure beside it.
    """
    metric = METRICS[key]
    title = f"{metric.label} by model ({metric.direction})"
    scored = answers[answers[f"{key}_status"] == "scored"]
    if scored.empty:
        return style.empty(title, "No answer could be scored")
    everyone = named(answers)
    models = list(named(scored).value_counts().index[:MOST_MODELS])
    traces: list[style.Trace] = []
    ticks = []
    for place, model in enumerate(sorted(models)):
        part = scored[named(scored) == model]
        found = metric_mean(answers[everyone == model], key)
        traces.append(
            {
                "type": "scatter",
                "x": part[key],
                "y": [place + _spread(row, len(part)) for row in range(len(part))],
                "mode": "markers",
                "marker": {"color": colours.get(model, GREY), "size": 7, "opacity": 0.7},
                "text": [style.label(question, 70) for question in part["question"]],
                "hovertemplate": "%{x:.2f}<br>%{text}<extra></extra>",
            }
        )
        traces.append(_mean_mark(found, place))
        left = found.n_undefined + found.n_failed
        ticks.append(
            f"{style.label(model, 26)}<br>{number(found.mean)}, n = {found.n_scored:,}"
            + (f", {left:,} without" if left else "")
        )
    return style.figure(
        traces,
        title,
        height=max(least, 110 + 62 * len(models)),
        bottom=52,
        left=style.label_room(ticks),
        xaxis={"title": {"text": metric.label}, "showgrid": True},
        yaxis={
            "tickvals": list(range(len(models))), "ticktext": ticks, "range": [len(models) - 0.45, -0.55],
            "showgrid": False,
        },
        showlegend=False,
    )  # fmt: skip


def masked_against_unmasked(pairs: pd.DataFrame, colours: Mapping[str, str]) -> go.Figure:
    """Draw each answer's similarity with its words masked (y) over the same unmasked (x); the line is "no change"."""
    title = "What masking takes away"
    if pairs.empty:
        return style.empty(title, "No answer has both")
    low = min(0.0, float(pairs[[MASKED, UNMASKED]].min().min())) - 0.03
    high = max(0.6, float(pairs[[MASKED, UNMASKED]].max().max())) + 0.05
    line: style.Trace = {
        "type": "scatter",
        "x": [low, high],
        "y": [low, high],
        "mode": "lines",
        "line": {"color": style.MUTED, "width": 1, "dash": "dot"},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    traces = [line]
    for model, part in pairs.groupby(named(pairs), sort=True):
        traces.append(
            {
                "type": "scatter",
                "name": style.label(model, 30),
                "x": part[UNMASKED],
                "y": part[MASKED],
                "mode": "markers",
                "marker": {"color": colours.get(str(model), GREY), "size": 9, "opacity": 0.8},
                "text": [style.label(question, 70) for question in part["question"]],
                "hovertemplate": "masked %{y:.2f}, unmasked %{x:.2f}<br>%{text}<extra></extra>",
            }
        )
    return style.figure(
        traces,
        title,
        height=PAIR_HEIGHT,
        bottom=88,
        xaxis={"title": {"text": "similarity, answer as it is"}, "range": [low, high]},
        yaxis={"title": {"text": "similarity, answer masked"}, "range": [low, high]},
    )


def deltas(points: Sequence[Mapping[str, Any]]) -> go.Figure:
    """Draw Delta of each point, in the new order; negative bars hurt the answer's relevance.

    Parameters
    ----------
    points : sequence of mapping
        ``text``, ``delta``, ``was`` (place in the answer, from 1), in the order in which they are to stand.
    """
    title = "Δ of each point: relevance lost when it is left out"
    if not points:
        return style.empty(title, "The answer has one point: there is no order")
    labels = [
        f"{place} (was {point['was']}) {style.label(point['text'], 38)}" for place, point in enumerate(points, start=1)
    ]
    values = [float(point["delta"]) for point in points]
    bar: style.Trace = {
        "type": "bar",
        "orientation": "h",
        "x": values,
        "y": labels,
        "marker": {
            "color": [SKY if value >= 0 else VERMILION for value in values],
            "pattern": {"shape": ["" if value >= 0 else "/" for value in values]},
        },
        "text": [f"{value:+.2f}" for value in values],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertext": ["<br>".join(_lines(str(point["text"]))) for point in points],
        "hovertemplate": "%{x:+.2f}<br>%{hovertext}<extra></extra>",
    }
    low, high = min(0.0, *values), max(0.0, *values)
    room = 0.16 * max(high - low, 0.5)
    return style.figure(
        [bar],
        title,
        height=96 + 34 * len(points),
        bottom=48,
        left=style.label_room(labels),
        xaxis={
            "title": {"text": "Δ, logits"}, "range": [low - (room if low < 0 else 0.02), high + room],
            "zeroline": True, "zerolinecolor": style.MUTED,
        },
        yaxis={"autorange": "reversed", "showgrid": False},
        showlegend=False,
    )  # fmt: skip


def robustness(answers: pd.DataFrame) -> go.Figure:
    """Draw both similarities of each answer as two dots on one line, with the direction that is good for each."""
    title = "Paraphrase against perturbation"
    there = answers[[f"{key}_status" for key in (PARAPHRASE, PERTURBATION)]].eq("scored").any(axis=1)
    rows = answers[there]
    if rows.empty:
        return style.empty(title, "No answer to a changed question")
    gap = rows[PARAPHRASE].fillna(0) - rows[PERTURBATION].fillna(0)
    rows = rows.assign(gap=gap).sort_values("gap", ascending=True, kind="stable").head(MOST_PAIRS)
    places = list(range(len(rows)))
    joined: style.Trace = {
        "type": "scatter",
        "x": [x for pair in zip(rows[PARAPHRASE], rows[PERTURBATION], [None] * len(rows), strict=True) for x in pair],
        "y": [y for place in places for y in (place, place, None)],
        "mode": "lines",
        "line": {"color": style.MUTED, "width": 1.4},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    traces = [joined]
    for key in (PARAPHRASE, PERTURBATION):
        arrow = "→" if METRICS[key].direction is Direction.HIGHER else "←"
        traces.append(
            {
                "type": "scatter",
                "name": f"{key.removeprefix('robustness_')} ({METRICS[key].direction} {arrow})",
                "x": rows[key],
                "y": places,
                "mode": "markers",
                "marker": {
                    "symbol": SYMBOLS[key], "size": 10, "color": COLOURS[key], "line": {"width": 2.2}
                },
                "text": [style.label(question, 70) for question in rows["question"]],
                "hovertemplate": "%{x:.2f}<br>%{text}<extra></extra>",
            }
        )  # fmt: skip
    ticks = [
        f"{style.label(model, 22)}: {style.label(question, 34)}"
        for model, question in zip(named(rows), rows["question"], strict=True)
    ]
    more = f" ({MOST_PAIRS} nearest pairs of {int(there.sum()):,})" if int(there.sum()) > MOST_PAIRS else ""
    return style.figure(
        traces,
        title + more,
        height=130 + 24 * len(rows),
        bottom=92,
        left=min(330, style.label_room(ticks)),
        xaxis={"title": {"text": "similarity with the first answer"}},
        yaxis={"tickvals": places, "ticktext": ticks, "range": [len(rows) - 0.4, -0.6], "showgrid": False},
    )


def mean_of(questions: Sequence[Mapping[str, Any]]) -> float | None:
    """Mean similarity of some questions, as the metric takes it; None where there is none."""
    return mean_similarity(questions).value


def named(answers: pd.DataFrame) -> pd.Series:
    """Model of each answer, in words where there is none."""
    return answers["model"].astype(object).where(answers["model"].notna(), NO_MODEL).astype(str)


def _mean_mark(found: Any, place: int) -> style.Trace:
    middle = 0.0 if found.mean is None else found.mean
    low, high = (middle if end is None else end for end in (found.low, found.high))
    return {
        "type": "scatter",
        "x": [found.mean],
        "y": [place + 0.3],
        "mode": "markers",
        "marker": {"symbol": "diamond", "size": 11, "color": GREEN, "line": {"width": 1.5, "color": "#fff"}},
        "error_x": {
            "type": "data", "symmetric": False, "array": [high - middle], "arrayminus": [middle - low],
            "color": GREEN, "thickness": 2, "width": 6,
        },
        "hovertemplate": f"mean {number(found.mean)} [{low:.2f}, {high:.2f}], n = {found.n_scored:,}<extra></extra>",
    }  # fmt: skip


def _spread(row: int, count: int) -> float:
    """Shift dots so that equal values are seen apart."""
    return 0.0 if count < 2 else -0.24 + 0.3 * ((row * 7) % 10) / 10


def _lines(text: str, width: int = 70) -> list[str]:
    words, lines = " ".join(text.split())[:420].split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return [html.escape(line, quote=False) for line in lines]
