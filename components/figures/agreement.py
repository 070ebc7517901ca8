"""Figures of agreement: judge against expert beside the published rows, tags against tags, differences, raters.

Every figure carries n and intervals. Published figures are hollow and named as published: they are about other answers.
"""

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from components.figures import style
from components.palette import BLUE, TAGS, VERMILION
from lemaj_core.analysis.agreement import Bias, ScoreAgreement
from lemaj_core.metrics.agreement import Correlation
from lemaj_core.metrics.published import ROWS
from lemaj_core.metrics.raters import Agreement
from lemaj_core.metrics.table import METRICS
from lemaj_core.types import Tag

OURS = {"correctness": style.CORRECTNESS, "relevance": style.RELEVANCE}
HOLLOW = {"own": "circle-open", "legalbench": "diamond-open"}
PLACES = {"own": "paper: own", "legalbench": "paper: LegalBench"}


def correlations(found: ScoreAgreement, baselines: Mapping[str, Correlation] | None = None) -> go.Figure:
    """Draw Pearson and Spearman of one score with their intervals, above the published correlations of all methods.

    The thick interval is Fisher's z; the thin one draws whole documents again, because answers about one contract are
    not independent. ``baselines`` of the same run, correlated with the same expert, stand below the judge.
    """
    label = METRICS[found.score].label
    rows = [
        ("Pearson", found.pearson.value, found.pearson.low, found.pearson.high),
        ("Pearson, by document", found.pearson.value, *found.by_document),
        ("Spearman", found.spearman.value, found.spearman.low, found.spearman.high),
    ]
    if found.pearson.value is None:
        return style.empty(f"{label}: correlation with the expert", found.pearson.reason or "undefined")
    ours = [(f"{name}, n = {found.n:,}", value, low, high) for name, value, low, high in rows if value is not None]
    ours += [
        (f"{METRICS[key].label}, n = {one.n:,}", one.value, one.low, one.high)
        for key, one in (baselines or {}).items()
        if one.value is not None
    ]
    return _dots(found.score, ours, "r", f"{label}: correlation with the expert", "correlation", [-0.35, 1.02])


def accuracies(found: ScoreAgreement) -> go.Figure:
    """Draw bucketed accuracy with its exact interval and what always guessing the commonest bucket would reach."""
    label = METRICS[found.score].label
    title = f"{label}: same bucket as the expert"
    if found.accuracy.value is None:
        return style.empty(title, found.accuracy.reason or "undefined")
    ours = [
        (f"This judge, n = {found.n:,}", found.accuracy.value, *found.accuracy_interval),
        ("Always the commonest bucket", found.commonest.value, None, None),
    ]
    return _dots(found.score, ours, "accuracy", title, "bucketed accuracy", [-0.02, 1.02])


def _dots(score: str, ours: Sequence[tuple], kind: str, title: str, axis: str, bounds: list[float]) -> go.Figure:
    published = [
        row
        for row in ROWS
        if row.score == score and any(getattr(row, f"{kind}_{place}") is not None for place in PLACES)
    ]
    names = [row[0] for row in ours] + [f"{row.method} (published)" for row in published]
    filled: style.Trace = {
        "type": "scatter",
        "name": "this run",
        "mode": "markers",
        "x": [row[1] for row in ours],
        "y": list(range(len(ours))),
        "marker": {"size": 11, "color": OURS[score], "symbol": "square"},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [0 if row[3] is None else row[3] - row[1] for row in ours],
            "arrayminus": [0 if row[2] is None else row[1] - row[2] for row in ours],
            "thickness": 2,
            "width": 5,
        },
        "customdata": [
            "no interval" if row[2] is None else f"95 % interval [{row[2]:.2f}, {row[3]:.2f}]" for row in ours
        ],
        "hovertemplate": "%{x:.3f}, %{customdata}<extra></extra>",
    }
    traces = [filled]
    for place, symbol in HOLLOW.items():
        values = [getattr(row, f"{kind}_{place}") for row in published]
        known = [(len(ours) + spot, value) for spot, value in enumerate(values) if value is not None]
        traces.append(
            {
                "type": "scatter",
                "name": PLACES[place],
                "mode": "markers",
                "x": [value for _, value in known],
                "y": [spot for spot, _ in known],
                "marker": {"size": 10, "color": style.MUTED, "symbol": symbol, "line": {"width": 2}},
                "hovertemplate": f"%{{x:.3f}}, {PLACES[place]}<extra></extra>",
            }
        )
    return style.figure(
        traces,
        title,
        height=150 + 30 * len(names),
        left=style.label_room(names),
        bottom=88,
        xaxis={"title": {"text": axis}, "range": bounds, "showgrid": True, "zeroline": True},
        yaxis={"tickvals": list(range(len(names))), "ticktext": names, "range": [len(names) - 0.5, -0.5]},
    )


