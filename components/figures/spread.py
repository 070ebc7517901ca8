"""How a score spreads over the answers of one model: a box with a dot per answer, and the mean with its interval.

Traces only; the figure around them, its bands and its axes belong to the page's own figures.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from components.figures import style
from components.palette import VERMILION
from components.words import number

FEW = 400  # answers of a model that are drawn one by one


def box(values: np.ndarray | pd.Series, place: int, hover: Sequence[str], template: str) -> style.Trace:
    """Draw the values in row ``place``: a box, and a dot for each where they are few."""
    return {
        "type": "box",
        "x": values,
        "y": [place] * len(values),
        "orientation": "h",
        "boxpoints": "all" if len(values) <= FEW else False,
        "jitter": 0.6,
        "pointpos": 0,
        "width": 0.5,
        "fillcolor": "rgba(86,180,233,.18)",
        "line": {"color": style.CORRECTNESS, "width": 1.2},
        "marker": {"color": style.CORRECTNESS, "size": 5, "opacity": 0.55},
        "text": list(hover),
        "hovertemplate": f"{template}<br>%{{text}}<extra></extra>",
        "hoveron": "points+boxes",
    }


def mean(
    place: int, middle: float | None, low: float | None, high: float | None, n: int, *, digits: int = 1, unit: str = ""
) -> style.Trace:
    """Draw a mean as a diamond with its 95 % interval; an end that does not exist is drawn at the mean."""
    centre = 0.0 if middle is None else middle
    start, stop = (centre if end is None else end for end in (low, high))
    return {
        "type": "scatter",
        "x": [centre],
        "y": [place],
        "mode": "markers",
        "marker": {"symbol": "diamond", "size": 11, "color": VERMILION, "line": {"color": "#fff", "width": 1}},
        "error_x": {
            "type": "data", "symmetric": False, "array": [stop - centre], "arrayminus": [centre - start],
            "color": VERMILION, "thickness": 2, "width": 6,
        },
        "hovertemplate": f"mean {number(centre, digits)} [{number(start, digits)}, {number(stop, digits)}]{unit}, "
        f"n = {n:,}<extra></extra>",
    }  # fmt: skip
