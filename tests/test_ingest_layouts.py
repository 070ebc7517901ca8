from pathlib import Path

import pytest

from lemaj_core import load_dataset as exported
from lemaj_core.ingest import inspect, load_dataset
from lemaj_core.ingest.expertqa import tag
from lemaj_core.types import Tag

UPLOADS = Path(__file__).parent / "golden" / "uploads"
SHARED = Path(__file__).parent.parent.parent / "shared" / "data"
shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data are not on this machine")


def first(name):
    dataset = load_dataset(UPLOADS / name)
    return dataset, dataset.items[0]


@pytest.mark.parametrize(
    ("name", "layout", "question", "answer", "contexts", "reference"),
    [
        ("ragas.jsonl", "RAGAS", "Who pays?", "The Seller.", ("The Seller pays.",), "Seller"),
        ("deepeval.json", "DeepEval", "Who pays?", "The Seller.", ("The Seller pays.", "More."), "Seller"),
        (
            "ragchecker.json",
            "RAGChecker",
            "Who pays?",
            "The Seller.",
            ("The Seller pays.", "Delivery is free."),
            "The Seller pays.",
        ),
        ("promptfoo.json", "promptfoo", "Who pays?", "The Seller.", ("The Seller pays.",), None),
        ("score.csv", "SCORE", "What to do?", "Build levees.", ("Floods rise.", "Levees help."), None),
        ("squad.json", "SQuAD", "Whose law was it?", "Normandy", ("Norman law was the law of Normandy.",), None),
        ("squad_predictions.json", "SQuAD", "What was it?", "A law.", ("Norman law was the law of Normandy.",), "law"),
        ("legalbench_answers.csv", "LegalBench", "Is there a cap?", "There is one.", (), "Yes"),
    ],
)
def test_layouts_of_other_tools(name, layout, question, answer, contexts, reference):
    dataset, item = first(name)
    assert dataset.layout == layout
    assert (item.question, item.answer, item.contexts, item.reference) == (question, answer, contexts, reference)
    if contexts:
        assert dataset.documents[item.document_id].text == "\n\n".join(contexts)
    found = inspect(UPLOADS / name)
    assert found.layout == layout
    assert set(found.mapping.values()) <= set(found.columns)
    # What the user sees as columns is what he can map.
    assert load_dataset(UPLOADS / name, mapping=found.mapping).items == dataset.items


def test_ids_models_and_names_come_along():
    assert first("ragchecker.json")[1].id == "0"
    assert first("promptfoo.json")[1].model == "GPT"
    dataset, item = first("squad.json")
    assert (item.id, dataset.documents[item.document_id].name) == ("s1", "Norman_law")
    assert first("score.csv")[1].extra == {"context": "Planner in Ohio"}


def test_all_parts_of_a_cuad_answer_are_kept_and_no_answer_is_invented():
    dataset, item = first("cuad.json")
    assert (dataset.layout, item.answer) == ("CUAD", "Electric City Corp.\n\nJohn Doe")
    assert load_dataset(UPLOADS / "squad.json").items[1].answer == ""


def test_a_failed_promptfoo_result_is_an_empty_answer_with_its_error():
    item = load_dataset(UPLOADS / "promptfoo.json").items[1]
    assert (item.question, item.answer, item.extra["error"]) == ("Say when.", "", "rate limit")


@pytest.mark.parametrize(
    ("name", "answer"), [("legalbench.csv", "Yes"), ("legalbench_rag.json", "A cap of 5\n\nand no more")]
)
def test_expected_answers_are_judged_where_there_are_no_others_and_it_is_said(name, answer):
    dataset, item = first(name)
    assert (item.answer, item.reference) == (answer, None)
    assert "only expected answers" in dataset.problems[0].message


