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
    figure = go.Figure()
    for name, table, at, held, colour, dash, symbol in (
        ("Relevance", by_relevance, relevance, f"Correctness ≥ {correctness:g}", style.RELEVANCE, "solid", "diamond"),
        ("Correctness", by_correctness, correctness, f"Relevance ≥ {relevance:g}", style.CORRECTNESS, "dash", "circle"),
    ):
        figure.add_scatter(
            name=f"{name} varies, {held}",
            x=table["threshold"],
            y=100 * table["time_saved"],
            mode="lines",
            line={"color": colour, "width": 2.4, "dash": dash, "shape": "vh"},
            customdata=table["cleared"],
            hovertemplate=f"{name} ≥ %{{x:.2f}}: %{{y:.1f}} %, %{{customdata:,}} answers<extra></extra>",
        )
        here = table.iloc[int(np.searchsorted(table["threshold"].to_numpy(), at - 1e-9))]
        figure.add_scatter(
            x=[at],
            y=[100 * here["time_saved"]],
            mode="markers",
            marker={"symbol": symbol, "size": 12, "color": colour, "line": {"width": 2, "color": "rgba(0,0,0,.55)"}},
            hovertemplate=f"now: {name} ≥ %{{x:.2f}}, %{{y:.1f}} %<extra></extra>",
            showlegend=False,
        )
    for threshold, _ in PAPER:
        figure.add_vline(x=threshold, line={"color": style.MUTED, "width": 1, "dash": "dot"})
    figure.add_annotation(
        x=PAPER[-1][0],
        y=1,
        yref="paper",
        text="Relevance in the paper: " + ", ".join(f"{threshold:.2f} {words}" for threshold, words in PAPER),
        showarrow=False,
        xanchor="right",
        yanchor="bottom",
        font={"size": 11},
    )
    figure.update_xaxes(title="threshold", range=[-0.01, 1.01], zeroline=False)
    figure.update_yaxes(title="review time saved, %", rangemode="tozero", zeroline=False)
    return style.laid_out(
        figure, "Review time saved at every threshold", height=420, margin={"l": 8, "r": 12, "t": 62, "b": 8}
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
    seen = 100 * known["defects"] / known["labelled"]
    bound = 100 * known["bound"]
    counts = np.stack([known["defects"], known["labelled"]], axis=-1)
    figure = go.Figure()
    figure.add_scatter(
        name="upper bound, one-sided 95 %",
        x=known["threshold"],
        y=bound,
        mode="lines",
        line={"color": style.MARKED, "width": 2.2, "dash": "dash", "shape": "vh"},
        customdata=counts,
        hovertemplate="Relevance ≥ %{x:.2f}: at most %{y:.1f} %<extra></extra>",
    )
    figure.add_scatter(
        name="seen by experts",
        x=known["threshold"],
        y=seen,
        mode="lines",
        line={"color": style.MUTED, "width": 2.2, "shape": "vh"},
        customdata=counts,
        hovertemplate="%{customdata[0]:,} of %{customdata[1]:,} scored: %{y:.1f} %<extra></extra>",
    )
    figure.add_vline(x=relevance, line={"color": style.RELEVANCE, "width": 1.4})
    figure.add_annotation(
        x=relevance, y=1, yref="paper", text="chosen", showarrow=False, xanchor="center", yanchor="bottom"
    )
    figure.update_xaxes(title="Relevance threshold", range=[-0.01, 1.01], zeroline=False)
    figure.update_yaxes(title="defective, % of cleared", rangemode="tozero", zeroline=False)
    return style.laid_out(figure, title, height=310, margin={"l": 8, "r": 12, "t": 56, "b": 8})


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
    figure = go.Figure()
    figure.add_heatmap(
        x=saved.columns.to_numpy(),
        y=saved.index.to_numpy(),
        z=100 * saved.to_numpy(),
        customdata=100 * share.to_numpy(),
        xgap=1,
        ygap=1,
        hovertemplate="Relevance ≥ %{x:.2f}, Correctness ≥ %{y:.2f}<br>%{z:.1f} % of time saved, "
        "%{customdata:.1f} % of answers cleared<extra></extra>",
        colorbar={"title": {"text": "time saved, %", "side": "right"}, "thickness": 12, "outlinewidth": 0},
    )
    figure.add_scatter(
        x=[relevance],
        y=[correctness],
        mode="markers",
        marker={"symbol": "x-thin", "size": 13, "line": {"width": 3, "color": style.MARKED}},
        hovertemplate="chosen thresholds<extra></extra>",
        showlegend=False,
    )
    figure.update_xaxes(title="Relevance threshold", zeroline=False, dtick=0.2, showgrid=False)
    figure.update_yaxes(title="Correctness threshold", zeroline=False, dtick=0.2, showgrid=False)
    return style.laid_out(figure, "Time saved for both thresholds", height=420)
