"""Agreement: equal to scipy, the p-values that LeMAJ published, and undefined with a reason."""

import numpy as np
import pytest
from scipy import stats

from lemaj_core.errors import SettingsError
from lemaj_core.metrics.agreement import bucketed_accuracy, commonest_bucket, pearson, spearman
from lemaj_core.types import Status


@pytest.mark.parametrize("seed", range(5))
def test_equals_scipy(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.random(40), rng.random(40)
    found, expected = pearson(x, y), stats.pearsonr(x, y)
    interval = expected.confidence_interval(0.95)
    assert (found.value, found.p, found.low, found.high) == pytest.approx(
        (expected.statistic, expected.pvalue, interval.low, interval.high), abs=1e-12
    )
    rho = stats.spearmanr(x, y)
    assert (spearman(x, y).value, spearman(x, y).p) == pytest.approx((rho.statistic, rho.pvalue), abs=1e-12)
    assert spearman(x, y).low < rho.statistic < spearman(x, y).high


@pytest.mark.parametrize(("r", "n", "published"), [(0.354, 170, 2.13e-6), (0.700, 170, 2.52e-26)])
def test_the_published_p_values(r, n, published):
    # two lists whose correlation is exactly r: y = r x + sqrt(1 - r²) e with x, e centred, of length 1, orthogonal
    rng = np.random.default_rng(0)
    basis, _ = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, 2))]))
    x, e = basis[:, 1], basis[:, 2]
    found = pearson(x, r * x + np.sqrt(1 - r**2) * e)
    assert found.value == pytest.approx(r, abs=1e-12)
    assert found.p == pytest.approx(published, rel=0.05)  # r was rounded to three places


def test_missing_pairs_are_left_out_and_counted():
    found = pearson([0, 0.5, None, 1, 0.2], [0, 0.4, 1, 1, float("nan")])
    assert found.n == 3
    assert found.value == pytest.approx(stats.pearsonr([0, 0.5, 1], [0, 0.4, 1]).statistic)


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        ([], [], "0 answers"),
        ([1, 0], [0, 1], "2 answers"),
        ([1, 1, 1], [0, 0.5, 1], "the judge gave the same score to all 3"),
        ([0, 0.5, 1], [1, 1, 1], "the expert gave the same score"),
    ],
)
def test_undefined_says_why(x, y, words):
    for statistic in (pearson, spearman):
        found = statistic(x, y)
        assert found.status is Status.UNDEFINED
        assert found.value is found.p is None
        assert words in found.reason


def test_lengths_must_match():
    with pytest.raises(SettingsError, match="same answers"):
        pearson([1], [1, 2])


def test_bucketed_accuracy_rounds_down():
    # .79 -> .75 = .75; .24 -> 0, .25 -> .25; 1 = 1; .5, .74 -> .5
    found = bucketed_accuracy([0.79, 0.24, 1, 0.5, None], [0.75, 0.25, 1, 0.74, 1])
    assert (found.numerator, found.denominator, found.value) == (3, 4, 0.75)
    assert commonest_bucket([1, 1, 0.99, None]).value == 2 / 3
    assert bucketed_accuracy([None], [1]).status is Status.UNDEFINED
    assert commonest_bucket([]).status is Status.UNDEFINED
