"""The sample data are what their README says: complete, consistent with their contracts, and scored by the formulas."""

import csv
import json
import re
from collections import Counter, defaultdict
from datetime import datetime
from io import StringIO
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from lemaj_core.metrics.data_points import reaches, score_tags
from lemaj_core.types import Tag

DATA = Path(__file__).resolve().parent.parent / "data"
ROWS = list(csv.DictReader(StringIO((DATA / "answers.csv").read_text(encoding="utf-8"), newline="")))
BY_ID = {row["id"]: row for row in ROWS}
LABELS = [json.loads(line) for line in (DATA / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
FIRST = {label["item_id"]: label for label in LABELS if label["annotator"] == "constructed expert 1"}
SECOND = {label["item_id"]: label for label in LABELS if label["annotator"] == "constructed expert 2"}
CONTRACTS = {path.name: path.read_text(encoding="utf-8") for path in (DATA / "contracts").glob("*.txt")}
FAULTS = {
    *("none", "wrong number", "wrong date", "wrong party", "wrong reference", "wrong condition", "wrong modality"),
    *("negation", "invented clause", "padding", "omission", "abstention"),
}
WRONG = FAULTS - {"none", "padding", "omission", "abstention"}
NUMBER = {
    word: value
    for value, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen".split(),
        start=1,
    )
} | dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))


def value(words: str) -> float:
    """Read a number in words: "one hundred and twenty-five" is 125, "two point five" is 2.5."""
    whole, _, tenths = words.partition(" point ")
    total = current = 0
    for word in re.findall(r"[a-z]+", whole.lower()):
        if word in NUMBER:
            current += NUMBER[word]
        elif word == "hundred":
            current *= 100
        elif word in ("thousand", "million"):
            total, current = total + current * {"thousand": 1_000, "million": 1_000_000}[word], 0
    return total + current + (NUMBER[tenths] / 10 if tenths else 0)


def faults(row: dict[str, str]) -> set[str]:
    return set(row["fault"].split("; "))


def tags(label: dict) -> Counter:
    return Counter(point["tag"] for point in label["points"])


def test_there_are_72_answers_to_four_questions_on_each_of_nine_contracts():
    assert len(ROWS) == len(BY_ID) == 72
    assert list(ROWS[0]) == [
        *("id", "question", "answer", "document", "document_type", "model", "minutes"),
        *("human_correctness", "human_relevance", "fault"),
    ]
    assert {row["document"] for row in ROWS} == set(CONTRACTS)
    assert len(CONTRACTS) == len({row["document_type"] for row in ROWS}) == 9
    systems = defaultdict(list)
    for row in ROWS:
        systems[row["document"], row["question"]].append(row["model"])
    assert Counter(document for document, _ in systems) == dict.fromkeys(CONTRACTS, 4)
    assert all(sorted(models) == ["Constructed System A", "Constructed System B"] for models in systems.values())


def test_no_answer_equals_another_and_each_reads_like_an_answer():
    assert len({row["answer"] for row in ROWS}) == 72
    assert all(25 <= len(row["answer"].split()) <= 140 for row in ROWS)
    assert sum("\n" in row["answer"] for row in ROWS) >= 15  # lists and paragraphs: quoted newlines in the CSV
    minutes = [float(row["minutes"]) for row in ROWS]
    assert min(minutes) >= 2
    assert max(minutes) <= 15
    assert len(set(minutes)) >= 15


@pytest.mark.parametrize("name", sorted(CONTRACTS))
def test_contract_is_drafted_soundly(name):
    text = CONTRACTS[name]
    assert 900 <= len(text.split()) <= 1600
    figures = re.findall(
        r"((?:\b[a-z]+[ -])*?\b[a-z]+(?: point [a-z]+)?)(?: per cent| percent| percentage points)? \((\d[\d.]*)%?\)",
        text,
    )
    stated = [(words, float(digits)) for words, digits in figures]
    assert len(stated) >= 5
    for words, digits in stated:
        number = re.search(rf"(?:(?:{'|'.join(NUMBER)}|hundred|and|point)[ -]?)+$", words)
        assert number, words
        assert value(number[0].removeprefix("and ")) == digits
    headings = {
        match[1] for match in re.finditer(r"(?m)^(?:Section |Sec\. |§ |ARTICLE |Article )?(\d+(?:\.\d+)?)\b", text)
    }
    for reference in re.findall(r"(?:Sections?|Secs?\.|clauses?|§) (\d+(?:\.\d+)?)", text):
        assert reference in headings, f"{name} refers to {reference}"
    dates = re.findall(r"\b(\d{1,2}) ([A-Z][a-z]+) (\d{4})\b", text)
    dates += [(day, month, year) for month, day, year in re.findall(r"\b([A-Z][a-z]+) (\d{1,2}), (\d{4})\b", text)]
    assert dates
    for day, month, year in dates:
        assert 2018 <= datetime.strptime(f"{day} {month} {year} +0000", "%d %B %Y %z").year <= 2031


