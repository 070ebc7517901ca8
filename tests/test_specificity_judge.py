"""Specificity from an answer to a finding: offline with three judges, and by models with replies written before."""

import asyncio
import json

import pytest

from lemaj_core.errors import SettingsError
from lemaj_core.judge.examine import examiners
from lemaj_core.judge.specificity import SpecificityExaminer
from lemaj_core.judge.specificity_model import read_claims, read_votes
from lemaj_core.judge.specificity_source import source_of
from lemaj_core.metrics.specificity import answer_specificity
from lemaj_core.models.scripted import ScriptedModel
from lemaj_core.types import Document, FailureKind, Item, Reply, RunSettings, Status

CONTRACT = (
    "This Supply Agreement is between Acme Ltd. (the “Supplier”) and Beta Inc. (the “Customer”).\n"
    "4.1 The Customer shall pay each invoice within thirty (30) days of receipt.\n"
    "4.2 The Supplier may terminate this Agreement on sixty (60) days' written notice.\n"
    "9.1 This Agreement is governed by the laws of the State of Delaware.\n"
    "The Customer shall keep the goods insured. The Supplier shall deliver the goods."
)
DOCUMENT = Document("d1", "supply.txt", CONTRACT)
ABSTRACTS = (
    "Storm surge in Galveston, Texas reached 3 feet in 2008.",
    "Bridges in Harris County, Texas face hurricanes; surge may rise by 20 percent over 30 to 50 years.",
)
HAZARD = RunSettings(metrics=("specificity",), preset="hazard")
LEGAL = RunSettings(metrics=("specificity",))


async def ask(request, call):
    return await call(request)


def examine(item, document=None, settings=LEGAL, judge="offline", repeat=0, **given):
    examiner = SpecificityExaminer(judge, settings, **given)
    return asyncio.run(examiner.examine(item, document, ask, repeat=repeat))


def item(answer, contexts=()):
    return Item("a1", "What are the terms?", answer, contexts=contexts)


def labels(claim, dimension):
    return [vote["label"] for vote in claim["cells"][dimension]]


# offline ------------------------------------------------------------------------------------------------------------


@pytest.mark.model
def test_three_judges_differ_in_how_evidence_may_match():
    found = examine(item("Beta must pay an invoice within 30 days of its receipt."), DOCUMENT)
    assert found.status is Status.SCORED
    assert found.detail["judges"] == ["exact", "normalised", "semantic"]
    (claim,) = found.detail["claims"]
    # "30 days" stands nowhere as such; "thirty (30) days" is the same period, and stands in the nearest passage
    assert labels(claim, "date or term") == ["no", "yes", "yes"]
    votes = claim["cells"]["date or term"]
    assert votes[0]["reason"] == "“30 days” stands nowhere in the source word for word"
    assert votes[1]["reason"] == "“30 days” is also stated in Section 4.1"
    (evidence,) = votes[1]["evidence"]
    assert CONTRACT[evidence["start"] : evidence["end"]] == evidence["quote"]
    assert evidence["quote"].startswith("4.1 The Customer shall pay")
    assert (evidence["document_id"], evidence["context"]) == ("d1", None)
    # not stated: not stored, n/a for every judge
    assert set(claim["cells"]) == {"date or term", "party or obligation"}
    # Beta is the Customer; a duty to pay stands in 4.1
    assert labels(claim, "party or obligation")[1] == "yes"


@pytest.mark.model
def test_a_wrong_value_is_unsupported_and_the_nearest_passage_is_shown():
    found = examine(item("The Supplier may terminate the Agreement on 90 days' written notice."), DOCUMENT)
    (claim,) = found.detail["claims"]
    assert labels(claim, "date or term") == ["no", "no", "no"]
    semantic = claim["cells"]["date or term"][2]
    assert semantic["reason"] == "Section 4.2, nearest in meaning, says “sixty (60) days” and not “90 days”"
    assert semantic["evidence"][0]["quote"].startswith("4.2 The Supplier may terminate")


@pytest.mark.model
def test_a_value_of_another_matter_is_no_evidence():
    # thirty days stand in 4.1, about invoices; nothing says that goods are insured for so long
    found = examine(item("Goods stay insured for 30 days."), DOCUMENT)
    (claim,) = found.detail["claims"]
    votes = claim["cells"]["date or term"]
    assert votes[1]["label"] == "no"
    assert votes[1]["reason"] == "“30 days” is also stated only in passages about other matters"