@pytest.mark.parametrize(
    ("correctness", "informativeness", "expected"),
    [
        ("Definitely incorrect", "Very relevant", Tag.INCORRECT),
        ("Likely incorrect", "Uninformative", Tag.INCORRECT),
        ("Definitely correct", "Uninformative", Tag.IRRELEVANT),
        ("Probably correct", "Not too important", Tag.IRRELEVANT),
        ("Definitely correct", "Very relevant", Tag.CORRECT),
        ("Probably correct", "Very relevant", None),
        ("Definitely correct", "A bit relevant", None),
        ("Unsure", "Uninformative", None),
        ("", "", None),
    ],
)
def test_expert_labels_become_tags(correctness, informativeness, expected):
    assert tag(correctness, informativeness) is expected


def test_expertqa_claims_become_an_annotation_located_in_the_answer():
    dataset, item = first("expertqa.jsonl")
    (annotation,) = dataset.annotations
    assert (annotation.item_id, annotation.annotator) == ("q1", "expert")
    assert [point.tag for point in annotation.points] == [Tag.CORRECT, Tag.INCORRECT, Tag.IRRELEVANT, None]
    for point in annotation.points[:3]:
        assert item.answer[point.start : point.end] == point.quote == point.text
    assert not annotation.points[3].in_answer
    (evidence,) = annotation.points[0].evidence
    document = dataset.documents[item.document_id]
    assert evidence.quote == "The Seller shall pay the price."
    assert document.text[evidence.start : evidence.end] == evidence.quote
    # A bare address is no passage: it is shown, but nothing is checked against it.
    assert [(part.quote, part.found) for part in annotation.points[1].evidence] == [
        ("[2] https://law.example/b", False)
    ]
    assert item.contexts == ("[1] https://law.example/a\n\nThe Seller shall pay the price.",)
    assert annotation.extra["claims"][1] == {
        "claim": "It pays in gold.",
        "support": "Missing",
        "correctness": "Likely incorrect",
        "informativeness": "A bit relevant",
    }
    assert item.extra == {"usefulness": "Useful"}


def test_expertqa_as_it_was_published_has_one_answer_per_system():
    dataset = load_dataset(UPLOADS / "expertqa_original.jsonl")
    assert [(item.id, item.model, item.row) for item in dataset.items] == [("3-gpt4", "gpt4", 1), ("3-bing", "bing", 1)]
    assert [(label.annotator, label.points[0].tag) for label in dataset.annotations] == [
        ("ann7", Tag.CORRECT),
        ("ann7", Tag.INCORRECT),
    ]
    assert dataset.items[0].extra["specific_field"] == "Sales"


@shared
def test_real_expertqa_answers():
    dataset = load_dataset(SHARED / "upload" / "expertqa_law.jsonl")
    assert (len(dataset.items), len(dataset.annotations), dataset.problems) == (20, 20, ())
    items = {item.id: item for item in dataset.items}
    points = [(items[label.item_id].answer, point) for label in dataset.annotations for point in label.points]
    # All 113 claims stand in their answers, 15 of them with other spaces or footnote marks.
    assert len(points) == 113
    assert all(answer[point.start : point.end] == point.quote for answer, point in points)
    # Counted by hand from the two labels: 77 pairs of the best labels, 4 incorrect, 4 unimportant.
    tags = [point.tag for _, point in points]
    assert [tags.count(wanted) for wanted in (Tag.CORRECT, Tag.INCORRECT, Tag.IRRELEVANT, None)] == [77, 4, 4, 28]
    checked = [item for item in dataset.items if item.document_id]
    assert 10 <= len(checked) < 20


@shared
def test_real_clause_questions():
    dataset = load_dataset(SHARED / "upload" / "cuad_clause_qa.csv")
    assert len(dataset.items) == 289
    assert all(dataset.documents[item.document_id].text == "\n\n".join(item.contexts) for item in dataset.items)
    assert [problem.severity for problem in dataset.problems] == ["warning"]
    first = dataset.documents[dataset.items[0].document_id]
    assert first.name.startswith("Microgenics Corporation")
    assert load_dataset(SHARED / "upload" / "contract_qa.csv").problems == ()


def test_the_short_way_in_is_the_same_function():
    assert exported is load_dataset
