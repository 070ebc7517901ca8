"""SCORE's context utilization: how much the answer's likelihood falls when one claim leaves the context.

Takes confidences that a proxy language model gave (``models/likelihood.py``) and does the arithmetic; it loads no
model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lemaj_core.errors import SettingsError
from lemaj_core.types import RunSettings, Score

NOISE = 0.005
"""Half a percent of the answer's confidence (ours): a smaller effect is called neutral."""


@dataclass(frozen=True, slots=True)
class ContextUtilization:
    """Effects of the claims, shape (n,), and their means over the claims of the answer."""

    delta: np.ndarray
    delta_rel: np.ndarray
    cu: Score
    cu_rel: Score


def context_utilization(
    full: float, without: Sequence[float] | np.ndarray, *, variant: str = "probability"
) -> ContextUtilization:
    """Delta_i = f(C) - f(C without i), delta_i = Delta_i / f(C), CU = mean Delta, CU_rel = mean delta = CU / f(C).

    Parameters
    ----------
    full : float
        f(a | q, C): the confidence in the answer given all n claims. A probability (geometric mean over the
        answer's tokens, in [0, 1]) or, for ``variant="entropy"``, minus the mean token entropy in nats (<= 0).
    without : array of float, shape (n,)
        f(a | q, C without claim i), in the order of the claims.
    variant : {"probability", "entropy"}

    Returns
    -------
    ContextUtilization
        Delta in (-1, 1) for probabilities; delta in (-inf, 1). Both means undefined without claims, the relative
        ones also where f(C) is 0. For the entropy variant delta is relative to the size of f. A duplicated claim
        gets Delta near 0 although it was used.

    Raises
    ------
    SettingsError
        If a value is outside its range or not a number, or the variant is unknown.

    References
    ----------
    SCORE (arXiv 2602.10017), 3.4.

    Examples
    --------
    >>> context_utilization(0.5, [0.25, 0.5]).cu_rel.value
    0.25
    """
    ranges = {"probability": (0.0, 1.0), "entropy": (-np.inf, 0.0)}
    if variant not in ranges:
        raise SettingsError(f"variant {variant!r} is not one of {', '.join(ranges)}")
    values = np.asarray(without, dtype=float).reshape(-1)
    low, high = ranges[variant]
    for value in (full, *values):
        if not (np.isfinite(value) and low <= value <= high):
            raise SettingsError(f"confidence {value} is not between {low} and {high}")
    delta = full - values
    if not len(values):
        none = Score.undefined("the context has no claims")
        return ContextUtilization(delta, delta.copy(), none, none)
    cu = Score(float(delta.mean()), numerator=float(delta.sum()), denominator=len(values))
    if full == 0:
        gone = Score.undefined("the proxy gives the answer a confidence of 0")
        return ContextUtilization(delta, np.full(len(values), np.nan), cu, gone)
    # Minus an entropy is at most 0: dividing by its size keeps the sign of the effect (ours).
    relative = delta / abs(full)
    return ContextUtilization(
        delta,
        relative,
        cu,
        Score(float(relative.mean()), numerator=float(relative.sum()), denominator=len(values)),
    )


def scores(detail: Mapping[str, Any], settings: RunSettings) -> dict[str, Score]:
    """Compute CU and CU_rel from the confidences that a proxy gave; by probability, whatever the page shows."""
    found = effects_of(detail)
    return {"cu": found.cu, "cu_rel": found.cu_rel}


def effects_of(detail: Mapping[str, Any], variant: str = "probability") -> ContextUtilization:
    """Effects of the claims of one finding, by ``variant``."""
    prefix = "entropy_" if variant == "entropy" else ""
    return context_utilization(detail[f"{prefix}full"], detail[f"{prefix}without"], variant=variant)


@dataclass(frozen=True, slots=True)
class Relation:
    """A correlation with its 95 % interval; ``value`` is None with a reason where it would mean nothing."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str | None = None


def relation(x: Sequence[float], y: Sequence[float], *, ranks: bool = False) -> Relation:
    """Correlate two proxies' scores, or a proxy's confidence in claims with that in documents.

    Parameters
    ----------
    x, y : array of float, shape (n,)
        Of the same answers; pairs with a NaN are left out.
    ranks : bool
        Spearman's rho, ties averaged, instead of Pearson's r.

    Returns
    -------
    Relation
        In [-1, 1] with Fisher's interval (for ranks with the standard error of Bonett and Wright). Undefined for fewer
        than three pairs and where one side does not vary.

    References
    ----------
    Equal to scipy.stats.pearsonr and spearmanr, which take a second to import and are not used for that.

    Examples
    --------
    >>> round(relation([1, 2, 3, 4], [1, 3, 2, 4], ranks=True).value, 3)
    0.8
    """
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    both = np.isfinite(a) & np.isfinite(b)
    a, b = a[both], b[both]
    n = len(a)
    if n < 3:
        return Relation(None, None, None, n, f"{n} answers have both; at least 3 are needed")
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return Relation(None, None, None, n, "all values of one side are equal")
    if ranks:
        a, b = _ranks(a), _ranks(b)
    value = float(np.clip(np.corrcoef(a, b)[0, 1], -1, 1))
    if n == 3 or abs(value) == 1:
        return Relation(value, None, None, n)
    spread = np.sqrt((1 + value**2 / 2 if ranks else 1) / (n - 3))
    middle, reach = np.arctanh(value), 1.959963984540054 * spread
    return Relation(value, float(np.tanh(middle - reach)), float(np.tanh(middle + reach)), n)


def _ranks(values: np.ndarray) -> np.ndarray:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def kinds(effects: ContextUtilization, noise: float = NOISE) -> list[str]:
    """Call each claim necessary (delta above ``noise``), distracting (below -``noise``) or neutral.

    ``noise`` is relative, a share of the answer's confidence.
    """
    return [
        "necessary" if value > noise else "distracting" if value < -noise else "neutral"
        for value in np.nan_to_num(effects.delta_rel)
    ]