def confusion(table: pd.DataFrame) -> go.Figure:
    """Draw points by the expert's tag and the judge's: number in the cell, shade by the share of the expert's row."""
    title = "The expert's tag against the judge's"
    if not table.to_numpy().sum():
        return style.empty(title, "No answer has data points of both")
    names = [_tag_name(name) for name in table.columns]
    share = 100 * table.div(table.sum(axis=1).replace(0, 1), axis=0)
    numbers = table.to_numpy()
    heat: style.Trace = {
        "type": "heatmap",
        "x": names,
        "y": names,
        "z": share.to_numpy(),
        "zmin": 0,
        "zmax": 100,
        "colorscale": [[0, "rgba(0,114,178,0.04)"], [1, "rgba(0,114,178,1)"]],
        "xgap": 2,
        "ygap": 2,
        "showscale": False,
        "hoverinfo": "skip",
    }
    spots = [(row, column) for row in range(len(names)) for column in range(len(names))]
    shares = share.to_numpy()

    def cells(chosen: list[tuple[int, int]], font: dict) -> style.Trace:
        return {
            "type": "scatter",
            "mode": "markers+text",
            "x": [names[column] for _, column in chosen],
            "y": [names[row] for row, _ in chosen],
            "text": [f"{numbers[row, column]:,}" if numbers[row, column] else "" for row, column in chosen],
            "textfont": {"size": 13} | font,
            "marker": {"size": 34, "opacity": 0, "symbol": "square", "color": BLUE},
            "unselected": {"marker": {"opacity": 0}},
            "customdata": [
                [str(table.index[row]), str(table.columns[column]), float(shares[row, column])]
                for row, column in chosen
            ],
            "hovertemplate": "expert: %{y}<br>judge: %{x}<br>%{text} points, %{customdata[2]:.0f} % of the expert's"
            "<extra></extra>",
        }

    # white on deep cells; on pale ones the colour of the theme, which is dark or light
    deep = [spot for spot in spots if shares[spot] > 45]
    pale = [spot for spot in spots if shares[spot] <= 45]
    return style.figure(
        [heat, cells(deep, {"color": "#fff"}), cells(pale, {})],
        title,
        height=400,
        left=118,
        bottom=64,
        xaxis={"title": {"text": "judge"}, "showgrid": False},
        yaxis={"title": {"text": "expert"}, "autorange": "reversed", "showgrid": False},
        showlegend=False,
    )


