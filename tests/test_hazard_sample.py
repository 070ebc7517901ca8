"""The hazard sample is what its README says: eight questions, five abstracts and two answers each, with variants."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from lemaj_core.errors import SettingsError
from lemaj_core.ingest.sample import demonstration, load_hazard

DATA = Path(__file__).resolve().parent.parent / "data"
ROWS = [json.loads(line) for line in (DATA / "hazard" / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
EACH = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
VARIANTS = ("question", "paraphrased_question", "perturbed_question")
ANSWERS = ("answer", "paraphrase_answer", "perturbed_answer")


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


def test_there_are_two_answers_to_each_of_eight_questions():
    assert len({row["id"] for row in ROWS}) == len(ROWS) == 16
    assert set(Counter(row["question"] for row in ROWS).values()) == {2}
    for one, other in zip(ROWS[::2], ROWS[1::2], strict=True):
        assert [one["model"], other["model"]] == ["Constructed System A", "Constructed System B"]
        assert one["contexts"] == other["contexts"]
        assert all(one[name] == other[name] for name in VARIANTS)
    assert len({row["hazard"] for row in ROWS}) == 7
    assert {row["concern"] for row in ROWS} == {"Fact-Based", "Recommendation-Seeking", "Hybrid"}


@EACH
def test_abstracts_and_answers_read_as_such(row):
    assert len(set(row["contexts"])) == 5
    assert all(45 <= len(abstract.split()) <= 80 for abstract in row["contexts"])
    for name in ANSWERS:
        lines = row[name].split("\n")
        assert [line[:3] for line in lines[1:-1]] == [f"{number}. " for number in range(1, len(lines) - 1)]
        assert 3 <= len(lines) - 2 <= 4
        assert lines[-1].startswith("Confidence: ")
    assert len({row[name] for name in ANSWERS}) == 3


@EACH
def test_a_paraphrase_keeps_hazard_and_place_and_a_perturbation_changes_both(row):
    county, state = row["location"].split(", ")
    assert {*words(county), *words(state)} <= words(row["question"]) & words(row["paraphrased_question"])
    assert row["hazard"] in row["question"]
    assert county not in row["perturbed_question"]
    assert row["hazard"] not in row["perturbed_question"]
    shared = words(row["question"]) & words(row["paraphrased_question"])
    assert len(shared) / len(words(row["question"])) < 0.85


@EACH
def test_the_figures_of_an_answer_without_fault_stand_in_its_abstracts(row):
    said = re.sub(r"(?m)^\d\. |Abstracts? \d(?: and \d)*|Confidence.*", "", row["answer"])
    source = " ".join(row["contexts"])
    lost = [
        figure
        for figure in re.findall(r"(?<![\d.])\d+(?:\.\d+)?", said)
        if not re.search(rf"(?<![\d.]){re.escape(figure)}(?!\.?\d)", source)
    ]
    assert bool(lost) <= (row["fault"] != "none")
    assert (row["fault"] == "none") == row["id"].endswith("-a")


def test_it_loads_with_its_abstracts_as_contexts_and_its_variants_as_columns():
    sample = load_hazard()
    assert sample.constructed
    assert not sample.problems
    assert len(sample.items) == 16
    assert len(sample.documents) == 8
    for item, row in zip(sample.items, ROWS, strict=True):
        assert (item.id, item.question, item.answer, item.model) == tuple(
            row[name] for name in ("id", "question", "answer", "model")
        )
        assert item.contexts == tuple(row["contexts"])
        document = sample.documents[item.document_id]
        assert document.name == f"Five abstracts: {row['hazard']}, {row['location']}"
        assert all(abstract in document.text for abstract in item.contexts)
        assert item.extra["paraphrase_answer"] == row["paraphrase_answer"]
        assert item.extra["perturbed_answer"] == row["perturbed_answer"]


def test_the_demonstration_of_the_hazard_sample_has_every_group_and_the_contracts_are_as_before():
    dataset, settings, _ = demonstration("hazard", ("data_points", "robustness"))
    assert (settings.preset, settings.metrics) == ("hazard", ("data_points", "robustness"))
    assert len(dataset.items) == 16
    assert "robustness" not in demonstration("contracts", ("robustness",))[1].metrics
    with pytest.raises(SettingsError, match="the samples are contracts and hazard"):
        demonstration("weather", ())


def test_readme_says_that_the_figures_are_invented_and_names_every_column():
    text = (DATA / "README.md").read_text(encoding="utf-8")
    assert "every figure, study, survey and measurement in the 40 abstracts is invented" in text
    for column in ROWS[0]:
        assert f"`{column}`" in text
    kinds = {kind for row in ROWS for kind in row["fault"].split("; ")}
    assert all(kind in text for kind in kinds)
