"""Figures of specificity: answers by dimension, and models compared.

A cell's colour is the share of yes, the area of its square the number of claims that state something, and the empty
square around it all claims: 1 of 1 does not look like 40 of 40. No number is computed here but sizes and places.
"""

import html
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from components.figures import style
from components.figures.specificity_claims import rule, wrapped
from components.palette import GREEN, GREY, SERIES, VERMILION
from lemaj_core.analysis.specificity import SPLIT, STATED, YES

SCALE = [[0.0, VERMILION], [0.5, "#E3C26B"], [1.0, GREEN]]
_LARGEST = 25
_ROW = 62
_DOWN = 0.13  # cells stand below the line with the question


def answer_cells(answers: pd.DataFrame, names: Sequence[str], *, whole: pd.DataFrame, chosen: str = "") -> go.Figure:
    """Draw answers by dimension.

    Parameters
    ----------
    answers : pandas.DataFrame
        Rows to draw, as ``analysis.specificity.table`` gives them, with ``question`` and ``model``.
    names : sequence of str
        Dimensions, from left to right.
    whole : pandas.DataFrame
        All answers that pass the filters: the head of each column counts them.
    chosen : str
        The answer that is open below; its name is bold.

    Returns
    -------
    plotly.graph_objects.Figure
        One row per answer. Every mark's customdata are its answer and dimension, for clicks.
    """
    title = "What answers state, and how much of it is borne out"
    if answers.empty:
        return style.empty(title, "No answer was examined")
    most = max(6, int(answers["claims"].max()))
    rows = list(range(len(answers)))
    cells = [(place, number, row) for place, row in enumerate(answers.to_dict("records")) for number in
             range(len(names))]  # fmt: skip
    data = [[row["item_id"], names[number]] for _, number, row in cells]
    hover = [_cell_words(row, names[number]) for _, number, row in cells]
    shares = [row[YES + names[n]] / row[STATED + names[n]] if row[STATED + names[n]] else None for _, n, row in cells]
    base: style.Trace = {"type": "scatter", "customdata": data, "hovertext": hover, "hoverinfo": "text",
                         "x": [number - 0.2 for _, number, _ in cells],
                         "y": [place + _DOWN for place, _, _ in cells]}  # fmt: skip
    outline = base | {
        "mode": "markers",
        "name": "all claims",
        "marker": {
            "symbol": "square-open",
            "size": [_side(row["claims"], most) for _, _, row in cells],
            "color": GREY,
            "line": {"width": 1},
        },
    }
    filled = base | {
        "mode": "markers",
        "name": "those that state it",
        "marker": {
            "symbol": "square",
            "size": [_side(row[STATED + names[number]], most) for _, number, row in cells],
            "color": [0.0 if share is None else share for share in shares],
            "colorscale": SCALE, "cmin": 0, "cmax": 1, "opacity": 1,
            "line": {"width": 0},
            "colorbar": {
                "title": {"text": "share of yes", "side": "top", "font": {"size": 11}}, "thickness": 9,
                "outlinewidth": 0, "tickvals": [0, 0.5, 1], "ticktext": ["0 %", "50 %", "100 %"],
                "orientation": "h", "len": 0.34, "x": 1, "xanchor": "right", "y": 0, "yanchor": "bottom",
                "yref": "container", "tickfont": {"size": 11},
            },
        },
    }  # fmt: skip
    words = base | {
        "mode": "text",
        "x": [number + 0.04 for _, number, _ in cells],
        "text": [_count(row, names[number]) for _, number, row in cells],
        "textposition": "middle right",
        "textfont": {"size": 12},
        "showlegend": False,
    }
    score = {
        "type": "scatter",
        "mode": "text",
        "x": [len(names)] * len(rows),
        "y": [place + _DOWN for place in rows],
        "text": [f"<b>{row['specificity']:.2f}</b>" if pd.notna(row["specificity"]) else "—" for row in
                 answers.to_dict("records")],
        "hovertext": [html.escape(str(row["reason"] or row["status"])) for row in answers.to_dict("records")],
        "hoverinfo": "text",
        "customdata": [[row["item_id"], names[0]] for row in answers.to_dict("records")],
        "showlegend": False,
    }  # fmt: skip
    records = answers.to_dict("records")
    above: style.Trace = {
        "type": "scatter",
        "mode": "text",
        "x": [-0.5] * len(rows),
        "y": [place - 0.33 for place in rows],
        "text": [_answer_label(row, str(row["item_id"]) == chosen) for row in records],
        "textposition": "middle right",
        "textfont": {"size": 12},
        "hovertext": [style.label(row["question"], 160) for row in records],
        "hoverinfo": "text",
        "customdata": [[row["item_id"], names[0]] for row in records],
        "showlegend": False,
    }
    return style.figure(
        [outline, filled, words, score, above],
        title,
        height=150 + _ROW * len(rows),
        top=94,
        bottom=56,
        left=8,
        right=8,
        shapes=[rule(place - 0.5) for place in rows],
        xaxis={
            "side": "top", "showgrid": False, "fixedrange": True, "range": [-0.55, len(names) + 0.45],
            "tickangle": 0, "tickfont": {"size": 11},
            "tickvals": list(range(len(names) + 1)),
            "ticktext": [*(_head(whole, name) for name in names), "<b>score</b>"],
        },
        yaxis={"showticklabels": False, "range": [len(rows) - 0.5, -0.5], "showgrid": False, "fixedrange": True},
        legend=style.LEGEND | {"itemclick": False, "itemdoubleclick": False},
        clickmode="event+select",
    )  # fmt: skip


