"""What all figures share: size, margins, axes and titles. Colours of tags and models come from the palette.

Figures are put together as plain dictionaries and checked by plotly once: its ``add_`` and ``update_`` methods check
every call, which made four figures cost a third of a second.
"""

import html
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from components.words import short

CORRECTNESS = "#4C86C6"
RELEVANCE = "#9A7BC0"
MUTED = "#8A8F98"
MARKED = "#D55E00"

Trace = dict[str, Any]
AXIS = {"automargin": False, "zeroline": False}
LEGEND = {
    "orientation": "h",
    "xref": "container",
    "yref": "container",
    "x": 0,
    "y": 0,
    "xanchor": "left",
    "yanchor": "bottom",
    "title": {"text": ""},
    "traceorder": "normal",
}


def figure(
    traces: Sequence[Trace],
    title: str,
    *,
    height: int,
    xaxis: Mapping[str, Any] | None = None,
    yaxis: Mapping[str, Any] | None = None,
    top: int = 40,
    left: int = 58,
    right: int = 14,
    bottom: int = 82,
    **layout: Any,
) -> go.Figure:
    """Put traces together under a title, with the margins and the legend that all figures have.

    Parameters
    ----------
    traces : sequence of dict
        Traces with their ``type``.
    title : str
        What the figure shows.
    height : int
        Height in pixels.
    xaxis, yaxis : mapping, optional
        Settings of the axes.
    top, left, right, bottom : int
        Margins in pixels: for the title, the labels of the y axis, a colour bar, the x axis with the legend below it.
        They are fixed, because plotly finds out what it needs by drawing everything twice.
    **layout
        Anything else of the layout.
    """
    return go.Figure(
        data=list(traces),
        layout={
            "title": {
                "text": title,
                "x": 0,
                "xanchor": "left",
                "xref": "container",
                "y": 1,
                "yanchor": "top",
                "yref": "container",
                "pad": {"t": 8, "l": 4},
                "font": {"size": 15},
            },
            "height": height,
            "margin": {"l": left, "r": right, "t": top, "b": bottom, "autoexpand": False},
            "hoverlabel": {"align": "left"},
            "legend": LEGEND,
            "xaxis": AXIS | dict(xaxis or {}),
            "yaxis": AXIS | dict(yaxis or {}),
            **layout,
        },
    )


def label(text: object, length: int = 34) -> str:
    """Shorten and escape text of unknown origin for axes and hover boxes."""
    return html.escape(short(text, length), quote=False)


def label_room(labels: Sequence[str]) -> int:
    """Left margin for these labels, in pixels; a label may have lines."""
    longest = max((len(line) for text in labels for line in html.unescape(text).split("<br>")), default=0)
    return 16 + round(5.6 * longest)


def empty(title: str, message: str, *, height: int = 220) -> go.Figure:
    """Draw a figure that says why there is nothing to draw."""
    note = {"text": message, "x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper", "showarrow": False}
    hidden = {"visible": False}
    return figure([], title, height=height, xaxis=hidden, yaxis=hidden, annotations=[note])


def vertical(x: float, **line: Any) -> dict[str, Any]:
    """Shape of a line over the whole height of the plot at ``x``."""
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "y domain", "line": line}


def note_above(x: float, text: str, xanchor: str = "center") -> dict[str, Any]:
    """Annotation just above the plot at ``x``."""
    return {
        "x": x,
        "y": 1,
        "yref": "paper",
        "text": text,
        "showarrow": False,
        "xanchor": xanchor,
        "yanchor": "bottom",
        "font": {"size": 11},
    }
