"""Context utilization of an answer: which claims its context has, what a proxy says of each, and what is stored."""

import asyncio
import json

import numpy as np
import pytest

from lemaj_core.errors import SettingsError
from lemaj_core.judge import context_passages, context_utilization
from lemaj_core.judge.context_passages import Claim, by_sentence, most_relevant, overlap, passages, unique
from lemaj_core.judge.context_utilization import ContextUtilizationExaminer
from lemaj_core.judge.examine import examiners
from lemaj_core.metrics.findings import scores
from lemaj_core.models.likelihood import PACKAGED, Agreement, Confidences, ContextTooLong
from lemaj_core.models.scripted import ScriptedModel
from lemaj_core.types import Document, FailureKind, Item, RunSettings, Status

RENT = "1. RENT\n\nThe Tenant shall pay rent of EUR 2,000. Rent is due on the first day of each month."
TERM = "The term of this lease is five years. The lease begins on 1 January 2025."
SETTINGS = RunSettings(metrics=("context_utilization",))


class Halving:
    """A proxy for which a claim with the word "rent" halves the answer's likelihood when it is gone."""

    shares_prefixes = True

    def __init__(self):
        self.asked = []

    def confidences(self, question, claims, answer, *, fast=False):
        self.asked.append((question, list(claims), answer, fast))
        without = np.array([0.2 if "rent" in claim.lower() else 0.4 for claim in claims])
        return Confidences(0.4, without, -2.0, -2.0 - without, 50, 7, fast)

    def confidence(self, question, given, answer):
        self.asked.append((question, list(given), answer, None))
        return Confidences(0.5, np.array([]), -1.5, np.array([]), 60, 7, False)


@pytest.fixture
def halving(monkeypatch):
    made = Halving()
    monkeypatch.setattr(context_utilization, "proxy", lambda name: made)
    return made


async def never(request, call):
    raise AssertionError("nothing is to be asked")


async def straight(request, call):
    return await call(request)


def examined(item, document=None, settings=SETTINGS, judge="offline", model=None, ask=never):
    return asyncio.run(ContextUtilizationExaminer(judge, settings, model=model).examine(item, document, ask))


def test_contexts_become_unique_claims_with_their_place_in_the_joined_contexts():
    item = Item(
        "a", "How much is the rent?", "EUR 2,000.", contexts=(RENT, "  ", "Rent is due on the first day of each month")
    )
    found, notes = passages(item, None)
    assert notes == []
    claims = by_sentence(found)
    # the heading has one word, the third context says the second sentence again
    assert [claim.text for claim in claims] == [
        "The Tenant shall pay rent of EUR 2,000.",
        "Rent is due on the first day of each month.",
    ]
    joined = "\n\n".join([RENT, item.contexts[2]])
    assert [joined[claim.start : claim.end] for claim in claims] == [claim.text for claim in claims]
    assert {claim.document for claim in claims} == {None}


def test_headings_claim_nothing_and_capitals_may():
    text = "2. OBLIGATIONS OF THE RECIPIENT\n\nRent is due.\n\nThe rent is due 2 days 3 hours later.\n\n"
    text += "THE SOFTWARE IS PROVIDED AS IS WITHOUT WARRANTY OF ANY KIND."
    claims = by_sentence(passages(Item("a", "q", "a", contexts=(text,)), None)[0])
    assert [claim.text[:12] for claim in claims] == ["The rent is ", "THE SOFTWARE"]


def test_contexts_that_stand_in_the_document_have_its_offsets_and_others_none():
    document = Document("d", "d.txt", f"LEASE\n\n{TERM}\n\n{RENT}")
    item = Item("a", "q", "a", "d", contexts=(RENT, "Nothing of this stands there at all."))
    claims = by_sentence(passages(item, document)[0])
    assert [document.text[one.start : one.end] for one in claims[:2]] == [one.text for one in claims[:2]]
    assert [(one.document, one.start) for one in claims[2:]] == [(None, None)]


def test_without_contexts_the_passages_of_the_document_that_bear_on_the_question():
    filler = [f"Clause {number}. " + "The parties keep books of account and records. " * 28 for number in range(6)]
    text = "\n\n".join([*filler[:4], "The deposit is three months of rent. " + TERM, *filler[4:]])
    document = Document("d", "d.txt", text)
    found, notes = passages(Item("a", "How large is the deposit?", "x", "d"), document)
    assert len(found) == context_passages.MOST_PASSAGES
    assert any("deposit is three months" in one.text for one in found)
    assert all(text[one.start : one.start + len(one.text)] == one.text for one in found)
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert notes[0].startswith("no retrieved contexts: the 3 of ")


