"""Triage: exact clearing, time saved, the bound against scipy, curves against decisions, margins against search."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from lemaj_core.analysis import triage
from lemaj_core.analysis.margin import Margin, is_cleared, margin, margins
from lemaj_core.errors import SettingsError
from lemaj_core.metrics.data_points import score_counts


def answers(*rows, minutes=None, correctness=None, relevance=None, beta=1.0):
    """Build the columns that triage reads; a row is (C, I, R, M) or None for a failed answer."""
    built = []
    for position, counts in enumerate(rows):
        row = {"item_id": f"a{position}", "status": "scored" if counts else "failed", "untagged": 0}
        row |= dict(zip(("correct", "incorrect", "irrelevant", "missing"), counts or (0, 0, 0, 0), strict=True))
        row["minutes"] = minutes[position] if minutes else None
        row["human_correctness"] = correctness[position] if correctness else None
        row["human_relevance"] = relevance[position] if relevance else None
        for key in ("correctness", "relevance"):
            score = getattr(score_counts(*counts, beta=beta), key) if counts else None
            row[key] = score.value if score else None
            row[f"{key}_status"] = str(score.status) if score else "failed"
            row[f"{key}_numerator"] = score.numerator if score else None
            row[f"{key}_denominator"] = score.denominator if score else None
        built.append(row)
    return pd.DataFrame(built)


def random_answers(n=300, seed=0):
    rng = np.random.default_rng(seed)
    rows = [tuple(map(int, rng.integers(0, 5, 4))) if rng.random() > 0.05 else None for _ in range(n)]
    labels = [float(x) if rng.random() < 0.5 else None for x in rng.choice([0.5, 1.0, 1.0], n)]
    return answers(*rows, minutes=[float(m) for m in rng.integers(1, 20, n)], correctness=labels)


def test_clears_exactly_at_the_threshold():
    frame = answers((6, 0, 1, 2), (3, 0, 0, 2), (1, 0, 0, 0), (9, 1, 0, 0))
    # relevance 12/15 = .80, 6/8 = .75, 1, 1; correctness 1, 1, 1, .9
    assert triage.cleared(frame).tolist() == [True, False, True, False]
    assert triage.cleared(frame, "0.9", "0.75").tolist() == [True, True, True, True]
    assert triage.cleared(frame, 0.9, 0.75).tolist() == [True, True, True, True]


def test_undefined_and_failed_are_never_cleared():
    frame = answers(None, (0, 2, 0, 0), (0, 0, 0, 0), (0, 0, 0, 3))
    assert not triage.cleared(frame, 0, 0).any()


def test_time_saved_is_minutes_cleared_over_all_minutes():
    frame = answers((1, 0, 0, 0), (0, 1, 0, 0), (2, 0, 0, 0), None, minutes=[10, 5, None, 20])
    found = triage.decide(frame, minutes=5)
    # cleared: 10 + 5 (default) of 10 + 5 + 5 + 20
    assert (found.cleared, found.total, found.minutes_saved, found.minutes_total) == (2, 4, 15, 40)
    assert found.time_saved == 15 / 40


def test_the_sentence_of_the_paper_example():
    # 51 cleared answers, 0 defects: 1 - .05 ** (1/51) = .0570
    found = triage.decide(answers(*[(1, 0, 0, 0)] * 51, correctness=[1.0] * 51))
    assert found.bound == pytest.approx(1 - 0.05 ** (1 / 51), abs=1e-12)
    assert "these 51 answers go out unread, at most 5.7 % are defective, 95 %" in found.sentence


def test_no_labels_no_bound():
    found = triage.decide(answers((1, 0, 0, 0)))
    assert found.bound is None
    assert "unknown" in found.sentence
    assert "No answer" in triage.decide(answers((0, 1, 0, 0))).sentence


@pytest.mark.parametrize(("wrong", "n"), [(0, 1), (0, 51), (1, 20), (7, 20), (20, 20), (19, 20)])
def test_bound_is_clopper_pearson(wrong, n):
    expected = stats.binomtest(wrong, n, alternative="less").proportion_ci(0.95, "exact").high
    assert float(triage.risk_bound(wrong, n)) == pytest.approx(expected, abs=1e-12)


def test_bound_of_nothing_is_undefined():
    assert np.isnan(triage.risk_bound(0, 0))


def test_defects_count_relevance_only_on_request():
    frame = answers((1, 0, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0), correctness=[1, 0.5, None], relevance=[0.2, 1, 0])
    assert triage.decide(frame).defects_among_cleared == 1
    found = triage.decide(frame, relevance_floor=0.8)
    assert (found.defects_among_cleared, found.labelled_cleared) == (2, 2)


@pytest.mark.parametrize("vary", ["relevance", "correctness"])
def test_curve_equals_one_decision_per_threshold(vary):
    frame = random_answers()
    drawn = triage.curve(frame, vary, other="0.6")
    for row in drawn.iloc[::7].itertuples():
        pair = {"relevance": str(row.threshold), "correctness": "0.6"}
        if vary == "correctness":
            pair = {"correctness": str(row.threshold), "relevance": "0.6"}
        one = triage.decide(frame, **pair)
        assert (row.cleared, row.defects, row.labelled) == (
            one.cleared,
            one.defects_among_cleared,
            one.labelled_cleared,
        )
        assert row.time_saved == pytest.approx(one.time_saved)
        assert np.isnan(row.bound) if one.bound is None else row.bound == pytest.approx(one.bound)
    assert (np.diff(drawn["cleared"]) <= 0).all()  # a higher threshold never clears more


def test_grid_equals_one_decision_per_pair():
    frame = random_answers(seed=1)
    for row in triage.grid(frame).iloc[::29].itertuples():
        one = triage.decide(frame, f"{row.correctness:.2f}", f"{row.relevance:.2f}")
        assert row.cleared_share == pytest.approx(one.cleared / one.total)
        assert row.time_saved == pytest.approx(one.time_saved)


def test_empty_frame():
    frame = random_answers(5).iloc[:0]
    found = triage.decide(frame)
    assert (found.cleared, found.total, found.time_saved) == (0, 0, None)
    assert len(triage.curve(frame)) == 101
    assert triage.queue(frame).empty


@pytest.mark.parametrize("value", ["1.2", "-0.1", "high", "nan", "1/0"])
def test_thresholds_are_checked(value):
    with pytest.raises(SettingsError, match="threshold"):
        triage.threshold(value)


def test_queue_puts_what_is_unknown_first_and_the_nearest_last():
    frame = answers((1, 0, 0, 0), (3, 1, 0, 0), None, (0, 4, 0, 0), (0, 0, 0, 0))
    listed = triage.queue(frame)
    assert listed["item_id"].tolist() == ["a2", "a4", "a3", "a1"]
    assert listed["flips"].tolist() == [None, None, 4, 1]


def test_margin_words():
    assert margin(3, 1, 0, 0) == Margin(False, 1)
    assert margin(3, 1, 0, 0).sentence == "1 flip from being cleared."
    assert margin(3, 0, 0, 0).sentence == "1 flip from being flagged for review."
    assert margin(0, 0, 0, 0) == Margin(False, None)
    assert "No change" in margin(0, 0, 0, 0).sentence


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(
    ("low", "high"), [("1", "0.8"), ("0.5", "0.5"), ("0", "0"), ("0", "0.8"), ("1", "0"), ("0.75", "1")]
)
def test_margin_equals_the_search_over_all_flips(low, high, beta):
    for size in range(6):
        states = [state for state in product(range(size + 1), repeat=5) if sum(state) == size]
        clear = {s: is_cleared(*s[:4], correctness=low, relevance=high, beta=beta) for s in states}
        for state in states:
            flips = [
                sum(max(0, before - after) for before, after in zip(state, other, strict=True))
                for other in states
                if clear[other] != clear[state] and other[4] <= state[4]
            ]
            found = margin(*state, correctness=low, relevance=high, beta=beta)
            assert found == Margin(clear[state], min(flips, default=None)), state


def test_margins_of_a_frame():
    frame = answers((3, 1, 0, 0), None, (3, 0, 0, 0))
    assert margins(frame).tolist() == [1, None, 1]
