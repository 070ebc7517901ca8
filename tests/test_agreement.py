"""Judge against experts and experts among themselves: equal to the usual libraries, undefined with a reason."""

import random

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from lemaj_core.analysis import tag_agreement as tags
from lemaj_core.analysis.agreement import against_experts, bias, bootstrap, differences, exact_interval
from lemaj_core.errors import SettingsError
from lemaj_core.metrics.alignment import align, alignment_score, similarity
from lemaj_core.metrics.raters import agreements
from lemaj_core.types import Annotation, DataPoint, Score, Status, Tag

ANSWER = "The rent is EUR 2,000. It is due monthly. The landlord is Acme."


def point(key, text, tag=Tag.CORRECT, reason=""):
    start = ANSWER.find(text)
    return DataPoint(key, text, tag, reason, start if start >= 0 else None, start + len(text) if start >= 0 else None)


# one to one


def test_points_are_paired_by_their_place_whatever_their_words():
    mine = [DataPoint("a", "Rent: two thousand euro", Tag.CORRECT, "", 0, 22), point("b", "It is due monthly.")]
    theirs = [point("x", "It is due monthly."), point("y", "The rent is EUR 2,000.")]
    assert align(mine, theirs).pairs == ((0, 1), (1, 0))


def test_the_assignment_is_the_best_one_over_all():
    # greedy would take (0, 0) with .9 and leave 1 alone; the best total is (0, 1) and (1, 0): .8 + .8
    mine = [DataPoint("a", "x", Tag.CORRECT, "", 0, 100), DataPoint("b", "y", Tag.CORRECT, "", 0, 80)]
    theirs = [DataPoint("p", "z", Tag.CORRECT, "", 0, 90), DataPoint("q", "w", Tag.CORRECT, "", 10, 100)]
    likeness = similarity(mine, theirs)
    # shared / both: 90/100, 90/100; 80/90, 70/100
    assert likeness == pytest.approx(np.array([[0.9, 0.9], [80 / 90, 0.7]]))
    assert align(mine, theirs).pairs == ((0, 1), (1, 0))


def test_missing_points_pair_by_words_and_never_with_points_of_the_answer():
    mine = [DataPoint("m", "The notice must be in writing.", Tag.MISSING), point("a", "It is due monthly.")]
    theirs = [
        DataPoint("n", "Notice must be in writing.", Tag.MISSING),
        DataPoint("o", "It is due monthly.", Tag.MISSING),
    ]
    found = align(mine, theirs)
    assert found.pairs == ((0, 0),)
    assert (found.only_left, found.only_right) == ((1,), (1,))


def test_splits_and_merges_are_told_from_points_of_one_side():
    whole = point("w", "The rent is EUR 2,000. It is due monthly.")
    parts = [
        point("a", "The rent is EUR 2,000."),
        point("b", "It is due monthly."),
        point("c", "The landlord is Acme."),
    ]
    found = align(parts, [whole])
    assert (found.pairs, found.splits, found.only_left) == (((0, 0),), (1,), (1, 2))
    turned = align([whole], parts)
    assert (turned.merges, turned.only_right) == ((1,), (1, 2))


def test_alignment_counts_all_points_of_the_judge_and_its_variant_only_the_matched():
    assert alignment_score(4, 3, 5).value == 0.6
    assert alignment_score(4, 3, 5, only_matched=True).value == 0.75
    assert alignment_score(0, 0, 0).reason == "the judge has no data point"
    assert alignment_score(0, 0, 3).value == 0.0
    assert alignment_score(0, 0, 3, only_matched=True).reason == "no point is matched"


def compared():
    mine = [
        point("a", "The rent is EUR 2,000.", Tag.CORRECT),
        point("b", "It is due monthly.", Tag.CORRECT),
        point("c", "The landlord is Acme.", Tag.IRRELEVANT),
        DataPoint("u", "unchecked", None),
    ]
    theirs = (
        point("x", "The rent is EUR 2,000.", Tag.INCORRECT),
        point("y", "It is due monthly.", Tag.CORRECT),
        DataPoint("z", "The deposit is missing.", Tag.MISSING),
    )
    return tags.compare_points({"i": mine, "other": mine}, [Annotation("i", "e", theirs)])


