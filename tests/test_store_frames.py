"""Answers and data points as tables: every state in its place, nothing that does not exist turned into a number."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lemaj_core.metrics.data_points import score_tags
from lemaj_core.metrics.table import METRICS
from lemaj_core.store import open_store
from lemaj_core.types import Annotation, DataPoint, Dataset, Item, Judgement, RunSettings, Status, Tag


@pytest.fixture
def store(store_url):
    with open_store(store_url) as opened:
        yield opened


def values(column):
    """Give a column as a list with None for what is missing."""
    return [None if pd.isna(value) else value for value in column]


def test_the_columns_are_as_agreed(small_run):
    answers = small_run.store.answers(small_run.run_id)
    metrics = [f"{key}{end}" for key in METRICS if METRICS[key].group == "data_points"
               for end in ("", "_status", "_reason", "_numerator", "_denominator")]  # fmt: skip
    assert list(answers.columns) == [
        "item_id", "position", "row", "judge", "question", "model", "document_id", "document", "document_type",
        "status", "failure", "reason", "correct", "incorrect", "irrelevant", "missing", "untagged", "minutes",
        "human_correctness", "human_relevance", *metrics, "team", "round",
    ]  # fmt: skip


def test_every_state_of_an_answer_stands_in_its_row(small_run):
    answers = small_run.store.answers(small_run.run_id)
    assert values(answers["item_id"]) == ["a1", "a2", "a3", "a4", "a5", "a6"]
    assert values(answers["position"]) == [0, 1, 2, 3, 4, 5]
    assert values(answers["row"]) == [2, 3, 4, 5, 6, 7]
    assert values(answers["status"]) == ["scored", "scored", "scored", "scored", "failed", "waiting"]
    assert values(answers["failure"]) == [None, None, None, None, "malformed reply", None]
    assert values(answers["reason"]) == [None, None, None, None, "the reply is no JSON", None]
    assert values(answers["document"]) == ["lease.txt"] * 3 + ["nda.txt"] * 2 + [None]
    assert values(answers["document_type"]) == ["Lease"] * 3 + ["NDA"] * 2 + [None]
    assert values(answers["minutes"]) == [4.0, 3.0, None, 2.0, 5.0, None]
    counts = answers[["correct", "incorrect", "irrelevant", "missing", "untagged"]]
    assert counts.to_numpy().tolist() == [[2, 0, 0, 1, 0], [1, 0, 1, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0],
                                          [0] * 5, [0] * 5]  # fmt: skip
    assert set(counts.dtypes) == {np.dtype("int64")}


def test_scores_keep_their_status_and_their_fraction(small_run):
    answers = small_run.store.answers(small_run.run_id)
    # a1: C2 M1; a2: C1 R1; a3: I1; a4: R1
    assert values(answers["correctness"]) == [1.0, 1.0, 0.0, None, None, None]
    assert values(answers["correctness_status"]) == ["scored", "scored", "scored", "undefined", "failed", None]
    reasons = ["no checkable statement", "the reply is no JSON", None]
    assert values(answers["correctness_reason"]) == [None, None, None, *reasons]
    assert values(answers["relevance_numerator"]) == [4.0, 2.0, 0.0, 0.0, None, None]  # 2C
    assert values(answers["relevance_denominator"]) == [5.0, 3.0, 0.0, 1.0, None, None]  # 2C + R + M
    assert values(answers["relevance"]) == [4 / 5, 2 / 3, None, 0.0, None, None]


def test_a_run_without_a_single_score_has_the_columns_too(store, small_dataset):
    answers = store.answers(store.create_run(store.add_dataset(small_dataset), RunSettings()))
    assert answers["correctness"].isna().all()
    assert answers["correctness_status"].isna().all()
    assert set(answers["status"]) == {"waiting"}
    assert store.points(store.runs()[0].id).empty


def test_each_judge_has_its_row(store, small_dataset):
    run_id = store.create_run(store.add_dataset(small_dataset), RunSettings(judges=("z", "m")))
    store.save_judgement(run_id, Judgement("a2", "m", Status.SCORED, (DataPoint("1", "t", Tag.CORRECT),)),
                         score_tags(["correct"])._asdict())  # fmt: skip
    store.save_judgement(run_id, Judgement("a2", "stranger", Status.SCORED), {})
    both = store.answers(run_id)
    assert values(both["item_id"])[:4] == ["a1", "a1", "a2", "a2"]
    assert values(both["judge"])[:4] == ["z", "m", "z", "m"]
    assert values(both["status"])[:4] == ["waiting", "waiting", "waiting", "scored"]
    assert values(both["recall"])[:4] == [None, None, None, 1.0]
    one = store.answers(run_id, judge="m")
    assert len(one) == 6
    assert set(one["judge"]) == {"m"}
    assert values(one["status"]) == ["waiting", "scored", "waiting", "waiting", "waiting", "waiting"]


def test_columns_of_the_user_come_last_and_never_replace_ours(store):
    rows = (
        {"judge": "Smith J", "n": 1, "share": 0.5, "flag": True, "x_judge": "x"},
        {"judge": None, "n": 2, "share": 1, "words": ["a", "b"]},
        {},
    )
    items = tuple(Item(f"i{n}", "q", "a", extra=extra) for n, extra in enumerate(rows))
    answers = store.answers(store.create_run(store.add_dataset(Dataset("d", items)), RunSettings()))
    assert list(answers.columns[-6:]) == ["x_judge", "n", "share", "flag", "x_x_judge", "words"]
    assert values(answers["judge"]) == ["offline"] * 3
    assert values(answers["x_judge"]) == ["Smith J", None, None]
    assert values(answers["x_x_judge"]) == ["x", None, None]
    assert values(answers["n"]) == [1.0, 2.0, None]
    assert values(answers["share"]) == [0.5, 1.0, None]
    assert answers["words"].iloc[1] == ["a", "b"]


def test_whole_numbers_of_the_user_stay_whole(store):
    items = tuple(Item(f"i{n}", "q", "a", extra={"matter": 2**53 + n}) for n in range(2))
    answers = store.answers(store.create_run(store.add_dataset(Dataset("d", items)), RunSettings()))
    assert values(answers["matter"]) == [2**53, 2**53 + 1]


def test_expert_scores_come_from_the_file_or_the_labels(small_run):
    answers = small_run.store.answers(small_run.run_id)
    # a1 uploaded; a2 has labels C1 R1: Correctness 1 / 1, Relevance 2 / 3
    assert values(answers["human_correctness"]) == [1.0, 1.0, None, None, None, None]
    assert values(answers["human_relevance"]) == [0.75, 2 / 3, None, None, None, None]


@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_expert_scores_of_labels_are_those_of_their_tags(store, beta):
    multisets = [tags for size in range(5) for tags in itertools.combinations_with_replacement(Tag, size)]
    items = tuple(Item(f"i{n}", "q", "a") for n in range(len(multisets)))
    labels = tuple(
        Annotation(f"i{n}", "me", tuple(DataPoint(f"{k}", "t", tag) for k, tag in enumerate(tags)))
        for n, tags in enumerate(multisets)
    )
    key = store.add_dataset(Dataset("all", items, annotations=labels))
    answers = store.answers(store.create_run(key, RunSettings(beta=beta)))
    expected = [score_tags(tags, beta) for tags in multisets]
    assert len(multisets) == 70  # 1 + 4 + 10 + 20 + 35
    assert values(answers["human_correctness"]) == [scores.correctness.value for scores in expected]
    assert values(answers["human_relevance"]) == [scores.relevance.value for scores in expected]


def test_stated_expert_scores_beat_tags_and_the_first_annotator_counts(store, small_dataset):
    wrong = (DataPoint("1", "t", Tag.INCORRECT),)
    labels = (
        Annotation("a1", "ann", wrong, correctness=0.5),
        Annotation("a3", "ann", wrong, correctness=0.5),
        Annotation("a3", "bob", wrong, correctness=0.25, relevance=0.25),
        Annotation("a4", "bob"),
    )
    key = store.add_dataset(replace(small_dataset, annotations=labels))
    answers = store.answers(store.create_run(key, RunSettings()))
    # a1 keeps what was uploaded; a3 has what ann states, and Relevance from bob, as ann's tags (I1) give none
    assert values(answers["human_correctness"]) == [1.0, None, 0.5, None, None, None]
    assert values(answers["human_relevance"]) == [0.75, None, 0.25, None, None, None]


def test_points_come_long_with_their_first_evidence(small_run):
    points = small_run.store.points(small_run.run_id)
    assert list(points.columns) == [
        "item_id", "judge", "point_id", "position", "text", "tag", "reason", "start", "end", "confidence",
        "evidence_quote", "evidence_start", "evidence_end",
    ]  # fmt: skip
    assert values(points["item_id"]) == ["a1", "a1", "a1", "a2", "a2", "a3", "a4"]
    assert values(points["tag"])[:3] == ["correct", "correct", "missing"]
    assert values(points["tag"])[3:] == ["correct", "irrelevant", "incorrect", "irrelevant"]
    assert values(points["start"]) == [0, 23, None, 0, 24, 0, 0]
    assert values(points["end"]) == [22, 41, None, 23, 41, 34, 26]
    assert points["evidence_quote"][0] == "pay rent of EUR 2,000"
    assert values(points["evidence_quote"])[4] is None
    assert points["evidence_end"][0] - points["evidence_start"][0] == len("pay rent of EUR 2,000")


def test_points_of_some_answers(small_run):
    points = small_run.store.points(small_run.run_id, item_ids=["a3", "a1"])
    assert values(points["item_id"]) == ["a1", "a1", "a1", "a3"]
    assert small_run.store.points(small_run.run_id, judge="nobody").empty
    assert small_run.store.points(small_run.run_id, item_ids=[]).empty


def test_points_of_very_many_answers(store):
    items = tuple(Item(f"i{n}", "q", "a") for n in range(700))
    run_id = store.create_run(store.add_dataset(Dataset("d", items)), RunSettings())
    for item_id in ("i3", "i650"):
        store.save_judgement(run_id, Judgement(item_id, "offline", Status.SCORED, (DataPoint("1", "t", None),)), {})
    found = store.points(run_id, item_ids=[f"i{n}" for n in range(600)])
    assert values(found["item_id"]) == ["i3"]
    assert list(found.index) == [0]