def test_at_most_forty_claims_the_most_relevant_ones_in_order():
    claims = [Claim(f"Clause number {number} is about goods.", 0) for number in range(50)]
    claims[49] = Claim("The rent is EUR 2,000 a month.", 0)
    kept = most_relevant(claims, "What is the rent?")
    assert len(kept) == 40
    assert kept[-1] is claims[49]
    assert [claims.index(one) for one in kept] == sorted(claims.index(one) for one in kept)


def test_rare_words_of_the_question_count_more_and_a_plural_is_its_singular():
    assert (
        max(range(3), key=overlap("Are the fees refundable?", ["the the the", "a fee of 5", "the term"]).__getitem__)
        == 1
    )
    assert overlap("x", []) == []
    assert overlap("x", ["", ""]) == [0.0, 0.0]


def test_equal_words_are_one_claim_however_they_are_written():
    given = [Claim("The  Tenant pays.", 0), Claim("the tenant “pays”", 1), Claim("the tenant pays", 1)]
    assert unique(given) == [given[0], given[1]]


def test_offline_scores_every_claim_and_the_whole_passages(halving):
    item = Item("a", "How much?", "EUR 2,000.", contexts=(RENT, TERM))
    (found,) = examined(item)
    assert (found.by, found.status, found.group) == (PACKAGED, Status.SCORED, "context_utilization")
    assert halving.asked == [
        ("How much?", [claim["text"] for claim in found.detail["claims"]], "EUR 2,000.", False),
        ("How much?", [RENT, TERM], "EUR 2,000.", None),
    ]
    assert found.detail["without"] == [0.2, 0.2, 0.4, 0.4]
    assert found.detail["full_documents"] == 0.5
    assert found.detail["retrieved"]
    json.dumps(found.detail, allow_nan=False)
    # Delta = .2, .2, 0, 0: CU = .4 / 4 = .1, CU_rel = .1 / .4 = .25
    made = scores([found], SETTINGS)
    assert made["cu"].value == pytest.approx(0.1)
    assert made["cu_rel"].value == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (Item("a", "q", "an answer"), "no retrieved contexts and no document"),
        (Item("a", "q", " ", contexts=(RENT,)), "the answer is empty"),
        (Item("a", "q", "an answer", contexts=("RENT\n\nTERM",)), "the context has no claims"),
    ],
)
def test_nothing_to_leave_out_is_undefined(item, reason, halving):
    (found,) = examined(item)
    assert (found.status, found.reason, halving.asked) == (Status.UNDEFINED, reason, [])
    assert {score.status for score in scores([found], SETTINGS).values()} == {Status.UNDEFINED}


def test_a_context_that_does_not_fit_fails_with_its_kind_and_the_other_proxy_stands(monkeypatch):
    class Narrow(Halving):
        def confidences(self, question, claims, answer, *, fast=False):
            raise ContextTooLong(900, 20, 512)

    monkeypatch.setattr(context_utilization, "proxy", lambda name: Narrow() if name == "small" else Halving())
    settings = RunSettings(metrics=("context_utilization",), proxies=("small", "packaged"))
    small, other = examined(Item("a", "q", "an answer", contexts=(RENT,)), settings=settings)
    assert (small.by, small.status, small.failure) == ("small", Status.FAILED, FailureKind.CONTEXT)
    assert "900 tokens" in small.reason
    assert (other.by, other.status) == (PACKAGED, Status.SCORED)
    # the first proxy gives the scores, so this answer has none
    assert scores([small, other], settings)["cu"].status is Status.FAILED


def test_passages_that_do_not_fit_leave_the_claims_scored(halving, monkeypatch):
    def refuse(question, given, answer):
        raise ContextTooLong(900, 20, 512)

    monkeypatch.setattr(halving, "confidence", refuse)
    (found,) = examined(Item("a", "q", "an answer", contexts=(RENT,)))
    assert (found.status, found.detail["full_documents"]) == (Status.SCORED, None)
    assert found.notes[0].startswith("not scored on the whole passages")


def test_a_proxy_that_cannot_be_loaded_is_sought_once(monkeypatch):
    sought = []

    def missing(name):
        sought.append(name)
        raise SettingsError("there is no such model")

    monkeypatch.setattr(context_utilization, "proxy", missing)
    examiner = ContextUtilizationExaminer("offline", RunSettings(proxies=("nowhere",)))
    for _ in range(2):
        (found,) = asyncio.run(examiner.examine(Item("a", "q", "an answer", contexts=(RENT,)), None, never))
        assert (found.status, found.reason) == (Status.FAILED, "there is no such model")
    assert sought == ["nowhere"]
    with pytest.raises(SettingsError, match="needs a proxy"):
        ContextUtilizationExaminer("offline", RunSettings(proxies=()))


