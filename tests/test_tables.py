"""Tables say why a score is absent, show tags as signs, and download without running anything."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from components import tables
from lemaj_core.metrics.table import METRICS

NASTY = '=HYPERLINK("http://x","y")'


@pytest.fixture
def answers(small_run):
    return small_run.store.answers(small_run.run_id, "offline")


def test_every_answer_says_its_status_and_reason(answers):
    said = dict(zip(answers["item_id"], tables.status_words(answers), strict=True))
    assert said == {
        "a1": "scored",
        "a2": "scored",
        "a3": "undefined: no correct, irrelevant or missing point",
        "a4": "undefined: no checkable statement",
        "a5": "failed: malformed reply",
        "a6": "waiting",
    }


def test_tags_are_counts_with_their_sign(answers):
    counts = dict(zip(answers["item_id"], tables.point_counts(answers), strict=True))
    assert counts["a1"] == "2 ✔  1 ✚"
    assert counts["a2"] == "1 ✔  1 ◐"
    assert counts["a5"] == ""


def test_columns_take_name_and_tooltip_from_the_metric_table():
    config = tables.columns(["question", "correctness", "status"])
    assert config["correctness"]["label"] == METRICS["correctness"].label
    assert METRICS["correctness"].formula in config["correctness"]["help"]
    assert config["status"]["label"] == "Status"


def test_jsonl_has_null_and_never_nan():
    frame = pd.DataFrame({"a": [1.5, np.nan], "b": ["x", None], "c": [NASTY, "é"]})
    rows = [json.loads(line) for line in tables.to_jsonl(frame).decode().splitlines()]
    assert rows == [{"a": 1.5, "b": "x", "c": NASTY}, {"a": None, "b": None, "c": "é"}]


def test_parquet_keeps_mixed_columns_as_text():
    frame = pd.DataFrame({"flips": [2, None, 3], "mixed": [1, "a", None]}, dtype=object)
    back = pd.read_parquet(io.BytesIO(tables.to_parquet(frame)))
    assert back["flips"].tolist()[0] == 2
    assert back["mixed"].tolist()[:2] == ["1", "a"]


def test_means_are_spelled_out():
    table = pd.DataFrame(
        [
            {"group": "A", "metric": "correctness", "mean": 0.714, "low": 0.6, "high": 0.8, "n_scored": 9,
             "n_undefined": 1, "n_failed": 2},
            {"group": "B", "metric": "relevance", "mean": None, "low": None, "high": None, "n_scored": 0,
             "n_undefined": 3, "n_failed": 0},
        ]
    )  # fmt: skip
    spelled = tables.mean_table(table)
    assert spelled["95 % interval"].tolist() == ["[0.60, 0.80]", "—"]
    assert spelled["mean"].tolist() == ["0.71", "—"]
    assert spelled["metric"].tolist() == ["Correctness", "Relevance"]
