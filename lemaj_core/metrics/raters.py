"""Agreement among several raters of the same things, each statistic by its name: irrCAC's formulas, our reasons.

Labels may be missing. A statistic that does not exist says why instead of giving a number. It aligns nothing: what
was rated stands in the same row for all raters.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lemaj_core.errors import SettingsError
from lemaj_core.types import Status

LEAST = 3
CHANCE = {
    "conger": "Cohen's kappa",
    "fleiss": "Fleiss' kappa",
    "krippendorff": "Krippendorff's alpha",
    "gwet": "Gwet's AC1",
}
"""irrCAC's method and the name of what it gives; for more than two raters the first is Conger's generalisation."""
PERCENT = "percent agreement"


@dataclass(frozen=True, slots=True)
class Agreement:
    """One statistic over ``n`` things that two or more raters labelled; None unless scored."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    status: Status
    reason: str | None = None


def agreements(ratings: Sequence[Sequence[Any]], *, least: int = LEAST) -> list[Agreement]:
    """Percent agreement, Cohen's (Conger's) kappa, Fleiss' kappa, Krippendorff's alpha and Gwet's AC1 of labels.

    Parameters
    ----------
    ratings : sequence of sequence, shape (things, raters)
        Labels of any kind compared by equality; None where a rater did not label a thing.
    least : int
        Fewest things with two labels for which statistics are given (ours).

    Returns
    -------
    list of Agreement
        Percent agreement in [0, 1], the others in [-1, 1], each with irrCAC's 95 % interval. All undefined with fewer
        than ``least`` things labelled twice; those that correct for chance also where only one label occurs, since
        chance alone then agrees always.

    Raises
    ------
    SettingsError
        If rows differ in length.

    References
    ----------
    Gwet, Handbook of Inter-Rater Reliability (4th ed.), as irrCAC computes it; Krippendorff 2011; Fleiss 1971.
    """
    widths = {len(row) for row in ratings}
    if len(widths) > 1:
        raise SettingsError(f"rows of {sorted(widths)} ratings; every thing needs one entry for each rater")
    known = [row for row in ratings if sum(_there(label) for label in row) >= 2]
    names = [PERCENT, *CHANCE.values()]
    if len(known) < least:
        reason = f"{len(known)} were labelled by two raters; at least {least} are needed"
        return [Agreement(name, None, None, None, len(known), Status.UNDEFINED, reason) for name in names]
    labels = sorted({label for row in ratings for label in row if _there(label)}, key=str)
    codes = {label: float(place) for place, label in enumerate(labels)}
    table = pd.DataFrame([[codes[label] if _there(label) else np.nan for label in row] for row in known])
    found = [_percent(table)]
    for method, name in CHANCE.items():
        if len(set(table.to_numpy().ravel()[~np.isnan(table.to_numpy().ravel())])) < 2:
            reason = "only one label occurs, so that chance alone agrees always"
            found.append(Agreement(name, None, None, None, len(known), Status.UNDEFINED, reason))
        else:
            found.append(_chance_corrected(table, method, name))
    return found


def _percent(table: pd.DataFrame) -> Agreement:
    """Mean over things of the share of pairs of raters with equal labels, with the normal interval over things."""
    values = table.to_numpy()
    codes = np.unique(values[~np.isnan(values)])
    counts = (values[:, :, None] == codes).sum(axis=1)
    raters = counts.sum(axis=1)
    shares = (counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))
    mean, n = float(np.mean(shares)), len(shares)
    half = 1.959963984540054 * float(np.std(shares, ddof=1)) / math.sqrt(n) if n > 1 else math.inf
    return Agreement(PERCENT, mean, max(0.0, mean - half), min(1.0, mean + half), n, Status.SCORED)


def _chance_corrected(table: pd.DataFrame, method: str, name: str) -> Agreement:
    from irrCAC.raw import CAC

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", pd.errors.Pandas4Warning)
        found = getattr(CAC(table, digits=15), method)()["est"]
    value = float(found["coefficient_value"])
    low, high = (float(end) for end in found["confidence_interval"])
    if not math.isfinite(value):
        return Agreement(name, None, None, None, len(table), Status.UNDEFINED, "chance alone agrees always")
    bounds = (low, high) if math.isfinite(low) and math.isfinite(high) else (None, None)
    return Agreement(name, value, bounds[0], bounds[1], len(table), Status.SCORED)


def _there(label: Any) -> bool:
    return label is not None and label == label
