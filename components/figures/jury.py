"""Figures of a jury: who votes like whom, who stands alone, and what each one says. Pure: frames in, figures out."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from components.figures import style
from components.palette import BLUE, GREY, TAGS, VERMILION
from lemaj_core.analysis.jury import ABSENT, UNDECIDED

NAMES = 24
LOOKS = {
    **{str(tag): (look.colour, look.pattern, f"{look.icon} {look.word}") for tag, look in TAGS.items()},
    ABSENT: (GREY, "-", "○ not there"),
    UNDECIDED: ("#5E4FA2", "+", "? undecided"),
}
"""Colour, pattern and word of each vote, in the order in which they are drawn."""


def pairs(shares: pd.DataFrame) -> go.Figure:
    """Draw on which share of the data points each two jurors vote the same; each pair once."""
    names = [style.label(name, NAMES) for name in shares.index]
    values = [
        [float(shares.iloc[row, column]) if column < row else None for column in range(len(names))]
        for row in range(len(names))
    ]
    words = [["" if value is None or pd.isna(value) else f"{value:.0%}" for value in row] for row in values]
    trace = {
        "type": "heatmap",
        "z": values,
        "x": names,
        "y": names,
        "text": words,
        "texttemplate": "%{text}",
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, "rgba(86, 180, 233, 0.08)"], [1, BLUE]],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "hovertemplate": "%{y}<br>%{x}<br>same vote: %{text}<extra></extra>",
    }
    return style.figure(
        [trace],
        "Same vote, two by two",
        height=130 + 44 * len(names),
        left=style.label_room(names),
        bottom=60,
        yaxis={"autorange": "reversed", "showgrid": False},
        xaxis={"showgrid": False},
    )


def lonely(counts: pd.DataFrame) -> go.Figure:
    """Draw on which share of its votes each juror was alone against all the others."""
    title = "Alone against all the others"
    told = counts[counts["votes"] > 0]
    if told.empty:
        return style.empty(title, "no juror voted")
    names = [style.label(name, NAMES) for name in told["juror"]]
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": told["share"].tolist(),
        "y": names,
        "marker": {"color": VERMILION, "pattern": {"shape": "/"}},
        "text": [f"{alone:,} of {votes:,}" for alone, votes in zip(told["alone"], told["votes"], strict=True)],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": "%{y}: %{x:.1%}<extra></extra>",
    }
    return style.figure(
        [trace],
        title,
        height=110 + 44 * len(names),
        left=style.label_room(names),
        right=80,
        bottom=50,
        yaxis={"autorange": "reversed"},
        xaxis={"tickformat": ".0%", "range": [0, max(0.05, 1.3 * float(told["share"].max()))]},
        showlegend=False,
    )


def votes(laid: pd.DataFrame, jurors: Sequence[str]) -> go.Figure:
    """Draw how often each juror gives each vote, and what carried in the end."""
    columns = {style.label(name, NAMES): laid[name].dropna() for name in jurors} | {"the jury": laid["tag"]}
    shares = {name: column.value_counts(normalize=True) for name, column in columns.items()}
    rows = [f"{name}, n = {len(column):,}" for name, column in columns.items()]
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": word,
            "x": [float(share.get(vote, 0.0)) for share in shares.values()],
            "y": rows,
            "marker": {"color": colour, "pattern": {"shape": pattern, "fgopacity": 0.5}},
            "hovertemplate": "%{y}: %{x:.1%}<extra>" + word + "</extra>",
        }
        for vote, (colour, pattern, word) in LOOKS.items()
        if any(share.get(vote, 0.0) for share in shares.values())
    ]
    return style.figure(
        traces,
        "What each juror says",
        height=130 + 40 * len(rows),
        left=style.label_room(rows),
        barmode="stack",
        yaxis={"autorange": "reversed"},
        xaxis={"tickformat": ".0%", "range": [0, 1]},
    )
