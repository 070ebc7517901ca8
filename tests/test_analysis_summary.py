"""Means: the interval against scipy, and what is undefined, failed or waiting counted and never averaged in."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from lemaj_core.analysis.summary import answer_states, by, mean, summarise, tags_by


def test_mean_leaves_out_what_is_not_scored():
    found = mean(
        pd.Series([0.5, 1.0, np.nan, 0.0, 0.7]), pd.Series(["scored", "scored", "undefined", "failed", "waiting"])
    )
    assert found.mean == 0.75  # (0.5 + 1.0) / 2
    assert (found.n_scored, found.n_undefined, found.n_failed, found.n_total) == (2, 1, 1, 4)


def test_interval_is_students_t():
    values = np.array([0.2, 0.4, 0.5, 0.9])
    found = mean(values, np.array(["scored"] * 4))
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_interval_is_cut_to_the_range():
    found = mean(np.array([0.0, 1.0]), np.array(["scored"] * 2))
    assert (found.low, found.high) == (0.0, 1.0)


def test_all_at_the_top_is_not_certainty():
    found = mean(np.ones(10), np.array(["scored"] * 10))
    # Clopper-Pearson for 10 of 10: (.05/2) ** (1/10)
    assert found.low == pytest.approx(0.025 ** (1 / 10), abs=1e-12)
    assert found.high == 1.0
    bottom = mean(np.zeros(10), np.array(["scored"] * 10))
    assert (bottom.low, bottom.high) == pytest.approx((0.0, 1 - 0.025 ** (1 / 10)), abs=1e-12)


@pytest.mark.parametrize("values", [[], [0.4], [0.4, 0.4, 0.4]])
def test_no_interval_where_none_can_be_had(values):
    found = mean(np.array(values), np.array(["scored"] * len(values), dtype=object))
    assert (found.low, found.high) == (None, None)
    assert found.mean == pytest.approx(0.4) if values else found.mean is None


@pytest.fixture
def frame(small_run):
    return small_run.store.answers(small_run.run_id)


def test_states_add_up(frame):
    states = answer_states(frame)
    assert states["total"] == len(frame) == sum(count for key, count in states.items() if key != "total")
    assert states["failed"] == int((frame["status"] == "failed").sum()) > 0
    assert states["waiting"] == int((frame["status"] == "waiting").sum()) > 0


def test_summary_names_every_metric_with_its_counts(frame):
    found = summarise(frame)
    assert set(found["metrics"]) == {"correctness", "precision", "recall", "relevance"}
    for counts in found["metrics"].values():
        assert counts["n_total"] == counts["n_scored"] + counts["n_undefined"] + counts["n_failed"]
        assert counts["n_failed"] == found["answers"]["failed"]
    assert found["tags"]["correct"] == int(frame["correct"].fillna(0).sum())


def test_groups_add_up_to_the_whole(frame):
    grouped = by(frame, "model")
    whole = summarise(frame)["metrics"]
    for key, part in grouped.groupby("metric"):
        assert part["n_scored"].sum() == whole[key]["n_scored"]
    tags = tags_by(frame, "model")
    assert tags.groupby("tag")["points"].sum().to_dict() == summarise(frame)["tags"]
