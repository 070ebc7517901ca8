"""Which data point of one reader is which of another: LeMAJ's alignment, one to one, by place and by words.

Two points of an answer are alike as their places overlap (shared characters / characters of both) or as their words
do; missing points, which have no place, only by their words. The assignment is the best one over the whole answer
(Hungarian method), above a threshold. How points are cut (split, merged, only on one side) is kept apart from how
they are tagged. LeMAJ compares embeddings; places say the same here without a model.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process
from scipy.optimize import linear_sum_assignment

from lemaj_core.types import DataPoint, Score, Tag

THRESHOLD = 0.5
INSIDE = 0.6
"""Share of an unmatched point that must lie within a point of the other side to count as a piece of it."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Indices of points: ``pairs`` (left, right), and the unmatched ones of each side.

    ``splits`` are unmatched left points that lie within a matched right point: the left side cut finer. ``merges``
    are unmatched right points that lie within a matched left point. Both are among the unmatched.
    """

    pairs: tuple[tuple[int, int], ...]
    similarities: tuple[float, ...]
    only_left: tuple[int, ...]
    only_right: tuple[int, ...]
    splits: tuple[int, ...]
    merges: tuple[int, ...]


def align(left: Sequence[DataPoint], right: Sequence[DataPoint], threshold: float = THRESHOLD) -> Alignment:
    """Pair the points of two readers of one answer.

    Parameters
    ----------
    left, right : sequence of DataPoint
        Points of the same answer, for example the judge's and an expert's.
    threshold : float
        Least similarity in [0, 1] of a pair.

    Returns
    -------
    Alignment
        Pairs of the largest total similarity, each point in at most one, in the order of the left points.
    """
    likeness = similarity(left, right)
    rows, columns = linear_sum_assignment(np.where(likeness >= threshold, likeness, 0.0), maximize=True)
    pairs = [
        (int(row), int(column))
        for row, column in zip(rows, columns, strict=True)
        if likeness[row, column] >= threshold and likeness[row, column] > 0
    ]
    taken_left, taken_right = {row for row, _ in pairs}, {column for _, column in pairs}
    only_left = tuple(index for index in range(len(left)) if index not in taken_left)
    only_right = tuple(index for index in range(len(right)) if index not in taken_right)
    return Alignment(
        tuple(pairs),
        tuple(float(likeness[row, column]) for row, column in pairs),
        only_left,
        only_right,
        tuple(index for index in only_left if any(_within(left[index], right[other]) for other in taken_right)),
        tuple(index for index in only_right if any(_within(right[index], left[other]) for other in taken_left)),
    )


def similarity(left: Sequence[DataPoint], right: Sequence[DataPoint]) -> np.ndarray:
    """Likeness in [0, 1] of every left point with every right one, shape (left, right).

    The larger of the overlap of their places and the likeness of their words (token sort ratio of rapidfuzz). A point
    of the answer and a missing one are never alike.
    """
    if not left or not right:
        return np.zeros((len(left), len(right)))
    words = process.cdist([one.text for one in left], [one.text for one in right], scorer=fuzz.token_sort_ratio) / 100.0
    starts, ends = _places(left)
    others, stops = _places(right)
    shared = np.minimum.outer(ends, stops) - np.maximum.outer(starts, others)
    both = np.maximum.outer(ends, stops) - np.minimum.outer(starts, others)
    with np.errstate(invalid="ignore", divide="ignore"):
        overlap = np.where(shared > 0, shared / both, 0.0)
    likeness = np.maximum(words, np.nan_to_num(overlap))
    gone = np.not_equal.outer([one.tag is Tag.MISSING for one in left], [one.tag is Tag.MISSING for one in right])
    return np.where(gone, 0.0, likeness)


def alignment_score(pairs: int, same: int, judge: int, *, only_matched: bool = False) -> Score:
    """LeMAJ Alignment: pairs with the same tag / all of the judge's points.

    Parameters
    ----------
    pairs, same, judge : int
        Matched points, those of them with the same tag, and all points of the judge.
    only_matched : bool
        The variant that leaves unmatched points out: the same over the pairs. It says nothing of how the answer was
        cut, and is called by its own name wherever it shows.

    Returns
    -------
    Score
        In [0, 1]; undefined where the judge has no point (or no point is matched).
    """
    bottom = pairs if only_matched else judge
    if not bottom:
        return Score.undefined("no point is matched" if only_matched else "the judge has no data point", 0, 0)
    return Score(same / bottom, numerator=same, denominator=bottom)


def _places(points: Sequence[DataPoint]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.array([np.nan if one.start is None else one.start for one in points], dtype=float)
    ends = np.array([np.nan if one.end is None else one.end for one in points], dtype=float)
    return starts, ends


def _within(piece: DataPoint, whole: DataPoint) -> bool:
    if piece.start is None or piece.end is None or whole.start is None or whole.end is None:
        return False
    shared = min(piece.end, whole.end) - max(piece.start, whole.start)
    return shared > 0 and shared >= INSIDE * (piece.end - piece.start)