def bland_altman(frame: pd.DataFrame, found: Bias, score: str) -> go.Figure:
    """Draw the difference (judge minus expert) of each answer against the mean of both, with bias and limits."""
    title = f"{METRICS[score].label}: judge minus expert"
    if frame.empty or found.mean is None:
        return style.empty(title, "No answer has both scores")
    grouped = frame.groupby(["mean", "difference"]).agg(n=("item_id", "size"), one=("question", "first")).reset_index()
    dots: style.Trace = {
        "type": "scatter",
        "mode": "markers",
        "x": grouped["mean"],
        "y": grouped["difference"],
        "marker": {"size": 6 + 3 * grouped["n"].clip(upper=25) ** 0.5, "color": OURS[score], "opacity": 0.65},
        "text": [f"{n:,} answers" if n > 1 else style.label(one, 60)
                 for n, one in zip(grouped["n"], grouped["one"], strict=True)],
        "hovertemplate": "mean %{x:.2f}, difference %{y:.2f}<br>%{text}<extra></extra>",
    }  # fmt: skip
    lines = [("bias", found.mean, "solid"), ("+1.96 s", found.limit_high, "dash"), ("−1.96 s", found.limit_low, "dash")]
    shapes, notes = [], []
    for name, value, dash in lines:
        if value is None:
            continue
        shapes.append(
            {
                "type": "line", "x0": 0, "x1": 1, "xref": "x domain", "y0": value, "y1": value,
                "line": {"color": VERMILION, "width": 1.5, "dash": dash},
            }
        )  # fmt: skip
        notes.append(
            {
                "x": 0.01, "xref": "x domain", "y": value, "text": f"{name} {value:+.2f}", "showarrow": False,
                "xanchor": "left", "yanchor": "bottom", "font": {"size": 11},
            }
        )  # fmt: skip
    return style.figure(
        [dots],
        f"{title}, n = {len(frame):,}",
        height=330,
        bottom=58,
        xaxis={"title": {"text": "mean of judge and expert"}, "range": [-0.04, 1.04]},
        yaxis={"title": {"text": "judge − expert"}, "range": [-1.08, 1.08], "zeroline": True},
        shapes=shapes,
        annotations=notes,
        showlegend=False,
    )


def kinds(errors: pd.DataFrame) -> go.Figure:
    """Draw how often each kind of error occurs, commonest first."""
    title = "Where judge and expert differ"
    if errors.empty:
        return style.empty(title, "They agree on every point")
    names = list(errors["kind"])
    bars: style.Trace = {
        "type": "bar",
        "orientation": "h",
        "x": errors["points"],
        "y": names,
        "text": errors["points"],
        "textposition": "outside",
        "cliponaxis": False,
        "customdata": errors["answers"],
        "marker": {"color": BLUE},
        "hovertemplate": "%{y}: %{x:,} points in %{customdata:,} answers<extra></extra>",
    }
    return style.figure(
        [bars],
        title,
        height=110 + 30 * len(names),
        left=style.label_room(names),
        right=44,
        bottom=54,
        xaxis={"title": {"text": "data points"}},
        yaxis={"autorange": "reversed"},
        bargap=0.35,
    )


def raters(found: dict[str, list[Agreement]]) -> go.Figure:
    """Draw each named statistic of agreement among experts with its interval, by tag and by score."""
    title = "Each statistic by its name, with its 95 % interval"
    colours = {"tag": BLUE, **OURS}
    symbols = {"tag": "circle", "correctness": "square", "relevance": "diamond"}
    names = [one.name for one in next(iter(found.values()), [])]
    traces: list[style.Trace] = []
    for place, (key, values) in enumerate(found.items()):
        known = [(spot, one) for spot, one in enumerate(values) if one.value is not None]
        if not known:
            continue
        traces.append(
            {
                "type": "scatter",
                "name": f"{key}, n = {known[0][1].n:,}",
                "mode": "markers",
                "x": [one.value for _, one in known],
                "y": [spot + 0.24 * (place - 1) for spot, _ in known],
                "marker": {"size": 9, "color": colours[key], "symbol": symbols[key]},
                "error_x": {
                    "type": "data", "symmetric": False, "thickness": 1.6, "width": 4,
                    "array": [_reach(one.value, one.high) for _, one in known],
                    "arrayminus": [_reach(one.value, one.low) for _, one in known],
                },
                "hovertemplate": f"{key}: %{{x:.3f}}<extra></extra>",
            }
        )  # fmt: skip
    if not traces:
        return style.empty(title, "Too few answers were labelled by two experts")
    return style.figure(
        traces,
        title,
        height=130 + 46 * len(names),
        left=style.label_room(names),
        bottom=88,
        xaxis={"title": {"text": "agreement, 95 % interval"}, "range": [-0.25, 1.02], "zeroline": True},
        yaxis={"tickvals": list(range(len(names))), "ticktext": names, "range": [len(names) - 0.5, -0.5]},
    )


def _reach(value: float | None, end: float | None) -> float:
    return 0.0 if value is None or end is None else abs(end - value)


def _tag_name(name: str) -> str:
    return f"{TAGS[Tag(name)].icon} {name}" if name in set(map(str, Tag)) else f"– {name}"
