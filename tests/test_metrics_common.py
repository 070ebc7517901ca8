"""Properties that hold for every metric of the table, so that a new one cannot be added half."""

import pytest

from lemaj_core.metrics.data_points import score_counts
from lemaj_core.metrics.table import METRICS, Direction, in_group
from lemaj_core.types import Status

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


@pytest.mark.parametrize("metric", in_group("data_points"), ids=lambda metric: metric.key)
def test_nothing_judged_is_undefined_and_values_stay_in_range(metric):
    nothing = getattr(score_counts(0, 0, 0, 0), metric.key)
    assert nothing.status is Status.UNDEFINED
    assert nothing.reason in metric.undefined
    for counts in [(c, i, r, m) for c in range(3) for i in range(3) for r in range(3) for m in range(3)]:
        score = getattr(score_counts(*counts), metric.key)
        assert score.value is None or metric.low <= score.value <= metric.high