def test_a_fast_run_says_so_and_checks_one_answer_in_ten(halving, monkeypatch):
    def both(model, question, claims, answer):
        found = model.confidences(question, claims, answer, fast=True)
        return Agreement(found, found, 0.98, True)

    monkeypatch.setattr(context_utilization, "agreement", both)
    settings = RunSettings(metrics=("context_utilization",), cu_mode="fast")
    found = [examined(Item(f"a{n}", "q", "an answer", contexts=(RENT,)), settings=settings)[0] for n in range(200)]
    assert all(one.detail["approximate"] for one in found)
    checked = [one.detail["check"] for one in found if one.detail["check"]]
    # 200 ids by their digest: 20 expected, standard deviation 4.2
    assert 8 <= len(checked) <= 32
    assert checked[0] == {"pearson": 0.98, "same_strongest": True, "claims": 2}


def reply(*claims):
    return json.dumps({"claims": [dict(zip(("passage", "quote", "text"), one, strict=True)) for one in claims]})


def test_a_model_extracts_claims_that_are_found_again_in_their_passage(halving):
    model = ScriptedModel(
        [
            reply(
                (2, "The term of this lease is five years", "The lease runs five years."),
                ("1", "nowhere", "Rent is owed."),
            )
        ]
    )
    item = Item("a", "How much?", "EUR 2,000.", contexts=(RENT, TERM))
    (found,) = examined(item, judge="m", model=model, ask=straight)
    claims = found.detail["claims"]
    # in the order of the passages, whatever the order of the reply
    assert [claim["text"] for claim in claims] == ["Rent is owed.", "The lease runs five years."]
    joined = f"{RENT}\n\n{TERM}"
    assert claims[0]["start"] is None
    assert joined[claims[1]["start"] : claims[1]["end"]] == "The term of this lease is five years"
    assert found.detail["claims_by"] == "m"
    assert found.calls == (model.history[0].key(),)
    asked = model.history[0].messages[1]["content"]
    assert "<<<PASSAGE 1 " in asked
    assert "<<<QUESTION " in asked


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (reply((3, "x", "A claim.")), "claim 1 has the passage 3; it must be 1 to 2"),
        (reply((True, "x", "A claim.")), "it must be 1 to 2"),
        (reply((1, "x", " ")), "claim 1 has no text"),
        ('{"claims": ["x"]}', "claim 1 has no text"),
        ("The claims are many.", "no JSON object with a list called claims"),
    ],
)
def test_a_reply_that_breaks_a_rule_is_asked_for_again_and_then_fails(text, problem, halving):
    model = ScriptedModel([text])
    (found,) = examined(Item("a", "q", "x", contexts=(RENT, TERM)), judge="m", model=model, ask=straight)
    assert (found.status, found.failure) == (Status.FAILED, FailureKind.MALFORMED)
    assert problem in found.reason
    assert len(found.calls) == 2
    assert problem in model.history[1].messages[-1]["content"]
    assert halving.asked == []


def test_a_model_that_finds_no_claim_leaves_the_answer_undefined(halving):
    model = ScriptedModel(['{"claims": []}'])
    (found,) = examined(Item("a", "q", "x", contexts=(RENT,)), judge="m", model=model, ask=straight)
    assert (found.status, found.reason) == (Status.UNDEFINED, "the context has no claims")


def test_a_call_that_fails_fails_with_its_kind(halving):
    model = ScriptedModel([FailureKind.TIMEOUT])
    (found,) = examined(Item("a", "q", "x", contexts=(RENT,)), judge="m", model=model, ask=straight)
    assert (found.status, found.failure) == (Status.FAILED, FailureKind.TIMEOUT)


def test_a_plan_sees_what_would_be_asked():
    item = Item("a", "q", "x", contexts=(RENT,))
    examiner = ContextUtilizationExaminer("m", SETTINGS, model=ScriptedModel([]))
    ((request, out),) = examiner.requests(item, None)
    assert request.model == "m"
    assert out < request.parameters["max_tokens"]
    assert examiner.requests(Item("a", "q", "x"), None) == []
    assert examiners("offline", SETTINGS)[0].requests(item, None) == []


def test_versions_tell_what_was_found_otherwise():
    made = {
        ContextUtilizationExaminer(judge, RunSettings(cu_mode=mode, proxies=proxies), model=ScriptedModel([])).version
        for judge in ("offline", "m")
        for mode in ("exact", "fast")
        for proxies in (("packaged",), ("packaged", "other"))
    }
    assert len(made) == 8
