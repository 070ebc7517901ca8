"""SCORE's arithmetic: majority and padding rules, weights, bounds and identities, each with its sum."""

import math

import numpy as np
import pytest

from lemaj_core.errors import SettingsError
from lemaj_core.metrics.context_utilization import context_utilization, kinds
from lemaj_core.metrics.relevance import answer_relevance, rerank_points
from lemaj_core.metrics.robustness import similarity
from lemaj_core.metrics.specificity import PRESETS, Label, majority, specificity
from lemaj_core.types import Status


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [
        (["yes", "yes", "no"], Label.YES),
        (["Yes ", "YES", "N/A"], Label.YES),
        (["no", "No", "yes"], Label.NO),
        (["n/a", "NA", "N/A"], Label.NA),
        (["yes", "no", "n/a"], Label.NA),  # three-way tie
        (["yes", "no", None], Label.NA),  # a judge with too few claims is padded with n/a: a tie again
        (["yes", None, None], Label.NA),
        (["yes", "no"], Label.NA),
        (["yes", "yes", "no", "no"], Label.NA),
        (["yes"], Label.YES),
        ([], Label.NA),
    ],
)
def test_majority(labels, wanted):
    assert majority(labels) is wanted


def test_unknown_labels_are_refused():
    with pytest.raises(SettingsError, match="maybe"):
        majority(["maybe"])


def votes(*rows):
    """Three agreeing judges per cell; y, n and - for yes, no and n/a."""
    word = {"y": "yes", "n": "no", "-": "n/a"}
    return [[[word[cell]] * 3 for cell in row] for row in rows]


def test_specificity_with_the_paper_weights():
    # hazard 2/3, location 1/1, timeline n/a, intensity 0/1
    found = specificity(votes("yy-n", "y---", "n---"), PRESETS["hazard"])
    assert [score.value for score in found.per_dimension] == [2 / 3, 1.0, None, 0.0]
    # (.6 * 2/3 + .2 * 1 + .1 * 0) / (.6 + .2 + .1) = .6 / .9
    assert found.value == pytest.approx(2 / 3, abs=1e-15)


def test_all_na_is_undefined_unless_the_paper_is_reproduced():
    nothing = votes("----", "----")
    assert specificity(nothing, PRESETS["hazard"]).status is Status.UNDEFINED
    assert specificity(nothing, PRESETS["hazard"], all_na="zero").value == 0.0
    assert specificity([], PRESETS["hazard"]).reason == "no claims"


def test_short_judges_are_padded():
    # judge 3 returned nothing for the claim: yes, yes, n/a -> yes ; yes, no, n/a -> n/a
    found = specificity([[["yes", "yes"], ["yes", "no"], ["yes", "yes", "yes"]]])
    assert [score.value for score in found.per_dimension] == [1.0, None, 1.0]


@pytest.mark.parametrize(
    ("table", "weights", "words"),
    [
        ([[["yes"]], [["yes"], ["no"]]], None, "dimensions"),
        ([[["yes"]]], [0.5, 0.5], "2 weights for 1"),
        ([[["yes"]]], [-1], "not negative"),
    ],
)
def test_ragged_tables_and_weights(table, weights, words):
    with pytest.raises(SettingsError, match=words):
        specificity(table, weights)


def test_context_utilization_identities():
    full, without = 0.32, [0.30, 0.32, 0.35, 0.10]
    found = context_utilization(full, without)
    np.testing.assert_allclose(found.delta, [0.02, 0.0, -0.03, 0.22], atol=1e-15)
    # CU = .21 / 4, CU_rel = CU / f
    assert found.cu.value == pytest.approx(0.0525)
    assert found.cu_rel.value == pytest.approx(0.0525 / 0.32)
    assert kinds(found) == ["necessary", "neutral", "distracting", "necessary"]


def test_context_utilization_bounds():
    rng = np.random.default_rng(0)
    for _ in range(200):
        found = context_utilization(rng.uniform(0.01, 1), rng.uniform(0, 1, rng.integers(1, 9)))
        assert (found.delta > -1).all()
        assert (found.delta <= 1).all()
        assert (found.delta_rel <= 1).all()


def test_context_utilization_undefined():
    assert context_utilization(0.4, []).cu.reason == "the context has no claims"
    gone = context_utilization(0.0, [0.1])
    assert gone.cu.value == -0.1
    assert gone.cu_rel.status is Status.UNDEFINED


def test_entropy_variant_keeps_the_sign():
    # entropy 1.0 nat with the claim, 1.5 without: the claim helps, +.5
    found = context_utilization(-1.0, [-1.5], variant="entropy")
    assert (found.cu.value, found.cu_rel.value) == (0.5, 0.5)


@pytest.mark.parametrize(("full", "without", "variant"), [(1.2, [0.1], "probability"), (0.2, [math.nan], "probability"),
                                                          (0.2, [-0.1], "entropy"), (0.2, [0.1], "loss")])  # fmt: skip
def test_context_utilization_refuses(full, without, variant):
    with pytest.raises(SettingsError):
        context_utilization(full, without, variant=variant)


def test_cosines():
    assert similarity([3, 4], [4, 3]).value == pytest.approx(24 / 25)
    assert similarity([1e-200, 0], [1e200, 0]).value == 1.0
    assert similarity([0, 0], [1, 0]).status is Status.UNDEFINED
    with pytest.raises(SettingsError, match="shapes"):
        similarity([1], [1, 2])
    with pytest.raises(SettingsError, match="finite"):
        similarity([math.nan], [1])


def test_answer_relevance_is_the_mean_of_five():
    found = answer_relevance([1, 0], [[1, 0], [0, 1], [3, 4], [4, 3], [1, 0]])
    assert found.value == pytest.approx((1 + 0 + 0.6 + 0.8 + 1) / 5)
    assert answer_relevance([1, 0], []).status is Status.UNDEFINED
    assert answer_relevance([1, 0], [[0, 0]]).status is Status.UNDEFINED


def test_reranking():
    found = rerank_points(2.0, [1.5, 0.5, 2.5])
    assert found.delta.tolist() == [0.5, 1.5, -0.5]
    assert found.order == (1, 0, 2)
    assert found.changed
    assert not rerank_points(1.0, [0.2, 0.2, 0.2]).changed  # equal Deltas keep their order
    assert rerank_points(1.0, []).order == ()
