"""Properties that hold for every metric of the table, so that a new one cannot be added half."""

import pytest

from lemaj_core.metrics import context_utilization, readability, relevance, robustness, specificity
from lemaj_core.metrics.data_points import score_counts
from lemaj_core.metrics.findings import FORMULAS, scores
from lemaj_core.metrics.specificity import PRESETS
from lemaj_core.metrics.table import METRICS, Direction, in_group
from lemaj_core.types import Finding, RunSettings, Score, Status

ALL = pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.key)


@ALL
def test_every_fact_is_there(metric):
    assert METRICS[metric.key] is metric
    for name in ("label", "formula", "undefined", "source", "caveat", "example"):
        assert len(getattr(metric, name)) > 2, name
    assert metric.low < metric.high
    assert metric.direction in Direction
    assert metric in in_group(metric.group)


def test_the_example_of_each_metric_is_right():
    # the examples of the table, worked again: 3 correct with 1 incorrect, 2 irrelevant, 1 missing, 2 irrelevant
    assert score_counts(3, 1, 0, 0).correctness.value == 0.75
    assert score_counts(3, 0, 2, 0).precision.value == 0.60
    assert score_counts(3, 0, 0, 1).recall.value == 0.75
    assert score_counts(3, 0, 2, 0).relevance.value == 0.75
    for key, shown in (("correctness", "0.75"), ("precision", "0.60"), ("recall", "0.75"), ("relevance", "0.75")):
        assert METRICS[key].example.endswith(shown)


def test_the_examples_of_readability_are_right():
    # 100 words, 5 sentences, 150 syllables: 206.835 - 1.015 x 20 - 84.6 x 1.5 and .39 x 20 + 11.8 x 1.5 - 15.59
    found = readability.scores({"words": 100, "sentences": 5, "syllables": 150, "reason": None}, RunSettings())
    for key, shown in (("fre", 59.635), ("fkgl", 9.91)):
        assert found[key].value == pytest.approx(shown, abs=1e-9)
        assert METRICS[key].example.endswith(str(shown))


def test_the_example_of_specificity_is_right():
    # hazard 1 of 1, location 0 of 1, timeline and intensity not stated: (.6 x 1 + .2 x 0) / (.6 + .2) = .75
    cells = {"hazard": [{"label": "yes"}] * 3, "location": [{"label": "no"}] * 3}
    detail = {"dimensions": PRESETS["hazard"], "judges": ["a", "b", "c"], "claims": [{"cells": cells}]}
    assert specificity.scores(detail, RunSettings())["specificity"].value == 0.75
    assert METRICS["specificity"].example.endswith("0.75")


def test_the_examples_of_context_utilization_are_right():
    # Delta = .5 - .25 = .25 and .5 - .5 = 0: CU = .25 / 2 = .125, CU_rel = .125 / .5 = .25
    found = context_utilization.scores({"full": 0.5, "without": [0.25, 0.5]}, RunSettings())
    assert (found["cu"].value, found["cu_rel"].value) == (0.125, 0.25)
    assert METRICS["cu"].example.endswith("0.125")
    assert METRICS["cu_rel"].example.endswith("0.25")


def test_the_examples_of_relevance_and_robustness_are_right():
    # (0.9 + 0.8 + 0.7 + 0.6 + 0.5) / 5; 2.0 - 1.5 = 0.5 and 2.0 - 0.5 = 1.5; 1 x 0.6 + 0 x 0.8 = 0.6
    questions = [{"text": "?", "similarity": value} for value in (0.9, 0.8, 0.7, 0.6, 0.5)]
    assert relevance.scores({"questions": questions}, RunSettings())["answer_relevance"].value == pytest.approx(0.70)
    assert METRICS["answer_relevance"].example.endswith("0.70")
    assert relevance.rerank_points(2.0, [1.5, 0.5]).delta.tolist() == [0.5, 1.5]
    assert relevance.rerank_points(2.0, [1.5, 0.5]).order == (1, 0)
    cosine = robustness.similarity([1, 0], [0.6, 0.8]).value
    assert cosine == pytest.approx(0.60)
    detail = {"paraphrase": {"similarity": cosine}, "perturbation": {"reason": "the column is empty"}}
    found = robustness.scores(detail, RunSettings())
    assert found["robustness_paraphrase"].value == cosine
    assert found["robustness_perturbation"] == Score.undefined("the column is empty")
    assert METRICS["robustness_perturbation"].direction is Direction.LOWER
    assert METRICS["robustness_paraphrase"].direction is Direction.HIGHER


@pytest.mark.parametrize("group", FORMULAS)
def test_every_metric_of_a_group_is_scored_undefined_or_failed_together(group):
    keys = {metric.key for metric in in_group(group)}
    for status, reason in ((Status.FAILED, "timeout"), (Status.UNDEFINED, "no contexts")):
        found = scores([Finding("a", group, "x", status, {}, None, reason)], RunSettings())
        assert set(found) == keys
        assert {(score.status, score.reason, score.value) for score in found.values()} == {(status, reason, None)}


def test_a_second_finding_of_a_group_does_not_replace_the_scores_of_the_first():
    counts = {"words": 100, "sentences": 5, "syllables": 150, "reason": None}
    first = Finding("a", "readability", "textstat", Status.SCORED, counts)
    second = Finding("a", "readability", "other", Status.SCORED, counts | {"sentences": 10})
    assert scores([first, second], RunSettings()) == scores([first], RunSettings())


@pytest.mark.parametrize("metric", in_group("data_points"), ids=lambda metric: metric.key)
def test_nothing_judged_is_undefined_and_values_stay_in_range(metric):
    nothing = getattr(score_counts(0, 0, 0, 0), metric.key)
    assert nothing.status is Status.UNDEFINED
    assert nothing.reason in metric.undefined
    for counts in [(c, i, r, m) for c in range(3) for i in range(3) for r in range(3) for m in range(3)]:
        score = getattr(score_counts(*counts), metric.key)
        assert score.value is None or metric.low <= score.value <= metric.high
