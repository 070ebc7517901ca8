"""What all figures share: size, margins, and how a title with its count is set. Colours come from the palette."""

from typing import Any

import plotly.graph_objects as go

CORRECTNESS = "#4C86C6"
RELEVANCE = "#9A7BC0"
MUTED = "#8A8F98"
MARKED = "#D55E00"
DENSE = 2_000


def laid_out(figure: go.Figure, title: str, *, height: int, **layout: Any) -> go.Figure:
    """Give a figure its title and the margins that all figures have."""
    options: dict[str, Any] = {
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
        "margin": {"l": 8, "r": 12, "t": 40, "b": 8},
        "hoverlabel": {"align": "left"},
        "legend": {
            "orientation": "h",
            "xref": "container",
            "yref": "container",
            "x": 0,
            "y": 0,
            "xanchor": "left",
            "yanchor": "bottom",
            "title": {"text": ""},
        },
    }
    figure.update_layout(**{**options, **layout})
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)
    return figure


def empty(title: str, message: str, *, height: int = 220) -> go.Figure:
    """Draw a figure that says why there is nothing to draw."""
    figure = go.Figure()
    figure.add_annotation(text=message, x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return laid_out(figure, title, height=height)
