"""Correctness against Relevance: every answer as a mark to be clicked, or a density where there are too many.

Pure functions from frames to figures. Answers without both scores are in no picture; the caption says how many are.
"""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from components.figures import style
from lemaj_core.types import Status

DENSE = 500
BLIND_HIGH = 0.80
BLIND_LOW = 0.50
RINGED = 400
DOT = {"size": 9, "opacity": 0.85, "line": {"width": 0.6, "color": "rgba(0,0,0,.45)"}}
RING = {"symbol": "circle-open", "size": 17, "color": style.MARKED, "line": {"width": 2.2}}


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
    if len(shown) > DENSE:
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
        right=84 if traces[0]["type"] == "heatmap" else 14,
        xaxis={"title": {"text": "Relevance"}, "range": [-0.06, 1.06], "dtick": 0.2, "showgrid": True},
        yaxis={"title": {"text": "Correctness"}, "range": [-0.06, 1.11], "dtick": 0.2},
        shapes=[corner],
        annotations=[note],
    )


def _marks(rows: pd.DataFrame, x: np.ndarray, y: np.ndarray, name: str, marker: dict[str, Any]) -> style.Trace:
    """Draw one mark per answer; its id comes first in customdata, for the page that opens it."""
    questions = [style.label(question, 70) for question in rows["question"]]
    scores = [rows["correctness"].astype(float), rows["relevance"].astype(float)]
    return {
        "type": "scatter",
        "name": style.label(name),
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
