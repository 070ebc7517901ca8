"""How far a judge's scores agree with an expert's, for scores of the same answers in the same order.

The statistics are scipy's; what is ours is saying why one is undefined instead of giving a number. It aligns no data
points and reads no store.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from lemaj_core.errors import SettingsError
from lemaj_core.metrics.data_points import bucket
from lemaj_core.types import Score, Status

LEAST = 3


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation in [-1, 1] with its two-sided p and 95 % interval; all None unless scored."""

    value: float | None
    p: float | None
    low: float | None
    high: float | None
    n: int
    status: Status
    reason: str | None = None


def _pairs(x: Sequence[float | None], y: Sequence[float | None]) -> tuple[np.ndarray, np.ndarray]:
    """Give the pairs in which both values exist; None and NaN are missing."""
    a = np.array([np.nan if value is None else value for value in x], dtype=float)
    b = np.array([np.nan if value is None else value for value in y], dtype=float)
    if len(a) != len(b):
        raise SettingsError(
            f"{len(a)} scores of the judge and {len(b)} of the expert: they must be of the same answers"
        )
    both = np.isfinite(a) & np.isfinite(b)
    return a[both], b[both]


def _why_undefined(a: np.ndarray, b: np.ndarray) -> str | None:
    """Why a correlation of these pairs would mean nothing."""
    if len(a) < LEAST:
        return f"{len(a)} answers have both scores; at least {LEAST} are needed"
    for values, who in ((a, "the judge"), (b, "the expert")):
        if np.ptp(values) == 0:
            return f"{who} gave the same score to all {len(values)} answers"
    return None


def pearson(x: Sequence[float | None], y: Sequence[float | None]) -> Correlation:
    """Pearson's r of two lists of scores.

    Parameters
    ----------
    x, y : sequence of float or None, length n
        The judge's and the expert's scores of the same answers; pairs with a None or NaN are left out.

    Returns
    -------
    Correlation
        ``n`` is the number of complete pairs. The interval is Fisher's z; it is None for n = 3, where z has no
        variance. Undefined for fewer than three pairs and for constant input, with the reason.

    Raises
    ------
    SettingsError
        If the lists differ in length.

    References
    ----------
    scipy.stats.pearsonr; LeMAJ, tables 2 and 3.

    Examples
    --------
    >>> pearson([0, 0.5, 1], [1, 1, 1]).reason
    'the expert gave the same score to all 3 answers'
    """
    return _correlation(x, y, stats.pearsonr)


def spearman(x: Sequence[float | None], y: Sequence[float | None]) -> Correlation:
    """Spearman's rho: Pearson's r of the ranks, ties averaged; see :func:`pearson` for shapes and undefined cases.

    The interval is Fisher's z with the standard error of Bonett and Wright (2000), sqrt((1 + rho²/2) / (n - 3)).
    """
    found = _correlation(x, y, stats.spearmanr)
    if found.value is None or found.n <= LEAST or abs(found.value) >= 1:
        return found
    reach = stats.norm.ppf(0.975) * np.sqrt((1 + found.value**2 / 2) / (found.n - 3))
    middle = np.arctanh(found.value)
    low, high = float(np.tanh(middle - reach)), float(np.tanh(middle + reach))
    return Correlation(found.value, found.p, low, high, found.n, found.status)


def _correlation(x: Sequence[float | None], y: Sequence[float | None], statistic) -> Correlation:
    a, b = _pairs(x, y)
    reason = _why_undefined(a, b)
    if reason:
        return Correlation(None, None, None, None, len(a), Status.UNDEFINED, reason)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.NearConstantInputWarning)
        found = statistic(a, b)
    low = high = None
    if len(a) > LEAST and hasattr(found, "confidence_interval"):
        interval = found.confidence_interval(0.95)
        low, high = float(interval.low), float(interval.high)
    return Correlation(float(found.statistic), float(found.pvalue), low, high, len(a), Status.SCORED)


def bucketed_accuracy(judge: Sequence[float | None], human: Sequence[float | None]) -> Score:
    """Share of answers whose judge score falls in the expert's bucket, both rounded DOWN to {0, .25, .5, .75, 1}.

    Parameters
    ----------
    judge, human : sequence of float or None, length n
        Scores in [0, 1] of the same answers; pairs with a None or NaN are left out.

    Returns
    -------
    Score
        In [0, 1]; undefined when no answer has both scores. Read it beside the share of the commonest bucket: a judge
        that gives every answer the same score reaches that.

    Raises
    ------
    SettingsError
        If the lists differ in length or a score is outside [0, 1].

    References
    ----------
    LeMAJ, "Bucketed Accuracy".

    Examples
    --------
    >>> bucketed_accuracy([0.8, 0.4], [0.75, 0.5]).value
    0.5
    """
    a, b = _pairs(judge, human)
    if not len(a):
        return Score.undefined("no answer has both scores", 0, 0)
    same = sum(bucket(float(one)) == bucket(float(other)) for one, other in zip(a, b, strict=True))
    return Score(same / len(a), numerator=same, denominator=len(a))


def commonest_bucket(human: Sequence[float | None]) -> Score:
    """Bucketed accuracy of always guessing the expert's commonest bucket: the floor to read the other by."""
    known, _ = _pairs(human, human)
    if not len(known):
        return Score.undefined("no answer has an expert's score", 0, 0)
    most = int(np.unique([bucket(float(value)) for value in known], return_counts=True)[1].max())
    return Score(most / len(known), numerator=most, denominator=len(known))