@pytest.mark.model
def test_contexts_are_evidence_and_places_count_in_each():
    answer = (
        "1. Bridges in Harris County, TX face hurricanes.\n2. Droughts in Ohio last 5 years.\nConfidence: 85 percent."
    )
    found = examine(item(answer, ABSTRACTS), DOCUMENT, HAZARD)
    assert found.detail["source"] == "contexts"
    first, second = found.detail["claims"]  # the confidence is no claim
    assert labels(first, "hazard") == ["yes", "yes", "yes"]
    # "Harris County, TX" stands nowhere as such, but its state does: SCORE's rule
    assert labels(first, "location") == ["yes", "yes", "yes"]
    for vote in first["cells"]["hazard"]:
        (evidence,) = vote["evidence"]
        assert evidence["context"] == 1
        assert ABSTRACTS[1][evidence["start"] : evidence["end"]] == evidence["quote"]
    for dimension in ("hazard", "location", "timeline"):
        assert labels(second, dimension) == ["no", "no", "no"]
    # hazard 1/2, location 1/2, timeline 0/1, intensity n/a: (.6 x .5 + .2 x .5 + .1 x 0) / .9
    assert answer_specificity(found.detail).value == pytest.approx(0.4 / 0.9)


@pytest.mark.model
def test_own_dimensions_are_read_by_the_reader_their_name_means_and_others_say_so():
    settings = RunSettings(metrics=("specificity",), preset="own", dimensions={"Deadline": 2.0, "tone": 1.0})
    found = examine(item("The Customer shall pay each invoice within 30 days of receipt."), DOCUMENT, settings)
    (claim,) = found.detail["claims"]
    assert list(claim["cells"]) == ["Deadline"]
    assert found.detail["unread"] == {"tone": "no offline reader finds this in a claim; a model judges it"}
    assert found.notes == ("“tone”: no offline reader finds this in a claim; a model judges it",)
    score = answer_specificity(found.detail)
    assert score.value == 1.0
    assert [one.status for one in score.per_dimension] == [Status.SCORED, Status.UNDEFINED]


@pytest.mark.model
def test_the_offline_reply_travels_through_the_ledger():
    replies = {}

    async def kept(request, call):
        if request.key() not in replies:
            replies[request.key()] = await call(request)
        return replies[request.key()]

    examiner = SpecificityExaminer("offline", LEGAL)
    one = item("Payment is due within 30 days of receipt of the invoice.")
    first = asyncio.run(examiner.examine(one, DOCUMENT, kept))
    assert list(first.calls) == list(replies)
    assert asyncio.run(examiner.examine(one, DOCUMENT, kept)) == first
    assert len(replies) == 1
    asyncio.run(examiner.examine(one, Document("d1", "other.txt", CONTRACT + " More."), kept))
    assert len(replies) == 2, "another source must be judged anew"


def test_nothing_to_check_against_and_no_claim_are_undefined():
    for document in (None, Document("d", "empty.txt", "  ")):
        found = examine(item("Pay within 30 days."), document)
        assert (found.status, found.reason) == (
            Status.UNDEFINED,
            "nothing to check against: no document and no contexts",
        )
    for answer in ("", "...", "Confidence: 80 percent, high."):
        found = examine(item(answer), DOCUMENT)
        assert (found.status, found.reason) == (Status.UNDEFINED, "the answer makes no claim")


def test_places_of_contexts_lead_back_into_each():
    source = source_of(item("x", ("ab", "", "cdef")), DOCUMENT)
    assert source.text == "ab\n\n\n\ncdef"
    assert source.place(0, 2) == {"document_id": None, "context": 0, "start": 0, "end": 2}
    assert source.place(6, 10) == {"document_id": None, "context": 2, "start": 0, "end": 4}


# by models ----------------------------------------------------------------------------------------------------------

ANSWER = "The Customer pays within 30 days. Delaware law governs."
SPLIT = json.dumps(
    {
        "claims": [
            {"quote": "The Customer pays within 30 days.", "text": "The Customer pays within 30 days."},
            {"quote": "Delaware law governs.", "text": "Delaware law governs the Agreement."},
        ]
    }
)


def vote(*claims):
    """Write a reply: for each claim a mapping of dimension to label."""
    rows = [
        {
            "claim": number,
            "labels": [
                {
                    "dimension": name,
                    "found": "30 days",
                    "evidence": ["pay each invoice within thirty (30) days", "a passage that is nowhere"],
                    "reason": "because",
                    "label": label,
                }
                for name, label in labels.items()
            ],
        }
        for number, labels in enumerate(claims, start=1)
    ]
    return json.dumps({"claims": rows})


