"""How many tags would have to change for the triage decision to change: the decision margin.

One flip gives one data point another of the four tags. The search uses which flips help most (proved beside each
case, checked against all flips of all small answers in the tests), so that 20,000 answers take milliseconds.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from lemaj_core.metrics.data_points import reaches, score_counts
from lemaj_core.types import Status, Tag


class Margin(NamedTuple):
    """The decision on an answer and the number of flips until it changes; ``flips`` is None when none can."""

    cleared: bool
    flips: int | None

    @property
    def sentence(self) -> str:
        """Say it in words."""
        goal = "flagged for review" if self.cleared else "cleared"
        if self.flips is None:
            return f"No change of tags alone would get this answer {goal}."
        return f"{self.flips} flip{'' if self.flips == 1 else 's'} from being {goal}."


def is_cleared(
    correct: int, incorrect: int, irrelevant: int, missing: int, *, correctness: str, relevance: str, beta: float = 1.0
) -> bool:
    """Whether these counts reach both thresholds, exactly."""
    scores = score_counts(correct, incorrect, irrelevant, missing, beta=beta)
    return reaches(scores.correctness, correctness) and reaches(scores.relevance, relevance)


@lru_cache(maxsize=256)
def _rule(correctness: str, relevance: str, beta: float) -> Callable[[int, int, int, int], bool]:
    """Build :func:`is_cleared` for fixed thresholds, cross-multiplied: the search asks it thousands of times."""
    low, high, weight = Fraction(correctness), Fraction(relevance), Fraction(str(beta)) ** 2
    once, twice = weight.denominator, weight.denominator + weight.numerator

    def clear(c: int, i: int, r: int, m: int) -> bool:
        gain = twice * c
        whole = gain + weight.numerator * m + once * r
        return (
            c + i > 0
            and whole > 0
            and c * low.denominator >= low.numerator * (c + i)
            and gain * high.denominator >= high.numerator * whole
        )

    return clear


@lru_cache(maxsize=50_000)
def margin(
    correct: int,
    incorrect: int,
    irrelevant: int,
    missing: int,
    untagged: int = 0,
    *,
    correctness: str = "1",
    relevance: str = "0.80",
    beta: float = 1.0,
) -> Margin:
    """Smallest number of flips that changes the decision.

    Parameters
    ----------
    correct, incorrect, irrelevant, missing, untagged : int
        Counts of one answer; an untagged point may be given a tag, which is one flip.
    correctness, relevance : str
        Thresholds as decimals or fractions, compared exactly.
    beta : float
        Weight of Recall in Relevance.

    Returns
    -------
    Margin
        Flips is None for an answer without data points, and where no tags can change the decision.
    """
    counts = (correct, incorrect, irrelevant, missing)
    clear = _rule(correctness, relevance, beta)
    if clear(*counts):
        return Margin(True, _until_flagged(counts, untagged, clear, beta))
    # A flip to correct raises a numerator and never a denominator's other part, so no other flip helps more.
    options = [
        i + r + m + u
        for i, r, m, u in product(range(incorrect + 1), range(irrelevant + 1), range(missing + 1), range(untagged + 1))
        if i + r + m + u and clear(correct + i + r + m + u, incorrect - i, irrelevant - r, missing - m)
    ]
    return Margin(False, min(options, default=None))


def _until_flagged(counts: tuple[int, int, int, int], untagged: int, clear, beta: float) -> int | None:
    """Flip the points that hurt most: to incorrect for Correctness, to the heavier of R and M for Relevance."""
    c, i, r, m = counts
    heavy_missing = Fraction(str(beta)) >= 1
    for k in range(1, c + i + r + m + untagged + 1):
        from_correct = min(k, c)
        rest = k - from_correct
        other = min(rest, r + m)
        new = min(rest - other, untagged)
        less_r, less_m = min(other, r), max(0, other - r)
        to_incorrect = (c - from_correct, i + from_correct + other + new, r - less_r, m - less_m)
        from_incorrect = min(rest, i)
        away = from_correct + from_incorrect
        to_omitted = (
            (c - from_correct, i - from_incorrect, r, m + away)
            if heavy_missing
            else (c - from_correct, i - from_incorrect, r + away, m)
        )
        added = min(k, untagged)
        kept = k - added
        added_wrong = (c - min(kept, c), i + added + min(kept, c), r, m)
        added_omitted = (c - min(kept, c), i, r, m + added + min(kept, c))
        if not all(clear(*state) for state in (to_incorrect, to_omitted, added_wrong, added_omitted)):
            return k
    return None


def margins(
    answers: pd.DataFrame, correctness: float | str = "1", relevance: float | str = "0.80", *, beta: float = 1.0
) -> np.ndarray:
    """Flips per row of a frame of answers, as objects; None where the answer was not judged or cannot change."""
    table = answers[[*map(str, Tag), "untagged"]].to_numpy(dtype=float, na_value=0).astype(int)
    judged = (answers["status"] == Status.SCORED).to_numpy()
    # one number per row, since unique rows of a table are slow to find
    places = np.ravel_multi_index(table.T, table.max(axis=0, initial=0) + 1)
    _, first, where = np.unique(places, return_index=True, return_inverse=True)
    unique = table[first]
    flips = np.array(
        [
            margin(*map(int, row), correctness=str(correctness), relevance=str(relevance), beta=beta).flips
            for row in unique
        ],
        dtype=object,
    )
    found = flips[where] if len(table) else np.empty(0, dtype=object)
    found[~judged] = None
    return found
