"""Figures of readability: how both scores spread over the answers of each model, with the bands of the paper shaded.

Undefined texts are in none of them. Means carry their interval and n.
"""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from components.figures import spread as spread_of
from components.figures import style
from lemaj_core.analysis.summary import metric_mean
from lemaj_core.metrics.table import METRICS

FRE_BANDS = ((30.0, "difficult"), (50.0, "fairly difficult"), (60.0, "plain"), (70.0, "fairly easy"), (80.0, "easy"),
             (90.0, "very easy"))  # fmt: skip
FKGL_BANDS = ((5.0, "middle school"), (9.0, "high school"), (12.0, "undergraduate"), (16.0, "graduate"))
BANDS = {"fre": ("very difficult", FRE_BANDS), "fkgl": ("elementary", FKGL_BANDS)}
"""For each score the band below the first limit, then each limit with the band that begins there."""
MOST_MODELS = 12
SHADES = ("rgba(127,127,127,.04)", "rgba(127,127,127,.15)")


def spread(answers: pd.DataFrame, key: str) -> go.Figure:
    """Draw the distribution of one score for each model over its bands.

    Parameters
    ----------
    answers : pandas.DataFrame
        Answers of a run with ``fre`` and ``fkgl``; ``sentences``, ``words`` and ``question`` are shown on hover.
    key : {"fre", "fkgl"}
        Which score.

    Returns
    -------
    plotly.graph_objects.Figure
        One row per model: a box with a dot per answer (up to 400), and a diamond at the mean with its 95 % interval.
        The x axis runs over what occurs, so that bands outside of it are not drawn.
    """
    metric = METRICS[key]
    title = f"{metric.label} by model ({metric.direction})"
    scored = answers[answers[f"{key}_status"] == "scored"]
    if scored.empty:
        return style.empty(title, "No answer could be scored")
    names = scored["model"].astype(object).where(scored["model"].notna(), "no model named")
    models = list(names.value_counts().index[:MOST_MODELS])
    low, high = float(scored[key].min()), float(scored[key].max())
    room = max(4.0, 0.06 * (high - low))
    bounds = (low - room, high + room)
    traces: list[style.Trace] = []
    ticks = []
    for place, model in enumerate(models):
        part = scored[names == model]
        found = metric_mean(part, key)
        traces.append(spread_of.box(part[key], place, _hover(part), f"{metric.label} %{{x:.1f}}"))
        traces.append(spread_of.mean(place, found.mean, found.low, found.high, found.n_scored))
        of_model = answers[answers["model"].astype(object).where(answers["model"].notna(), "no model named") == model]
        undefined = int((of_model[f"{key}_status"] == "undefined").sum())
        ticks.append(
            f"{style.label(model, 24)}<br>n = {len(part):,}" + (f", {undefined:,} undefined" if undefined else "")
        )
    shapes, notes = _bands(key, bounds)
    return style.figure(
        traces,
        title,
        height=170 + 62 * len(models),
        top=76,
        bottom=58,
        left=style.label_room(ticks),
        xaxis={"title": {"text": metric.label}, "range": bounds, "showgrid": False},
        yaxis={
            "tickvals": list(range(len(models))), "ticktext": ticks, "range": [len(models) - 0.45, -0.55],
            "showgrid": False,
        },
        shapes=shapes,
        annotations=notes,
        showlegend=False,
    )  # fmt: skip


def _hover(part: pd.DataFrame) -> list[str]:
    counts = zip(part["question"], part["words"].astype(int), part["sentences"].astype(int), strict=True)
    return [
        f"{style.label(question, 60)}<br>{words:,} words in {sentences:,} sentences"
        for question, words, sentences in counts
    ]


def _bands(key: str, bounds: tuple[float, float]) -> tuple[list[dict], list[dict]]:
    """Rectangles of the bands within the axis, each with its name above the plot; narrow ones keep two lines apart."""
    first, limits = BANDS[key]
    edges = [-np.inf, *(limit for limit, _ in limits), np.inf]
    names = [first, *(name for _, name in limits)]
    shapes, notes = [], []
    for place, name in enumerate(names):
        left, right = max(edges[place], bounds[0]), min(edges[place + 1], bounds[1])
        if left >= right:
            continue
        shapes.append(
            {
                "type": "rect", "x0": left, "x1": right, "y0": 0, "y1": 1, "yref": "paper", "layer": "below",
                "line": {"width": 0}, "fillcolor": SHADES[place % 2],
            }
        )  # fmt: skip
        if (right - left) / (bounds[1] - bounds[0]) > 0.06:
            notes.append(style.note_above((left + right) / 2, name.replace(" ", "<br>")))
    return shapes, notes


def against_correctness(answers: pd.DataFrame) -> go.Figure:
    """Draw grade level against Correctness, one dot per answer that has both; it shows no cause."""
    title = "Grade level against Correctness"
    both = answers[(answers["fkgl_status"] == "scored") & (answers["correctness_status"] == "scored")]
    if both.empty:
        return style.empty(title, "No answer has both scores")
    shown = both if len(both) <= 2000 else both.sample(2000, random_state=0)
    part = "" if len(shown) == len(both) else f" (2,000 of {len(both):,} drawn)"
    trace = {
        "type": "scatter",
        "x": shown["fkgl"],
        "y": shown["correctness"],
        "mode": "markers",
        "marker": {"size": 7, "opacity": 0.5, "color": style.CORRECTNESS},
        "text": [style.label(question, 60) for question in shown["question"]],
        "hovertemplate": "grade %{x:.1f}, Correctness %{y:.2f}<br>%{text}<extra></extra>",
    }
    return style.figure(
        [trace],
        title + part,
        height=320,
        bottom=58,
        xaxis={"title": {"text": f"grade level, n = {len(both):,}"}},
        yaxis={"title": {"text": "Correctness"}, "range": [-0.06, 1.06]},
    )