def by_models(*replies, settings=LEGAL, repeat=0, judge="openai/gpt-4o"):
    model = ScriptedModel(replies)
    found = examine(
        item(ANSWER), DOCUMENT, settings, judge, repeat, models=dict.fromkeys((judge, "m1", "m2", "m3"), model.complete)
    )
    return found, model


def test_three_calls_vote_and_every_call_is_another_request():
    yes, no = vote({"date or term": "yes"}, {"jurisdiction": "Yes "}), vote({"date or term": "NO"}, {})
    found, model = by_models(SPLIT, yes, yes, no)
    assert found.status is Status.SCORED
    assert found.detail["judges"] == ["openai/gpt-4o #1", "openai/gpt-4o #2", "openai/gpt-4o #3"]
    first, second = found.detail["claims"]
    assert labels(first, "date or term") == ["yes", "yes", "no"]
    assert labels(second, "jurisdiction") == ["yes", "yes", "n/a"]
    assert len({request.key() for request in model.history}) == 4
    assert [request.repeat for request in model.history] == [0, 0, 1, 2]
    assert [request.parameters["temperature"] for request in model.history] == [0, 0.7, 0.7, 0.7]
    assert found.calls == tuple(request.key() for request in model.history)
    place, lost = first["cells"]["date or term"][0]["evidence"]
    assert CONTRACT[place["start"] : place["end"]] == "pay each invoice within thirty (30) days"
    assert lost == {
        "quote": "a passage that is nowhere",
        "document_id": "d1",
        "context": None,
        "start": None,
        "end": None,
    }
    assert (second["start"], second["end"]) == (34, 55)
    # date 1/1 (yes yes no), jurisdiction 1/1 (yes yes n/a)
    assert answer_specificity(found.detail).value == 1.0


def test_another_try_asks_with_other_numbers():
    _, model = by_models(SPLIT, vote({}, {}), vote({}, {}), vote({}, {}), repeat=1)
    assert [request.repeat for request in model.history] == [1, 3, 4, 5]


def test_several_models_vote_once_each_at_temperature_zero():
    settings = RunSettings(metrics=("specificity",), vote_models=("m1", "m2", "m3"))
    found, model = by_models(SPLIT, *[vote({"date or term": "yes"}, {})] * 3, settings=settings, judge="offline")
    assert [request.model for request in model.history] == ["m1", "m1", "m2", "m3"]
    assert {request.parameters["temperature"] for request in model.history} == {0}
    assert found.detail["judges"] == ["m1", "m2", "m3"]


def test_a_judge_that_labels_too_few_claims_is_padded_and_named():
    short, full = vote({"date or term": "yes"}), vote({"date or term": "yes"}, {"jurisdiction": "no"})
    found, _ = by_models(SPLIT, short, full, full)
    second = found.detail["claims"][1]
    assert labels(second, "jurisdiction") == ["n/a", "no", "no"]
    assert set(second["cells"]) == {"jurisdiction"}, "labels of another claim must not be lent"
    assert found.notes == ("openai/gpt-4o #1 said nothing of 1 claims: n/a",)


def test_a_broken_vote_is_mended_once():
    good = vote({"date or term": "yes"}, {})
    found, model = by_models(SPLIT, "I think yes.", good, good, good)
    assert found.status is Status.SCORED
    assert len(model.history) == 5
    assert "no JSON object with a list called claims" in model.history[2].messages[-1]["content"]


def test_one_failed_judge_beside_two_has_no_vote_and_is_named():
    good = vote({"date or term": "yes"}, {})
    found, _ = by_models(SPLIT, FailureKind.TIMEOUT, good, good)
    assert found.status is Status.SCORED
    assert found.detail["judges"] == ["openai/gpt-4o #2", "openai/gpt-4o #3"]
    assert list(found.detail["failures"]) == ["openai/gpt-4o #1"]
    assert found.notes[0].startswith("openai/gpt-4o #1 has no vote (timeout")


def test_a_majority_of_failed_judges_is_a_failure_with_its_kind():
    found, _ = by_models(SPLIT, FailureKind.TIMEOUT, FailureKind.TIMEOUT, vote({}, {}))
    assert (found.status, found.failure) == (Status.FAILED, FailureKind.TIMEOUT)
    assert found.reason.startswith("2 of 3 judges failed")
    assert not found.detail


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (FailureKind.AUTH, FailureKind.AUTH),
        (Reply("", finish_reason="content_filter"), FailureKind.REFUSED),
        ("no list at all", FailureKind.MALFORMED),
    ],
)
def test_an_answer_that_cannot_be_split_fails_with_its_kind(reply, kind):
    found, model = by_models(reply, reply)
    assert (found.status, found.failure) == (Status.FAILED, kind)
    assert found.reason.startswith("splitting the answer: ")
    assert len(model.history) <= 2, "no vote is asked for"