def test_kinds_of_error_follow_from_tags_and_cut():
    frame = compared()
    assert dict(zip(frame["judge_text"].fillna(frame["expert_text"]), frame["kind"].fillna(""), strict=True)) == {
        "The rent is EUR 2,000.": tags.LENIENT,
        "It is due monthly.": "",
        "The landlord is Acme.": tags.ADDED,
        "The deposit is missing.": tags.UNSEEN,
    }
    total = tags.counts(frame)
    assert (total.answers, total.judge_points, total.expert_points, total.pairs, total.same_tag) == (1, 3, 3, 2, 1)
    # one of the judge's three points agrees; one of two matched
    assert (total.alignment.value, total.matched_alignment.value) == (1 / 3, 0.5)
    table = tags.confusion(frame)
    assert table.loc["incorrect", "correct"] == 1
    assert table.loc["missing", tags.ABSENT] == 1
    assert table.loc[tags.ABSENT, "irrelevant"] == 1
    assert table.to_numpy().sum() == 4
    assert tags.errors(frame)["points"].sum() == 3


# raters


def ratings(rng, n=200, raters=3, missing=0.0):
    true = [rng.choice("cccirm") for _ in range(n)]
    rows = [[t if rng.random() < 0.7 else rng.choice("cirm") for _ in range(raters)] for t in true]
    return [[None if rng.random() < missing else label for label in row] for row in rows]


def coded(rows):
    return np.array([[np.nan if label is None else "cirm".index(label) for label in row] for row in rows], dtype=float)