def test_every_answer_is_labelled_by_the_first_expert_and_some_in_every_contract_by_the_second():
    assert set(FIRST) == set(BY_ID)
    assert len(LABELS) == len(FIRST) + len(SECOND)
    assert len(SECOND) == 22
    assert {BY_ID[key]["document"] for key in SECOND} == set(CONTRACTS)
    retagged = [key for key in SECOND if (tags(SECOND[key])) != tags(FIRST[key])]
    assert 8 <= len(retagged) < len(SECOND)


@pytest.mark.parametrize("label", LABELS, ids=lambda label: f"{label['item_id']}, {label['annotator'][-1]}")
def test_label_is_verbatim_and_its_scores_are_those_of_its_tags(label):
    row, places = BY_ID[label["item_id"]], []
    assert label["points"]
    for point in label["points"]:
        assert (point["quote"] is None) == (point["tag"] == Tag.MISSING)
        assert point["text"].strip()
        assert point["reason"].strip()
        if point["quote"] is not None:
            assert row["answer"].count(point["quote"]) == 1
            places.append((row["answer"].index(point["quote"]), len(point["quote"])))
        for quote in point["evidence"]:
            assert CONTRACTS[row["document"]].count(quote) == 1
        if point["tag"] == Tag.MISSING:
            assert point["evidence"], "a missing point names the clause that was left out"
    assert all(start + length <= following for (start, length), (following, _) in pairwise(sorted(places)))
    scores = score_tags(point["tag"] for point in label["points"])
    rounded = {name: None if score.value is None else round(score.value, 4) for name, score in scores._asdict().items()}
    assert label["correctness"] == rounded["correctness"]
    assert label["relevance"] == rounded["relevance"]
    if label["annotator"].endswith("1"):
        assert row["human_correctness"] == ("" if rounded["correctness"] is None else f"{rounded['correctness']:g}")
        assert row["human_relevance"] == ("" if rounded["relevance"] is None else f"{rounded['relevance']:g}")