def profiles(table: pd.DataFrame, colours: Mapping[str, str]) -> go.Figure:
    """Draw the mean share of yes per dimension and model, with its 95 % interval.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``analysis.specificity.profile`` gives it.
    colours : mapping
        Colour of each model.
    """
    title = "Share of yes by dimension and model"
    known = table[table["mean"].notna()]
    if known.empty:
        return style.empty(title, "No dimension is stated yet")
    names = list(dict.fromkeys(table["dimension"]))
    models = list(dict.fromkeys(known["model"]))
    traces: list[style.Trace] = []
    for number, model in enumerate(models):
        part = known[known["model"] == model]
        middle = part["mean"].astype(float)
        low, high = part["low"].astype(float).fillna(middle), part["high"].astype(float).fillna(middle)
        offset = (number - (len(models) - 1) / 2) * min(0.22, 0.7 / len(models))
        counts = part[["answers", "yes", "stated"]].to_numpy()
        traces.append(
            {
                "type": "scatter", "mode": "markers+text", "name": style.label(model, 28),
                "x": middle, "y": [names.index(name) + offset for name in part["dimension"]],
                "marker": {"size": 10, "color": colours.get(model, SERIES[number % len(SERIES)])},
                "error_x": {"type": "data", "symmetric": False, "array": high - middle, "arrayminus": middle - low,
                            "thickness": 1.6, "width": 4},
                "customdata": [[*count, a, b] for count, a, b in zip(counts, low, high, strict=True)],
                "hovertemplate": "%{x:.2f} [%{customdata[3]:.2f}, %{customdata[4]:.2f}], n = %{customdata[0]:,} answers"
                "<br>%{customdata[1]:,} yes of %{customdata[2]:,} claims that state it<extra>"
                f"{style.label(model, 28)}</extra>",
            }
        )  # fmt: skip
        traces.append(
            {
                "type": "scatter", "mode": "text", "x": [1.03] * len(part),
                "y": [names.index(name) + offset for name in part["dimension"]],
                "text": [f"n = {count:,}" for count in part["answers"]], "textposition": "middle right",
                "textfont": {"size": 11}, "hoverinfo": "skip", "showlegend": False,
            }
        )  # fmt: skip
    ticks = [style.label(name) for name in names]
    return style.figure(
        traces,
        title,
        height=130 + max(46, 26 * len(models)) * len(names),
        left=style.label_room(ticks),
        bottom=88,
        xaxis={
            "title": {"text": "mean share of yes over answers, 95 % interval"}, "range": [-0.02, 1.16],
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
        },
        yaxis={"tickvals": list(range(len(names))), "ticktext": ticks, "range": [len(names) - 0.5, -0.5],
               "showgrid": False},
    )  # fmt: skip


def _side(count: int, most: int) -> float:
    """Side of a square whose area is to the count as the largest square's to the greatest count."""
    return 0.0 if count <= 0 else _LARGEST * float(count / most) ** 0.5


def _count(row: Mapping[str, Any], name: str) -> str:
    stated = int(row[STATED + name])
    return f"{int(row[YES + name])}/{stated}" if stated else "n/a"


def _cell_words(row: Mapping[str, Any], name: str) -> str:
    stated, claims = int(row[STATED + name]), int(row["claims"])
    split = int(row[SPLIT + name])
    said = f"yes {int(row[YES + name])} of {stated} claims that state it" if stated else "not stated by any claim (n/a)"
    return (
        f"{style.label(row['question'], 70)}<br><b>{style.label(name)}</b>: {said}"
        f"<br>n/a {claims - stated} of {claims} claims" + (f"<br>judges disagree on {split}" if split else "")
    )


def _head(whole: pd.DataFrame, name: str) -> str:
    yes, stated = int(whole[YES + name].sum()), int(whole[STATED + name].sum())
    share = f"{100 * yes / stated:.0f} % of {stated:,}" if stated else "not stated"
    return f"<b>{wrapped(name)}</b><br>{share}"


def _answer_label(row: Mapping[str, Any], bold: bool) -> str:
    text, model = style.label(row["question"], 52), row.get("model")
    under = f" · {style.label(model, 20)}" if pd.notna(model) else ""
    return f"<b>{text}</b>{under}" if bold else f"{text}{under}"
