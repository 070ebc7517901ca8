"""Figures of the Triage page: time saved over all thresholds, the risk beside it, and both thresholds at once.

Pure functions from the frames of ``lemaj_core.analysis.triage`` to figures; they decide nothing themselves.
"""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from components.figures import style

# LeMAJ: Correctness 1 and Relevance .80 on the authors' own contracts, .85 on LegalBench.
PAPER = ((0.80, "own contracts"), (0.85, "LegalBench"))


def time_saved(
    by_relevance: pd.DataFrame, by_correctness: pd.DataFrame, *, correctness: float, relevance: float
) -> go.Figure:
    """Draw time saved for every threshold of one score while the other stays where the reader put it.

    Parameters
    ----------
    by_relevance, by_correctness : pandas.DataFrame
        Columns threshold, time_saved, cleared, as ``analysis.triage.curve`` gives them.
    correctness, relevance : float
        The thresholds chosen; each curve has a mark there.

    Returns
    -------
    plotly.graph_objects.Figure
        Two curves (y in percent of review minutes), two marks, and the paper's two Relevance thresholds as lines.
    """
    traces: list[style.Trace] = []
    for name, table, at, held, colour, dash, symbol in (
        ("Relevance", by_relevance, relevance, f"Correctness ≥ {correctness:g}", style.RELEVANCE, "solid", "diamond"),
        ("Correctness", by_correctness, correctness, f"Relevance ≥ {relevance:g}", style.CORRECTNESS, "dash", "circle"),
    ):
        here = table.iloc[int(np.searchsorted(table["threshold"].to_numpy(), at - 1e-9))]
        traces += [
            {
                "type": "scatter",
                "name": f"{name} varies, {held}",
                "x": table["threshold"],
                "y": 100 * table["time_saved"],
                "mode": "lines",
                "line": {"color": colour, "width": 2.4, "dash": dash, "shape": "vh"},
                "customdata": table["cleared"],
                "hovertemplate": f"{name} ≥ %{{x:.2f}}: %{{y:.1f}} %, %{{customdata:,}} answers<extra></extra>",
            },
            {
                "type": "scatter",
                "x": [at],
                "y": [100 * here["time_saved"]],
                "mode": "markers",
                "marker": {"symbol": symbol, "size": 12, "color": colour, "line": {"width": 1.5, "color": "#fff"}},
                "hovertemplate": f"now: {name} ≥ %{{x:.2f}}, %{{y:.1f}} %<extra></extra>",
                "showlegend": False,
                "cliponaxis": False,
            },
        ]
    words = "Relevance in the paper: " + ", ".join(f"{threshold:.2f} {name}" for threshold, name in PAPER)
    return style.figure(
        traces,
        "Review time saved at every threshold",
        height=420,
        top=62,
        bottom=100,
        xaxis={"title": {"text": "threshold"}, "range": [-0.01, 1.01]},
        yaxis={"title": {"text": "review time saved, %"}, "rangemode": "tozero"},
        shapes=[style.vertical(threshold, color=style.MUTED, width=1, dash="dot") for threshold, _ in PAPER],
        annotations=[style.note_above(PAPER[-1][0], words, "right")],
    )


def risk(by_relevance: pd.DataFrame, *, relevance: float) -> go.Figure:
    """Draw the share of defects among cleared answers, as seen and as bounded, for every Relevance threshold.

    Parameters
    ----------
    by_relevance : pandas.DataFrame
        Columns threshold, defects, labelled, bound; rows without a labelled cleared answer are left out.
    relevance : float
        The threshold chosen, drawn as a line.
    """
    title = "Defects among cleared answers, by Relevance threshold"
    known = by_relevance[by_relevance["labelled"] > 0]
    if known.empty:
        return style.empty(title, "No cleared answer has an expert's score")
    counts = np.stack([known["defects"], known["labelled"]], axis=-1)
    bound = {
        "type": "scatter",
        "name": "upper bound, one-sided 95 %",
        "x": known["threshold"],
        "y": 100 * known["bound"],
        "mode": "lines",
        "line": {"color": style.MARKED, "width": 2.2, "dash": "dash", "shape": "vh"},
        "customdata": counts,
        "hovertemplate": "Relevance ≥ %{x:.2f}: at most %{y:.1f} %<extra></extra>",
    }
    seen = {
        "type": "scatter",
        "name": "seen by experts",
        "x": known["threshold"],
        "y": 100 * known["defects"] / known["labelled"],
        "mode": "lines",
        "line": {"color": style.MUTED, "width": 2.2, "shape": "vh"},
        "customdata": counts,
        "hovertemplate": "%{customdata[0]:,} of %{customdata[1]:,} scored: %{y:.1f} %<extra></extra>",
    }
    return style.figure(
        [bound, seen],
        title,
        height=310,
        top=56,
        xaxis={"title": {"text": "Relevance threshold"}, "range": [-0.01, 1.01]},
        yaxis={"title": {"text": "defective, % of cleared"}, "rangemode": "tozero"},
        shapes=[style.vertical(relevance, color=style.RELEVANCE, width=1.4)],
        annotations=[style.note_above(relevance, "chosen")],
    )


def both_thresholds(grid: pd.DataFrame, *, correctness: float, relevance: float) -> go.Figure:
    """Draw time saved for every pair of thresholds, with a cross at the chosen pair.

    Parameters
    ----------
    grid : pandas.DataFrame
        Columns correctness, relevance, cleared_share, time_saved, as ``analysis.triage.grid`` gives them.
    correctness, relevance : float
        The thresholds chosen.
    """
    saved = grid.pivot(index="correctness", columns="relevance", values="time_saved")
    share = grid.pivot(index="correctness", columns="relevance", values="cleared_share")
    heat = {
        "type": "heatmap",
        "x": saved.columns.to_numpy(),
        "y": saved.index.to_numpy(),
        "z": 100 * saved.to_numpy(),
        # from 0, so that a grid of equal values keeps a readable scale
        "zmin": 0,
        "zmax": max(1.0, float(100 * saved.max(axis=None))),
        "customdata": 100 * share.to_numpy(),
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "Relevance ≥ %{x:.2f}, Correctness ≥ %{y:.2f}<br>%{z:.1f} % of time saved, "
        "%{customdata:.1f} % of answers cleared<extra></extra>",
        "colorbar": {"title": {"text": "time saved, %", "side": "right"}, "thickness": 12, "outlinewidth": 0},
    }
    cross = {
        "type": "scatter",
        "x": [relevance],
        "y": [correctness],
        "mode": "markers",
        "marker": {"symbol": "x-thin", "size": 13, "line": {"width": 3, "color": style.MARKED}},
        "hovertemplate": "chosen thresholds<extra></extra>",
        "showlegend": False,
    }
    plain = {"dtick": 0.2, "showgrid": False}
    return style.figure(
        [heat, cross],
        "Time saved for both thresholds",
        height=420,
        right=84,
        bottom=58,
        xaxis=plain | {"title": {"text": "Relevance threshold"}},
        yaxis=plain | {"title": {"text": "Correctness threshold"}},
    )