def test_an_answer_without_a_claim_is_undefined():
    found, _ = by_models('{"claims": []}')
    assert (found.status, found.reason) == (Status.UNDEFINED, "the answer makes no claim")


def test_the_material_is_fenced_and_the_dimensions_are_named():
    _, model = by_models(SPLIT, *[vote({}, {})] * 3)
    system, user = (message["content"] for message in model.history[1].messages)
    assert '- "clause reference": a section' in system
    assert "same state" not in system  # SCORE's rule is about places
    assert "<<<SOURCES " in user
    assert CONTRACT in user
    assert "1. The Customer pays within 30 days.\n2. Delaware law governs the Agreement." in user


def test_requests_are_priced_before_anybody_is_asked():
    examiner = SpecificityExaminer("openai/gpt-4o", LEGAL, models={})
    requests = examiner.requests(item(ANSWER), DOCUMENT)
    assert len(requests) == 4
    # two sentences, two stated dimensions each: 100 + 160 x 2 x 2
    assert [tokens for _, tokens in requests] == [100 + len(ANSWER) // 2, 740, 740, 740]
    assert examiner.requests(item(ANSWER), None) == []
    assert SpecificityExaminer("offline", LEGAL).requests(item(ANSWER), DOCUMENT) == []


# reading ------------------------------------------------------------------------------------------------------------

NAMES = ["hazard", "date or term"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"claims": [{"claim": 1, "labels": [{"dimension": "Date_or_Term", "label": "Yes."}]}]}', "yes"),
        ('{"claims": [{"claim": "1", "labels": {"date or term": "N/A"}}]}', "n/a"),
        ('{"claims": [{"id": 1, "labels": {"date or term": {"label": "no", "evidence": "q"}}}]}', "no"),
        ('{"claims": [{"labels": [{"dimension": "date or term", "label": null}]}]}', "n/a"),
        ('```json\n{"claims": [{"claim": 1, "labels": [{"dimension": "date or term", "label": "yes"},]}]}\n```', "yes"),
    ],
)
def test_labels_are_read_however_they_are_spelled(text, expected):
    found = read_votes(text, "stop", 1, NAMES)
    assert found.by_claim[0]["date or term"]["label"] == expected
    assert found.missing == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"claims": [{"claim": 3, "labels": []}]}', "about claim 3; there are 2 claims"),
        ('{"claims": [{"claim": 1, "labels": []}, {"claim": 1, "labels": []}]}', "claim 1 is labelled twice"),
        ('{"claims": [{"claim": 1, "labels": {"hazard": "maybe"}}]}', "has the label 'maybe'"),
        ('{"claims": [{"claim": 1}]}', "has no list of labels"),
        ('{"claims": ["yes"]}', "is not an object"),
        ('{"claims": [{"claim": true, "labels": []}]}', "about claim True"),
    ],
)
def test_a_reply_that_breaks_a_rule_is_refused_whole(text, problem):
    found = read_votes(text, "stop", 2, NAMES)
    assert found.kind is FailureKind.MALFORMED
    assert problem in found.problem


def test_dimensions_nobody_asked_for_are_passed_over():
    found = read_votes('{"claims": [{"claim": 1, "labels": {"tone": "nice", "hazard": "yes"}}]}', "stop", 1, NAMES)
    assert list(found.by_claim[0]) == ["hazard"]


def test_a_claim_that_is_not_in_the_answer_has_no_place():
    found = read_claims("Pay now.", '{"claims": ["Pay now.", "The moon is made of something else."]}', "stop")
    assert [(one.start, one.end, one.text) for one in found] == [
        (0, 8, "Pay now."),
        (0, 0, "The moon is made of something else."),
    ]


# settings -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"preset": "medical"}, "no preset 'medical'"),
        ({"preset": "own"}, "no dimensions are given"),
        ({"preset": "own", "dimensions": {"date": 0.0}}, "one of them positive"),
        ({"votes": 0}, "at least 1 judge"),
    ],
)
def test_settings_that_do_not_fit_are_refused_before_the_run(changed, problem):
    with pytest.raises(SettingsError, match=problem):
        examiners("offline", RunSettings(metrics=("specificity",), **changed))
