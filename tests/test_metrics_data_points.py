"""LeMAJ's scores: every multiset of up to six tags, the paper's formulas by hand, buckets and exact thresholds."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, permutations

import pytest

from lemaj_core.errors import SettingsError
from lemaj_core.metrics.data_points import bucket, exact, reaches, score_counts, score_tags
from lemaj_core.types import Score, Status, Tag

MULTISETS = [tags for size in range(7) for tags in combinations_with_replacement(Tag, size)]


def test_there_are_210_multisets():
    # C(6 + 4, 4) = 210, the empty one included
    assert len(MULTISETS) == len(set(MULTISETS)) == 210


@pytest.mark.parametrize("tags", MULTISETS, ids=lambda tags: "".join(tag[:2] for tag in tags) or "none")
def test_every_multiset_against_the_definitions(tags):
    c, i, r, m = (tags.count(tag) for tag in Tag)
    scores = score_tags(tags)
    for score, top, bottom in (
        (scores.correctness, c, c + i),
        (scores.precision, c, c + r),
        (scores.recall, c, c + m),
        (scores.relevance, 2 * c, 2 * c + r + m),
    ):
        assert (score.numerator, score.denominator) == (top, bottom)
        if bottom == 0:
            assert score.status is Status.UNDEFINED
            assert score.value is None
            assert score.reason
        else:
            assert score.status is Status.SCORED
            assert score.value == top / bottom
            assert 0 <= score.value <= 1
    precision, recall = scores.precision, scores.recall
    if c and precision.value and recall.value:
        p, q = exact(precision), exact(recall)
        assert exact(scores.relevance) == 2 * p * q / (p + q)  # F1 as the harmonic mean, in fractions


@pytest.mark.parametrize("tags", MULTISETS[:120], ids=lambda tags: "".join(tag[:2] for tag in tags) or "none")
def test_properties(tags):
    scores = score_tags(tags)
    for order in list(permutations(tags))[:: max(1, math.factorial(len(tags)) // 5)]:
        assert score_tags(order) == scores
    doubled = score_tags([*tags, *tags])
    assert [score.value for score in doubled] == [score.value for score in scores]
    better = score_tags([*tags, Tag.CORRECT])
    for before, after in zip(scores, better, strict=True):
        assert after.status is Status.SCORED
        assert before.value is None or after.value >= before.value
    assert score_tags([*tags, None]) == scores


# Worked by hand: counts C, I, R, M -> Correctness, Precision, Recall, Relevance; None = undefined
@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((3, 1, 0, 0), (3 / 4, 1, 1, 1)),
        ((2, 1, 0, 1), (2 / 3, 1, 2 / 3, 4 / 5)),  # F1 = 2*2 / (2*2 + 0 + 1) = 4/5
        ((1, 9, 0, 0), (1 / 10, 1, 1, 1)),  # the blind spot of Relevance
        ((1, 0, 0, 9), (1, 1, 1 / 10, 2 / 11)),  # the blind spot of Correctness
        ((0, 2, 0, 0), (0, None, None, None)),
        ((0, 2, 1, 0), (0, 0, None, 0)),
        ((0, 0, 3, 0), (None, 0, None, 0)),
        ((0, 0, 0, 2), (None, None, 0, 0)),
        ((0, 0, 0, 0), (None, None, None, None)),
    ],
)
def test_worked_examples(counts, expected):
    assert tuple(score.value for score in score_counts(*counts)) == expected


def test_f_beta():
    # b = 2, C = 4, R = 3, M = 2: 5*4 / (5*4 + 4*2 + 3) = 20 / 31
    assert exact(score_counts(4, 0, 3, 2, beta=2).relevance) == Fraction(20, 31)
    # b = 1.5: b² = 9/4; 13/4 * 3 / (39/4 + 9/4*1 + 1) = 39/52
    assert exact(score_counts(3, 0, 1, 1, beta=1.5).relevance) == Fraction(39, 52)
    heavy, plain = score_counts(4, 0, 0, 2, beta=2).relevance, score_counts(4, 0, 0, 2).relevance
    assert heavy.value < plain.value  # b > 1 weighs the omission more


# The three cases where 2PR/(P+R) in floats lands on the wrong side
@pytest.mark.parametrize(
    ("counts", "wanted_bucket", "threshold"),
    [((3, 0, 0, 2), 0.75, "0.75"), ((3, 0, 2, 0), 0.75, "0.75"), ((6, 0, 1, 2), 0.75, "0.80"),
     ((51, 0, 17, 1), 0.75, "0.85")],
)  # fmt: skip
def test_exact_at_the_threshold(counts, wanted_bucket, threshold):
    relevance = score_counts(*counts).relevance
    assert bucket(relevance) == wanted_bucket
    assert reaches(relevance, threshold)
    assert reaches(relevance, float(threshold))


def test_floats_would_fail_where_fractions_hold():
    precision, recall = 6 / 7, 6 / 8
    assert 2 * precision * recall / (precision + recall) < 0.80  # why counts are kept


@pytest.mark.parametrize(
    ("x", "wanted"),
    [(0, 0), (0.2499, 0), (0.25, 0.25), (0.49, 0.25), (0.5, 0.5), (0.74, 0.5), (0.75, 0.75), (0.99, 0.75), (1, 1)],
)
def test_bucket_rounds_down(x, wanted):
    assert bucket(x) == wanted


def test_undefined_and_failed_are_not_numbers():
    nothing = Score.undefined("no checkable statement")
    assert bucket(nothing) is None
    assert not reaches(nothing, 0)
    assert not reaches(Score.failed("timeout"), 0)
    with pytest.raises(SettingsError, match="no checkable statement"):
        exact(nothing)


@pytest.mark.parametrize("x", [-0.01, 1.01, float("nan"), float("inf")])
def test_bucket_refuses_what_is_no_score(x):
    with pytest.raises(SettingsError, match="not a score"):
        bucket(x)


def test_bad_input_is_refused():
    with pytest.raises(SettingsError, match="'green'"):
        score_tags(["correct", "green"])
    for beta in (0, -1, float("nan"), float("inf")):
        with pytest.raises(SettingsError, match="beta"):
            score_counts(1, 0, 0, 0, beta=beta)
    with pytest.raises(SettingsError, match="negative"):
        score_counts(-1, 0, 0, 0)
