"""The corpus of replies: what each file is and must become stands in golden/replies/cases.json."""

import json
from pathlib import Path

import pytest

from lemaj_core.judge.parse import LONGEST, MOST_POINTS, Readable, Unreadable, parse
from lemaj_core.types import FailureKind, Tag

FOLDER = Path(__file__).parent / "golden" / "replies"
CASES = json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))


def read(case):
    return parse((FOLDER / case["file"]).read_bytes().decode("utf-8"), case["finish_reason"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["file"].removesuffix(".txt"))
def test_reply_becomes_what_the_corpus_says(case):
    outcome = read(case)
    if "points" in case:
        assert isinstance(outcome, Readable), outcome
        assert [[point.id, str(point.tag)] for point in outcome.points] == case["points"]
        assert outcome.repaired is case.get("repaired", False)
    else:
        assert isinstance(outcome, Unreadable), outcome
        assert outcome.kind == case["kind"]
        assert outcome.problem


def test_every_file_of_the_corpus_has_a_case_and_a_source():
    files = {path.name for path in FOLDER.glob("*.txt")}
    assert files == {case["file"] for case in CASES}
    assert all(case["source"].startswith("constructed: ") for case in CASES)


def test_fields_of_a_point_arrive_unchanged():
    case = next(case for case in CASES if case["file"] == "plain.txt")
    first, _, third = read(case).points
    assert first.quote == "The rent is EUR 2,000 a month"
    assert first.text == "The monthly rent is EUR 2,000."
    assert first.evidence == ("The Tenant shall pay rent of EUR 2,000",)
    assert first.reason == "Clause 1 says so."
    assert third.quote is None


def test_evidence_is_flattened_and_each_quote_kept_once():
    case = next(case for case in CASES if case["file"] == "evidence_text.txt")
    assert [point.evidence for point in read(case).points] == [("one passage",), ("wrapped",)]


def test_half_characters_and_nul_are_taken_out():
    case = next(case for case in CASES if case["file"] == "surrogates.txt")
    assert read(case).points[0].text == "abc"


def test_bare_quotation_marks_are_mended_without_losing_a_word():
    case = next(case for case in CASES if case["file"] == "bare_quotes.txt")
    assert read(case).points[0].reason == 'The "Term" in clause 1 says "so".'


def test_a_mended_reply_that_lost_a_point_is_refused():
    # Two tag keys, but the bare quotation marks make one point of them.
    text = (
        '{"data_points": [{"id": "1", "text": "a, "tag": "correct", "x": {"id": "2", "text": "b", "tag": "missing"}}]}'
    )
    outcome = parse(text)
    assert isinstance(outcome, Unreadable)
    assert outcome.kind is FailureKind.MALFORMED


def test_a_broken_and_cut_reply_is_truncated_even_if_its_brackets_add_up():
    text = '{"data_points": [{"id": "1", "text": "the "Term" ends", "tag": "correct"}]}'
    assert isinstance(parse(text, "stop"), Readable)
    assert parse(text, "length").kind is FailureKind.TRUNCATED


def test_too_many_points_and_too_long_replies_are_refused():
    points = [{"text": "a", "tag": "correct"}] * (MOST_POINTS + 1)
    assert parse(json.dumps({"data_points": points})).kind is FailureKind.MALFORMED
    assert len(parse(json.dumps({"data_points": points[:-1]})).points) == MOST_POINTS
    assert "1,000,001 characters" in parse("x" * (LONGEST + 1)).problem


def test_a_problem_names_the_point_and_what_was_offered():
    problem = parse('{"data_points": [{"text": "a", "tag": "correct"}, {"text": "b", "tag": "maybe"}]}').problem
    assert problem == ("data point 2 has the tag 'maybe'; it must be one of correct, incorrect, irrelevant, missing")


def test_tags_are_the_four():
    assert {point.tag for case in CASES if "points" in case for point in read(case).points} <= set(Tag)
