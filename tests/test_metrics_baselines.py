"""Baselines count overlap with the reference as sacrebleu and rouge-score do, and exist only where there is one."""

import asyncio

import pytest

from lemaj_core.judge.baselines import BaselinesExaminer
from lemaj_core.metrics.baselines import overlap, scores
from lemaj_core.metrics.table import METRICS
from lemaj_core.types import Item, RunSettings, Status

REFERENCE = "The tenant may end the lease on sixty days notice."


def examine(answer, reference):
    return asyncio.run(BaselinesExaminer().examine(Item("a", "Q?", answer, reference=reference), None, None))


def test_one_wrong_number_overlaps_almost_wholly():
    found = overlap("The tenant may end the lease on thirty days notice.", REFERENCE)
    # 9 of 10 words are shared, in the same order: P = R = .9
    assert found["rouge1"] == pytest.approx(0.9)
    assert found["rougeL"] == pytest.approx(0.9)
    # n-grams shared with the full stop as a token: 10/11, 8/10, 6/9, 4/8: (.9091 x .8 x .6667 x .5) ** .25
    assert found["bleu"] == pytest.approx((10 / 11 * 8 / 10 * 6 / 9 * 4 / 8) ** 0.25, abs=1e-9)


def test_the_same_text_reaches_the_top_and_another_nothing():
    assert overlap(REFERENCE, REFERENCE) == {"bleu": pytest.approx(1.0), "rouge1": 1.0, "rougeL": 1.0}
    assert overlap("Bananas!", REFERENCE)["rouge1"] == 0.0


@pytest.mark.parametrize(
    ("answer", "reference", "reason"),
    [("x", None, "no reference answer"), ("x", "  ", "no reference answer"), (" ", "x", "the answer is empty")],
)
def test_without_two_texts_it_is_undefined(answer, reference, reason):
    found = examine(answer, reference)
    assert (found.status, found.reason) == (Status.UNDEFINED, reason)


def test_scores_come_from_the_counts():
    found = scores(examine(REFERENCE, REFERENCE).detail, RunSettings())
    assert {key: score.value for key, score in found.items()} == {
        "bleu": pytest.approx(1.0),
        "rouge1": 1.0,
        "rougeL": 1.0,
    }
    assert all(METRICS[key].low <= score.value <= METRICS[key].high for key, score in found.items())
