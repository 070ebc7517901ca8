"""A jury's verdicts by hand: who votes, what carries, who was alone, and how often a model contradicts itself."""

import math

import pytest

from lemaj_core.analysis import jury
from lemaj_core.errors import SettingsError
from lemaj_core.types import DataPoint, Status, Tag

C, I, R, M = "correct", "incorrect", "irrelevant", "missing"  # noqa: E741
ANSWER = "The rent is EUR 2,000. It is due monthly. The flat is large."
FIRST, SECOND, THIRD = (0, 22), (23, 41), (42, 60)


def point(tag, place, text=None):
    start, end = place if place else (None, None)
    return DataPoint("p", text or ANSWER[start:end], Tag(tag) if tag else None, "why", start, end)


def missing(text):
    return point(M, None, text)


@pytest.mark.parametrize(
    ("votes", "rule", "carried"),
    [
        ((C, C, I), "majority", C),
        ((C, I), "majority", "undecided"),
        ((C, I, R), "majority", "undecided"),
        # two of four are not more than half
        ((C, C, I, R), "majority", "undecided"),
        ((C, C, C, I), "majority", C),
        ((C,), "majority", C),
        ((), "majority", "undecided"),
        ((jury.ABSENT, jury.ABSENT, M), "majority", jury.ABSENT),
        ((C, C, C), "unanimous", C),
        ((C, C, I), "unanimous", "undecided"),
        ((), "unanimous", "undecided"),
        # weights 3, 1, 1: the first outvotes both others
        ((C, I, I), "weighted", C),
        ((C, I, I), "majority", I),
    ],
)
def test_what_carries(votes, rule, carried):
    named = dict(zip("abcd", votes, strict=False))
    assert jury.decide(named, rule, {"a": 3.0}) == carried


def test_half_of_the_weight_is_a_tie_and_a_weight_of_nothing_decides_nothing():
    assert jury.decide({"a": C, "b": I, "c": I}, "weighted", {"a": 2.0}) == "undecided"
    assert jury.decide({"a": C, "b": I}, "weighted", {"a": 0.0, "b": 0.0}) == "undecided"
    assert jury.decide({"a": C, "b": I}, "weighted", {"a": 0.0}) == I


@pytest.mark.parametrize(
    ("rule", "weights"), [("loudest", {}), ("weighted", {"a": -1.0}), ("weighted", {"a": math.nan})]
)
def test_a_rule_that_is_none_is_refused(rule, weights):
    with pytest.raises(SettingsError):
        jury.decide({"a": C}, rule, weights)


def test_points_are_laid_side_by_side_by_place():
    read = {
        "a": [point(C, FIRST), point(C, SECOND)],
        "b": [point(C, SECOND), point(I, FIRST), missing("The deposit.")],
        "c": [point(C, FIRST), point(R, THIRD), missing("The deposit is left out.")],
    }
    found = jury.hear("x", read)
    assert [(one.number, one.text) for one in found] == [
        (1, "The rent is EUR 2,000."),
        (2, "It is due monthly."),
        (3, "The deposit."),
        (4, "The flat is large."),
    ]
    no = jury.ABSENT
    assert [dict(one.votes) for one in found] == [
        {"a": C, "b": I, "c": C},
        {"a": C, "b": C, "c": no},
        {"a": no, "b": M, "c": M},
        {"a": no, "b": no, "c": R},
    ]
    assert [one.tag for one in found] == [C, C, M, no]
    assert [one.alone for one in found] == ["b", "c", "a", "c"]
    # one of three pairs agrees each time
    assert [one.agreement for one in found] == [pytest.approx(1 / 3)] * 4
    # carried: correct, correct, missing; the last is struck out: C = 2, M = 1
    scores = jury.verdict(found)
    assert scores.correctness.value == 1.0
    assert scores.recall.value == pytest.approx(2 / 3)
    assert scores.relevance.value == pytest.approx(0.8)  # 2·2 / (2·2 + 0 + 1)