@pytest.mark.parametrize("seed", range(8))
def test_statistics_equal_the_usual_libraries(seed):
    rng = random.Random(seed)
    rows = ratings(rng)
    found = {one.name: one.value for one in agreements(rows)}
    assert found["Krippendorff's alpha"] == pytest.approx(
        krippendorff.alpha(reliability_data=coded(rows).T, level_of_measurement="nominal"), abs=1e-12
    )
    assert found["Fleiss' kappa"] == pytest.approx(
        fleiss_kappa(aggregate_raters(coded(rows).astype(int))[0]), abs=1e-12
    )
    pair = [row[:2] for row in rows]
    found = {one.name: one.value for one in agreements(pair)}
    assert found["Cohen's kappa"] == pytest.approx(cohen_kappa_score(*zip(*pair, strict=True)), abs=1e-12)
    assert found["percent agreement"] == pytest.approx(np.mean([one == other for one, other in pair]), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_missing_labels_are_left_out_as_krippendorff_does(seed):
    rows = ratings(random.Random(seed), missing=0.25)
    found = {one.name: one for one in agreements(rows)}
    alpha = krippendorff.alpha(reliability_data=coded(rows).T, level_of_measurement="nominal")
    assert found["Krippendorff's alpha"].value == pytest.approx(alpha, abs=1e-12)
    assert found["Krippendorff's alpha"].n == sum(sum(label is not None for label in row) >= 2 for row in rows)


def test_ac1_by_hand():
    # two raters, 10 things: 8 agree (7 x, 1 y), pa = .8; share of x = 16/20 -> pi = .8, pe = 2 x .8 x .2 = .32
    rows = [["x", "x"]] * 7 + [["y", "y"]] + [["x", "y"], ["y", "x"]]
    found = {one.name: one.value for one in agreements(rows)}
    assert found["Gwet's AC1"] == pytest.approx((0.8 - 0.32) / (1 - 0.32), abs=1e-12)
    # Cohen: both say x in 8 of 10: pe = .64 + .04 = .68
    assert found["Cohen's kappa"] == pytest.approx((0.8 - 0.68) / (1 - 0.68), abs=1e-12)


def test_undefined_cases_say_why():
    few = agreements([["a", "a"], ["a", None]])
    assert {one.status for one in few} == {Status.UNDEFINED}
    assert few[0].reason == "1 were labelled by two raters; at least 3 are needed"
    same = {one.name: one for one in agreements([["a", "a"]] * 5)}
    assert same["percent agreement"].value == 1.0
    assert "only one label occurs" in same["Cohen's kappa"].reason
    assert same["Gwet's AC1"].value is None
    assert agreements([])[0].status is Status.UNDEFINED
    with pytest.raises(SettingsError, match="one entry for each rater"):
        agreements([["a"], ["a", "b"]])


def test_experts_are_compared_by_tag_and_by_score():
    one = (point("a", "The rent is EUR 2,000."), point("b", "It is due monthly.", Tag.INCORRECT))
    two = (point("c", "The rent is EUR 2,000."), point("d", "It is due monthly."))
    labels = [Annotation(f"i{n}", who, points) for n in range(4) for who, points in (("e1", one), ("e2", two))]
    labels.append(Annotation("alone", "e1", one))
    found, cut = tags.experts_among_themselves(labels)
    # 8 points, 4 of them tagged alike; Correctness 1/2 and 2/2: buckets .5 and 1 in all four answers
    assert (found["tag"][0].value, found["tag"][0].n) == (0.5, 8)
    assert (found["correctness"][0].value, found["correctness"][0].n) == (0.0, 4)
    assert found["relevance"][0].value == 1.0
    assert (cut.answers, cut.pairs, cut.same_tag, cut.only_judge) == (4, 8, 4, 0)
    assert tags.experts_among_themselves(labels[-1:]).cut is None
    assert tags.annotators(labels) == ["e1", "e2"]


# scores


def answers(judge, expert, documents=None):
    n = len(judge)
    return pd.DataFrame(
        {
            "item_id": [f"i{k}" for k in range(n)],
            "question": "Q?",
            "document_id": documents or [None] * n,
            "correctness": judge,
            "correctness_status": ["scored" if value == value else "undefined" for value in judge],
            "human_correctness": expert,
        }
    )


def test_only_answers_with_both_scores_count():
    found = against_experts(answers([1.0, 0.5, float("nan"), 0.0], [1.0, 0.75, 1.0, float("nan")]), "correctness")
    assert found.n == 2
    assert found.pearson.reason == "2 answers have both scores; at least 3 are needed"
    assert found.by_answer == (None, None)
    # buckets 1 = 1, .5 and .75 differ
    assert found.accuracy.value == 0.5
    # differences 0 and -.25
    assert found.bias.mean == -0.125


def test_bias_and_limits_equal_scipy():
    rng = np.random.default_rng(3)
    judge, expert = rng.random(40), rng.random(40)
    found = bias(judge, expert)
    expected = stats.ttest_1samp(judge - expert, 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert found.limit_high - found.mean == pytest.approx(1.96 * np.std(judge - expert, ddof=1), abs=1e-12)
    assert bias(np.array([]), np.array([])).mean is None
    assert bias(np.array([1.0]), np.array([0.5])) == (0.5, None, None, None, None)


def test_the_bootstrap_is_close_to_scipys_and_wider_by_document():
    rng = np.random.default_rng(5)
    x = rng.random(120)
    y = x + rng.normal(0, 0.3, 120)
    low, high = bootstrap(x, y, np.arange(120))
    expected = stats.bootstrap(
        (x, y), lambda a, b: stats.pearsonr(a, b).statistic, paired=True, vectorized=False, method="percentile",
        n_resamples=1000, rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=0.03)
    # each value ten times over: as many answers, but only twelve independent ones
    many = np.repeat(x[:12], 10), np.repeat(y[:12], 10)
    by_answer = bootstrap(*many, np.arange(120))
    by_document = bootstrap(*many, np.repeat(np.arange(12), 10))
    assert by_document[1] - by_document[0] > 2 * (by_answer[1] - by_answer[0])
    assert bootstrap(x[:4], y[:4], np.arange(4)) == (None, None)


@pytest.mark.parametrize(("hits", "total"), [(0, 10), (3, 10), (10, 10), (71, 72)])
def test_the_exact_interval_is_clopper_pearson(hits, total):
    expected = stats.binomtest(hits, total).proportion_ci(method="exact")
    found = exact_interval(Score(hits / total, numerator=hits, denominator=total))
    assert found == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert exact_interval(Score.undefined("no answer")) == (None, None)


def test_differences_are_judge_minus_expert():
    frame = differences(answers([1.0, 0.5], [0.5, 0.75]), "correctness")
    assert frame["difference"].tolist() == [0.5, -0.25]
    assert frame["mean"].tolist() == [0.75, 0.625]
