"""LeMAJ's scores from the tags of one answer, its buckets, and exact comparison with thresholds.

Pure arithmetic on counts: no model, no file, no frame. Scores are computed from integers and compared as fractions,
because 2PR/(P+R) in floats puts answers on the wrong side of a threshold.
"""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from lemaj_core.errors import SettingsError
from lemaj_core.types import Score, Status, Tag

BUCKETS = (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1))


class DataPointScores(NamedTuple):
    """The four scores of one answer."""

    correctness: Score
    precision: Score
    recall: Score
    relevance: Score


def score_tags(tags: Iterable[Tag | str | None], beta: float = 1.0) -> DataPointScores:
    """Correctness, Precision, Recall and Relevance of one answer.

    With C, I, R, M the numbers of correct, incorrect, irrelevant and missing points: Correctness = C / (C + I),
    Precision = C / (C + R), Recall = C / (C + M), Relevance = (1+b²)C / ((1+b²)C + b²M + R).

    Parameters
    ----------
    tags : iterable of Tag, str or None
        One tag per data point of a single answer, any order, length n >= 0. None (a point that could not be
        checked) is in no count.
    beta : float, default 1.0
        Weight of Recall in Relevance, > 0; above 1 an omission costs more than padding.

    Returns
    -------
    DataPointScores
        Four scores in [0, 1], dimensionless, each with its numerator and denominator. Undefined, with the reason,
        where the denominator is 0.

    Raises
    ------
    SettingsError
        If a tag is not one of the four, or beta is not a positive finite number.

    References
    ----------
    LeMAJ, "Methodology". The undefined cases are ours.

    Examples
    --------
    >>> score_tags(["correct", "correct", "incorrect", "missing"]).correctness.value
    0.6666666666666666
    """
    counts: Counter[Tag] = Counter()
    for tag in tags:
        if tag is None:
            continue
        try:
            counts[Tag(tag)] += 1
        except ValueError:
            raise SettingsError(f"tag {tag!r} is not one of {', '.join(Tag)}") from None
    return score_counts(
        counts[Tag.CORRECT], counts[Tag.INCORRECT], counts[Tag.IRRELEVANT], counts[Tag.MISSING], beta=beta
    )


def score_counts(correct: int, incorrect: int, irrelevant: int, missing: int, *, beta: float = 1.0) -> DataPointScores:
    """Score the four counts of one answer; see :func:`score_tags` for formulas and undefined cases."""
    if not 0 < beta < float("inf"):
        raise SettingsError(f"beta is {beta}; it must be a positive number")
    if min(correct, incorrect, irrelevant, missing) < 0:
        raise SettingsError("counts of tags cannot be negative")
    weight = Fraction(str(beta)) ** 2
    gain = (1 + weight) * correct
    return DataPointScores(
        _ratio(correct, correct + incorrect, "no checkable statement"),
        _ratio(correct, correct + irrelevant, "no true statement"),
        _ratio(correct, correct + missing, "nothing right and nothing missing"),
        _ratio(gain, gain + weight * missing + irrelevant, "no correct, irrelevant or missing point"),
    )


def _ratio(numerator: Fraction | int, denominator: Fraction | int, reason: str) -> Score:
    """Divide exactly and keep integer numerator and denominator; 0/0 is undefined."""
    if denominator == 0:
        return Score.undefined(reason, 0, 0)
    scale = Fraction(denominator).denominator * Fraction(numerator).denominator
    top, bottom = int(numerator * scale), int(denominator * scale)
    return Score(top / bottom, numerator=top, denominator=bottom)


def exact(score: Score | float) -> Fraction:
    """Turn a scored value into a fraction: exact where the score kept its counts, else its shortest decimal.

    Raises
    ------
    SettingsError
        If the score is undefined or failed: there is no number to compare.
    """
    if not isinstance(score, Score):
        return Fraction(str(score))
    if score.status is not Status.SCORED or score.value is None:
        raise SettingsError(f"a score that is {score.status} has no value: {score.reason}")
    if score.numerator is not None and score.denominator:
        return Fraction(score.numerator) / Fraction(score.denominator)
    return Fraction(str(score.value))


def reaches(score: Score | float, threshold: float | str) -> bool:
    """Whether a score is at or above a threshold, compared exactly; undefined and failed never are."""
    if isinstance(score, Score) and score.status is not Status.SCORED:
        return False
    return exact(score) >= Fraction(str(threshold))


def bucket(x: Score | float) -> float | None:
    """Round a score in [0, 1] DOWN to 0, .25, .5, .75 or 1, the scale of the paper's experts.

    Parameters
    ----------
    x : Score or float
        A score; floats are read at their shortest decimal, so 0.75 is three quarters.

    Returns
    -------
    float or None
        The bucket; None for a score that is undefined or failed.

    Raises
    ------
    SettingsError
        If the number is outside [0, 1] or not a number.

    References
    ----------
    LeMAJ, "Bucketed Accuracy".

    Examples
    --------
    >>> bucket(score_counts(3, 0, 2, 0).relevance)
    0.75
    """
    if isinstance(x, Score) and x.status is not Status.SCORED:
        return None
    if not isinstance(x, Score) and not 0 <= x <= 1:
        raise SettingsError(f"{x} is not a score between 0 and 1")
    value = exact(x)
    return float(max(step for step in BUCKETS if step <= value))