def test_a_tie_goes_to_a_person_and_leaves_the_answer_without_a_score():
    found = jury.hear("x", {"a": [point(C, FIRST), point(C, SECOND)], "b": [point(I, FIRST), point(C, SECOND)]})
    assert [one.tag for one in found] == ["undecided", C]
    scores = jury.verdict(found)
    assert {score.status for score in scores} == {Status.UNDEFINED}
    assert scores.correctness.reason == "1 of 2 data points wait for a person"
    assert jury.queue(jury.table(found, ["a", "b"])) == ["x"]


def test_who_could_not_check_does_not_vote_and_who_found_nothing_does():
    found = jury.hear("x", {"a": [point(C, FIRST)], "b": [point(None, FIRST)], "c": []})
    assert [dict(one.votes) for one in found] == [{"a": C, "c": jury.ABSENT}]
    assert found[0].tag == "undecided"
    assert found[0].alone is None  # two votes: neither is more alone than the other


def test_an_answer_without_points_is_undefined_and_not_waiting():
    assert jury.hear("x", {"a": [], "b": []}) == []
    assert jury.verdict([]).correctness.status is Status.UNDEFINED
    assert "wait" not in jury.verdict([]).correctness.reason


def test_one_juror_says_what_it_says():
    found = jury.hear("x", {"a": [point(C, FIRST), point(I, SECOND)]})
    assert [one.tag for one in found] == [C, I]
    assert [one.agreement for one in found] == [None, None]


@pytest.mark.parametrize(
    ("votes", "who"),
    [((C, C, I), "c"), ((C, I, R), None), ((C, C, C), None), ((C, I), None), ((C, C, I, I), None), ((I, C, C, C), "a")],
)
def test_who_was_alone(votes, who):
    assert jury.alone(dict(zip("abcd", votes, strict=False))) == who


def test_flip_rates_are_per_model_and_prompt():
    names = ["m", "m#2", "m#3", "other", "m#0123456789ab"]
    heard = [
        jury.hear("x", {name: [point(tag, FIRST)] for name, tag in zip(names, tags, strict=True)})[0]
        for tags in ((C, C, C, I, I), (C, C, I, C, C), (C, I, R, C, C))
    ]
    (found,) = jury.repeats(heard, names)
    # pairs that differ: 0 of 3, 2 of 3, 3 of 3; their mean is 5/9
    assert (found.juror, found.repeats, found.points, found.flipped) == ("m", 3, 3, 2)
    assert found.flips == pytest.approx(5 / 9)


def test_a_point_that_no_repeat_has_is_not_counted_as_steady():
    heard = jury.hear("x", {"m": [], "m#2": [], "other": [point(C, FIRST)]})
    (found,) = jury.repeats(heard, ["m", "m#2", "other"])
    assert (found.points, found.flips) == (0, None)


def test_table_pairs_and_the_lonely():
    read = {"a": [point(C, FIRST), point(C, SECOND)], "b": [point(C, FIRST)], "c": [point(C, FIRST), point(C, SECOND)]}
    laid = jury.table(jury.hear("x", read), ["a", "b", "c", "d"])
    assert laid["b"].tolist() == [C, jury.ABSENT]
    assert laid["d"].isna().all()
    shares = jury.pairwise(laid, ["a", "b", "c", "d"])
    assert shares.loc["a"].tolist()[:3] == [1.0, 0.5, 1.0]
    assert math.isnan(shares.loc["a", "d"])
    counts = jury.alone_counts(laid, ["a", "b", "c", "d"])
    assert counts[["juror", "votes", "alone"]].values.tolist() == [["a", 2, 0], ["b", 2, 1], ["c", 2, 0], ["d", 0, 0]]
    assert counts["share"].tolist()[:3] == [0.0, 0.5, 0.0]
    assert math.isnan(counts["share"].iloc[3])


def test_order_of_jurors_changes_no_verdict():
    read = {
        "a": [point(C, FIRST), missing("The deposit.")],
        "b": [point(I, FIRST), point(C, SECOND)],
        "c": [point(C, FIRST), point(C, SECOND)],
    }
    tags = {frozenset((one.text, one.tag) for one in jury.hear("x", dict(order)))
            for order in (read.items(), reversed(read.items()))}  # fmt: skip
    assert len(tags) == 1