def test_all_tags_occur_and_an_undefined_score_is_empty():
    total = sum((tags(label) for label in FIRST.values()), Counter())
    assert total == {Tag.CORRECT: 319, Tag.INCORRECT: 37, Tag.MISSING: 29, Tag.IRRELEVANT: 21}
    assert [row["id"] for row in ROWS if not row["human_correctness"]] == ["emp-4-b"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_faults_are_those_that_the_labels_show(row):
    kinds, found = faults(row), set(tags(FIRST[row["id"]]))
    assert kinds <= FAULTS
    assert (kinds == {"none"}) == (found == {Tag.CORRECT})
    assert ("none" in kinds) == (len(kinds) == 1 and not kinds & (FAULTS - {"none"}))
    assert bool(kinds & WRONG) == (Tag.INCORRECT in found)
    assert ("padding" in kinds) == (Tag.IRRELEVANT in found)
    assert bool(kinds & {"omission", "abstention"}) == (Tag.MISSING in found)


def test_every_kind_of_fault_occurs_and_half_of_the_answers_have_none():
    counts = Counter(kind for row in ROWS for kind in faults(row))
    assert set(counts) == FAULTS
    assert counts["none"] == 36
    flawless = Counter(row["model"] for row in ROWS if row["fault"] == "none")
    assert flawless == {"Constructed System A": 25, "Constructed System B": 11}  # one system is clearly better


def test_figures_in_correct_points_stand_in_the_contract():
    for key, label in FIRST.items():
        contract = CONTRACTS[BY_ID[key]["document"]]
        for point in label["points"]:
            if point["tag"] in (Tag.INCORRECT, Tag.MISSING):
                continue
            for figure in re.findall(r"[$€£]\d[\d,]*(?! million)\b|\b\d+(?:\.\d+)?%", point["quote"]):
                assert figure in contract, (key, figure)


def test_correct_answers_paraphrase_rather_than_copy():
    for row in ROWS:
        contract = " ".join(CONTRACTS[row["document"]].lower().replace("’", "'").split())
        words = row["answer"].lower().split()
        copied = [start for start in range(len(words) - 14) if " ".join(words[start : start + 15]) in contract]
        assert not copied, (row["id"], " ".join(words[copied[0] : copied[0] + 15]))


def test_borderline_answers_stand_exactly_on_the_threshold_of_triage():
    on = []
    for key, label in FIRST.items():
        scores = score_tags(point["tag"] for point in label["points"])
        if reaches(scores.relevance, "0.8") and not reaches(scores.relevance, "0.8001"):
            on.append((key, scores.correctness.value == 1))
    assert ("nda-3-a", True) in on  # 4 correct, 2 irrelevant: 2*4 / (2*4 + 2) = 0.8, cleared
    assert ("loan-3-b", True) in on  # 4 correct, 2 missing: 2*4 / (2*4 + 2) = 0.8, cleared
    assert ("msa-4-b", False) in on  # 2 correct, 1 irrelevant: 2*2 / (2*2 + 1) = 0.8, but 2 incorrect


def test_the_demonstration_shows_a_wrong_notice_period_beside_the_clause():
    wrong = [point for point in FIRST["msa-1-b"]["points"] if point["tag"] == Tag.INCORRECT]
    assert len(wrong) == 1
    assert "thirty (30) days" in wrong[0]["quote"]
    assert "sixty (60) days" in wrong[0]["evidence"][0]
    assert BY_ID["msa-1-b"]["human_correctness"] == "0.75"  # 3 correct, 1 incorrect


def test_systems_differ_on_every_question():
    for one, other in combinations(ROWS, 2):
        if one["question"] == other["question"] and one["document"] == other["document"]:
            assert one["model"] != other["model"]
            assert one["answer"][:40] != other["answer"][:40]


def test_readme_says_that_all_of_it_is_constructed():
    text = (DATA / "README.md").read_text(encoding="utf-8")
    assert "constructed" in text.split("\n\n")[1]
    assert "Apache-2.0" in text
    for column in ROWS[0]:
        assert f"`{column}`" in text
    for kind in FAULTS:
        assert f"| {kind} |" in text
    assert "Apache License" in (DATA.parent / "LICENSE").read_text(encoding="utf-8")[:200]


def test_sample_loads_with_exact_offsets_and_keeps_everything():
    from lemaj_core.ingest.sample import load_sample

    sample = load_sample()
    assert sample.name == "Constructed sample: nine contracts"
    assert sample.constructed
    assert not sample.problems
    assert len(sample.items) == 72
    assert {document.name for document in sample.documents.values()} == set(CONTRACTS)
    assert {document.type for document in sample.documents.values()} == {row["document_type"] for row in ROWS}
    assert len(sample.annotations) == len(LABELS) == 94
    items = {item.id: item for item in sample.items}
    for item in sample.items:
        row = BY_ID[item.id]
        assert (item.question, item.answer, item.model) == (row["question"], row["answer"], row["model"])
        assert sample.documents[item.document_id].name == row["document"]
        assert item.minutes == float(row["minutes"])
        assert item.human_correctness == (float(row["human_correctness"]) if row["human_correctness"] else None)
        assert item.human_relevance == float(row["human_relevance"])
        assert item.extra["fault"] == row["fault"]
    for annotation, label in zip(sample.annotations, LABELS, strict=True):
        item = items[annotation.item_id]
        assert (annotation.item_id, annotation.annotator) == (label["item_id"], label["annotator"])
        assert len(annotation.points) == len(label["points"])
        for point, raw in zip(annotation.points, label["points"], strict=True):
            assert point.tag == raw["tag"]
            assert point.in_answer == (point.tag is not Tag.MISSING)
            if point.in_answer:
                assert item.answer[point.start : point.end] == point.quote == raw["quote"]
            for evidence, quote in zip(point.evidence, raw["evidence"], strict=True):
                assert evidence.quote == quote
                assert sample.documents[evidence.document_id].text[evidence.start : evidence.end] == quote


def test_a_label_that_quotes_what_is_not_there_is_an_error(tmp_path):
    from shutil import copytree

    from lemaj_core.errors import IngestError
    from lemaj_core.ingest.sample import load_sample

    folder = copytree(DATA, tmp_path / "data")
    path = folder / "labels.jsonl"
    path.write_text(
        path.read_text(encoding="utf-8").replace("sixty (60) days", "sixty one (61) days", 1), encoding="utf-8"
    )
    with pytest.raises(IngestError, match=r"line 1, answer msa-1-a: .* stands there 0 times"):
        load_sample(folder)
