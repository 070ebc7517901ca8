"""Figure of one answer's specificity: claims by dimension, with every judge's vote.

Colour, sign and word of a cell are those of the majority; the marks below them are the single votes, so that a
disagreement is seen. Text of claims stands in labels only after escaping.
"""

import html
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from components.figures import style
from components.palette import GREEN, GREY, VERMILION
from lemaj_core.metrics.specificity import Label, majority

LOOK: dict[Label, tuple[str, str, str]] = {
    Label.YES: ("✔", GREEN, "yes"),
    Label.NO: ("✖", VERMILION, "no"),
    Label.NA: ("—", GREY, "n/a"),
}
"""Sign, colour and word of a label."""


_TOP, _BOTTOM = 0.18, 0.44  # a cell stands below the line with its claim
_LINE = 72


def claim_cells(detail: Mapping[str, Any], *, chosen: tuple[int, str] | None = None) -> go.Figure:
    """Draw the claims of one answer by dimension: sign, word and colour of the majority, and each judge's vote below.

    Parameters
    ----------
    detail : mapping
        What was found out about the answer.
    chosen : (int, str), optional
        Number of the claim from 0, and dimension, whose votes are shown beside; framed.

    Returns
    -------
    plotly.graph_objects.Figure
        Every mark's customdata are claim (from 0) and dimension.
    """
    names, claims, judges = list(detail["dimensions"]), detail["claims"], detail["judges"]
    cells = [(row, column) for row in range(len(claims)) for column in range(len(names))]
    cast = [claims[row]["cells"].get(names[column]) for row, column in cells]
    verdicts = [Label.NA if votes is None else majority([vote["label"] for vote in votes]) for votes in cast]
    data = [[row, names[column]] for row, column in cells]
    shapes = [
        {
            "type": "rect", "x0": column - 0.46, "x1": column + 0.46, "y0": row - _TOP, "y1": row + _BOTTOM,
            "fillcolor": LOOK[label][1], "opacity": 0.1 if label is Label.NA and votes is None else 0.24,
            "line": {"width": 0}, "layer": "below",
        }
        for (row, column), label, votes in zip(cells, verdicts, cast, strict=True)
    ]  # fmt: skip
    if chosen is not None and chosen[1] in names:
        row, column = chosen[0], names.index(chosen[1])
        shapes.append(
            {"type": "rect", "x0": column - 0.46, "x1": column + 0.46, "y0": row - _TOP, "y1": row + _BOTTOM,
             "line": {"width": 2, "color": "#5B8FD6"}}
        )  # fmt: skip
    labels: style.Trace = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [column for _, column in cells],
        "y": [row + 0.03 for row, _ in cells],
        "text": [_said(label, votes) for label, votes in zip(verdicts, cast, strict=True)],
        "textfont": {"size": 12},
        # Invisible, and as large as the cell: what a click meets.
        "marker": {"size": 34, "symbol": "square", "opacity": 0, "color": GREY},
        "customdata": data,
        "hovertext": [_votes_words(names[column], judges, votes) for (_, column), votes in zip(cells, cast,
                      strict=True)],
        "hoverinfo": "text",
        "selected": {"marker": {"opacity": 0}}, "unselected": {"marker": {"opacity": 0}, "textfont": {}},
        "showlegend": False,
    }  # fmt: skip
    marks: list[style.Trace] = []
    for label in Label:
        sign, colour, word = LOOK[label]
        places = [
            (column + 0.16 * (number - (len(votes) - 1) / 2) * min(1.0, 4 / len(votes)), row + 0.29)
            for (row, column), votes in zip(cells, cast, strict=True)
            if votes is not None
            for number, vote in enumerate(votes)
            if Label(vote["label"]) is label
        ]
        marks.append(
            {
                "type": "scatter", "mode": "markers", "name": f"{sign} {word}",
                "x": [x for x, _ in places] or [None], "y": [y for _, y in places] or [None],
                "marker": {"symbol": {"yes": "circle", "no": "x", "n/a": "line-ew-open"}[word], "size": 8,
                           "color": colour, "line": {"width": 2 if word == "n/a" else 0, "color": colour}},
                "hoverinfo": "skip",
            }
        )  # fmt: skip
    above: style.Trace = {
        "type": "scatter", "mode": "text", "x": [-0.47] * len(claims), "y": [row - 0.33 for row in range(len(claims))],
        "text": [style.label(f"{number}. {claim['text']}", _LINE) for number, claim in enumerate(claims, start=1)],
        "hovertext": ["<br>".join(html.escape(line, quote=False) for line in textwrap.wrap(claim["text"], 90)[:12])
                      for claim in claims],
        "textposition": "middle right", "textfont": {"size": 12}, "hoverinfo": "text", "showlegend": False,
    }  # fmt: skip
    return style.figure(
        [labels, *marks, above],
        "Claims of this answer by dimension",
        height=112 + 76 * len(claims),
        top=72,
        bottom=38,
        left=8,
        right=8,
        xaxis={
            "side": "top", "showgrid": False, "fixedrange": True, "range": [-0.5, len(names) - 0.5],
            "tickangle": 0, "tickfont": {"size": 11},
            "tickvals": list(range(len(names))), "ticktext": [wrapped(name) for name in names],
        },
        yaxis={"showticklabels": False, "range": [len(claims) - 0.5, -0.5], "showgrid": False, "fixedrange": True},
        legend=style.LEGEND | {"itemclick": False, "itemdoubleclick": False},
        shapes=shapes,
        clickmode="event+select",
    )  # fmt: skip


def rule(y: float) -> dict[str, Any]:
    """Shape of a faint line over the whole width at ``y``."""
    return {
        "type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": y, "y1": y,
        "line": {"width": 1, "color": "rgba(127,127,127,.25)"},
    }  # fmt: skip


def wrapped(name: str, width: int = 14) -> str:
    """Break the name of a dimension into at most two lines, escaped."""
    return "<br>".join(html.escape(line, quote=False) for line in textwrap.wrap(name, width)[:2]) or "—"


def _said(label: Label, votes: Sequence[Mapping[str, Any]] | None) -> str:
    """Sign and word; with how many judges stand for it where they do not agree."""
    sign, _, word = LOOK[label]
    if votes is None:
        return f"{sign} {word}"
    count = sum(Label(vote["label"]) is label for vote in votes)
    return f"{sign} {word}" if count == len(votes) else f"{sign} {word} {count}/{len(votes)}"


def _votes_words(name: str, judges: Sequence[str], votes: Sequence[Mapping[str, Any]] | None) -> str:
    if votes is None:
        return f"<b>{style.label(name)}</b>: not stated (n/a)"
    lines = [f"{LOOK[Label(vote['label'])][0]} {style.label(judge, 28)}: {vote['label']}" for judge, vote in
             zip(judges, votes, strict=True)]  # fmt: skip
    return f"<b>{style.label(name)}</b><br>" + "<br>".join(lines)
