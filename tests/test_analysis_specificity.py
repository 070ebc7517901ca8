"""Specificity of a run in tables, and that a thousand answers are scored from their votes in under a second."""

import random
import time

import pytest

from lemaj_core.analysis import specificity as analysis
from lemaj_core.metrics.specificity import PRESETS, answer_specificity, specificity, votes_of
from lemaj_core.types import Finding, Status

NAMES = {"hazard": 0.6, "location": 0.2}


def cast(*labels):
    return [{"label": label, "found": ["f"], "evidence": [{"quote": "q"}], "reason": "r"} for label in labels]


def finding(key, *claims, status=Status.SCORED, reason=None):
    if status is not Status.SCORED:
        return Finding(key, "specificity", "offline", status, reason=reason)
    numbered = [{"text": f"claim {n}", "cells": cells} for n, cells in enumerate(claims, start=1)]
    detail = {"dimensions": NAMES, "judges": ["x", "y", "z"], "claims": numbered}
    return Finding(key, "specificity", "offline", Status.SCORED, detail)


FINDINGS = [
    # hazard: yes (3:0), no (2:1) -> 1/2; location: yes, no and n/a tie -> n/a
    finding("a", {"hazard": cast("yes", "yes", "yes")},
            {"hazard": cast("no", "no", "yes"), "location": cast("yes", "no", "n/a")}),
    finding("b", {}),
    finding("c", status=Status.UNDEFINED, reason="the answer makes no claim"),
    finding("d", status=Status.FAILED, reason="timeout"),
    finding("e", {"location": cast("yes", "yes", "yes")}),
]  # fmt: skip


def test_one_row_per_answer_with_counts():
    names, table = analysis.table(iter(FINDINGS))
    table = table.set_index("item_id")
    assert names == NAMES
    assert table.loc["a", "specificity"] == 0.5  # hazard 1/2 alone is defined
    assert dict(table.loc["a"].filter(like=": ")) == {
        "yes: hazard": 1, "stated: hazard": 2, "seen: hazard": 2, "split: hazard": 1,
        "yes: location": 0, "stated: location": 0, "seen: location": 1, "split: location": 1,
    }  # fmt: skip
    assert list(table["status"]) == ["scored", "undefined", "undefined", "failed", "scored"]
    assert table.loc["b", "reason"] == "every weighted dimension is n/a"
    assert table.loc["d", "reason"] == "timeout"
    assert table["specificity"].isna().tolist() == [False, True, True, True, False]
    assert table["claims"].tolist() == [2, 1, 0, 0, 1]


def test_the_switch_for_all_na_changes_only_such_answers():
    table = analysis.table(FINDINGS, all_na="zero")[1].set_index("item_id")
    assert table.loc["b", "specificity"] == 0.0
    assert table.loc["b", "status"] == "scored"
    assert table["specificity"].isna().tolist() == [False, False, True, True, False]


def test_agreement_counts_pairs_in_which_anything_was_found():
    # a: 3 pairs, 1 unanimous; e: 1 pair, unanimous
    assert analysis.agreement(analysis.table(FINDINGS)[1], list(NAMES)) == (2, 4)


def test_every_vote_is_a_row():
    rows = analysis.votes(FINDINGS)
    assert len(rows) == 3 * 4
    last = rows[(rows["item_id"] == "a") & (rows["dimension"] == "location")]
    assert last["label"].tolist() == ["yes", "no", "n/a"]
    assert set(last["majority"]) == {"n/a"}
    assert set(last["claim"]) == {2}


def test_profile_means_shares_over_the_answers_that_state_a_dimension():
    table = analysis.table(FINDINGS)[1].assign(model=["m", "m", "m", None, None])
    rows = analysis.profile(table, list(NAMES)).set_index(["model", "dimension"])
    assert rows.loc[("m", "hazard")].to_dict() == {
        "mean": 0.5, "low": None, "high": None, "answers": 1, "yes": 1, "stated": 2,
    }  # fmt: skip
    assert rows.loc[("no model named", "location"), "mean"] == 1.0
    assert rows.loc[("m", "location"), "answers"] == 0


def test_an_empty_run_has_an_empty_table():
    names, table = analysis.table([])
    assert names == {}
    assert table.empty
    assert analysis.votes([]).empty


def test_a_thousand_answers_are_scored_from_their_votes_in_under_a_second():
    chance = random.Random(0)
    names = list(PRESETS["hazard"])
    details = [
        {
            "dimensions": PRESETS["hazard"],
            "judges": ["x", "y", "z"],
            "claims": [
                {"cells": {name: [{"label": chance.choice(("yes", "no", "n/a"))} for _ in range(3)] for name in names}}
                for _ in range(9)
            ],
        }
        for _ in range(1000)
    ]
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        scores = [answer_specificity(detail).value for detail in details]
        best = min(best, time.perf_counter() - start)
    assert best < 1.0
    # the remembered majorities change nothing
    assert scores[:20] == [
        pytest.approx(_by_hand(votes_of(detail), list(PRESETS["hazard"].values()))) for detail in details[:20]
    ]


def _by_hand(votes, weights):
    top = bottom = 0.0
    for dimension, weight in enumerate(weights):
        verdicts = []
        for claim in votes:
            counts = {label: claim[dimension].count(label) for label in ("yes", "no", "n/a")}
            first = max(counts.values())
            winners = [label for label, count in counts.items() if count == first]
            verdicts.append(winners[0] if len(winners) == 1 else "n/a")
        if verdicts.count("n/a") < len(verdicts):
            top += weight * verdicts.count("yes") / (verdicts.count("yes") + verdicts.count("no"))
            bottom += weight
    return top / bottom


def test_votes_that_are_shorter_than_the_others_are_padded():
    assert specificity([[["yes", "no"], ["yes"]], [["yes"], ["no", "no", "no"]]], [1.0, 1.0]).value == 0.0
    # claim 1: (yes no n/a) tie and (yes n/a n/a) n/a; claim 2: (yes n/a n/a) n/a and no: only location 0/1
