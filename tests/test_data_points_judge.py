"""The model judge with queued replies: what it asks, what it makes of the reply, and how it fails."""

import asyncio
import json
from dataclasses import replace

import pytest

from lemaj_core.errors import CallFailed, SettingsError, SpendCapReached
from lemaj_core.judge import make
from lemaj_core.judge.data_points import SCHEMA, DataPointJudge, build_request
from lemaj_core.models.scripted import ScriptedModel
from lemaj_core.types import Document, FailureKind, Item, Reply, RunSettings, Status, Tag

LEASE = Document(
    "lease",
    "lease.txt",
    "1. Rent. The Tenant shall pay rent of EUR 2,000 on the first day of each month.\n"
    "2. Deposit. The Tenant shall pay a deposit of three months’ rent.\n",
)
ITEM = Item(
    "a1",
    "What does the tenant pay?",
    "The rent is EUR 2,000 a month. The deposit is six months' rent. The rent is EUR 2,000 a month.",
    document_id="lease",
    reference="EUR 2,000 each month and a deposit of three months.",
)
SETTINGS = RunSettings(judges=("test/judge",))


def point(number, quote, tag, evidence=(), text=None):
    words = quote or text or "Rent is due on the first day."
    return {
        "id": str(number),
        "quote": quote,
        "text": text or words,
        "evidence": list(evidence),
        "reason": "because",
        "tag": tag,
    }


def reply(*points, **more):
    return Reply(json.dumps({"data_points": points}), finish_reason=more.pop("finish_reason", "stop"), **more)


GOOD = reply(
    point(1, "The rent is EUR 2,000 a month", "correct", ["pay rent of EUR 2,000"]),
    point(2, "The deposit is six months’ rent", "incorrect", ["a deposit of three months' rent"]),
    point(3, None, "missing", ["on the first day of each month"]),
)


class Ledger:
    """The ask of a test: no cache, every key and outcome noted."""

    def __init__(self):
        self.keys = []

    async def __call__(self, request, call):
        self.keys.append(request.key())
        return await call(request)


def judged(*lines, item=ITEM, document=LEASE, settings=SETTINGS, repeat=0):
    model, ledger = ScriptedModel(lines), Ledger()
    judge = DataPointJudge("test/judge", settings, model=model)
    judgement = asyncio.run(judge.judge(item, document, ledger, repeat=repeat))
    assert judgement.calls == tuple(ledger.keys)
    assert (judgement.item_id, judgement.judge) == (item.id, "test/judge")
    return judgement, model


def test_points_are_found_in_the_answer_and_evidence_in_the_document():
    judgement, model = judged(GOOD)
    assert judgement.status is Status.SCORED
    assert judgement.notes == ()
    assert len(model.history) == 1
    one, two, three = judgement.points
    assert [one.tag, two.tag, three.tag] == [Tag.CORRECT, Tag.INCORRECT, Tag.MISSING]
    assert (one.start, one.end) == (0, 29)  # len("The rent is EUR 2,000 a month") = 29
    # The model wrote another apostrophe; the quote that is kept is the answer's own.
    assert two.quote == "The deposit is six months' rent"
    assert two.quote == ITEM.answer[two.start : two.end]
    assert two.evidence[0].quote == "a deposit of three months’ rent"
    assert LEASE.text[two.evidence[0].start : two.evidence[0].end] == two.evidence[0].quote
    assert two.evidence[0].document_id == "lease"
    assert (three.start, three.end, three.quote, three.in_answer) == (None, None, None, False)
    assert three.evidence[0].found


def test_the_second_of_two_equal_sentences_is_found_at_its_own_place():
    judgement, _ = judged(
        reply(
            point(1, "The rent is EUR 2,000 a month", "correct"),
            point(2, "The deposit is six months' rent", "incorrect"),
            point(3, "The rent is EUR 2,000 a month", "irrelevant"),
        )
    )
    first, _, third = judgement.points
    assert first.start == 0
    assert third.start == ITEM.answer.rindex("The rent")


def test_a_point_that_is_not_in_the_answer_keeps_its_tag_and_is_noted():
    judgement, _ = judged(reply(point(1, "The landlord may enter at any hour", "incorrect")))
    (one,) = judgement.points
    assert (one.tag, one.start, one.quote) == (Tag.INCORRECT, None, None)
    assert judgement.notes == ("point 1 is not in the answer: The landlord may enter at any hour",)


def test_a_missing_point_has_no_place_even_if_the_model_quotes_one():
    judgement, _ = judged(reply(point(1, "The rent is EUR 2,000 a month", "missing")))
    assert judgement.points[0].start is None
    assert judgement.notes == ()


def test_evidence_that_is_not_in_the_document_is_marked():
    judgement, _ = judged(
        reply(point(1, "The rent is EUR 2,000 a month", "correct", ["Pets are forbidden in the flat"]))
    )
    (evidence,) = judgement.points[0].evidence
    assert (evidence.found, evidence.quote) == (False, "Pets are forbidden in the flat")
    assert judgement.notes == ("evidence of point 1 was not found in the source: Pets are forbidden in the flat",)


def test_no_point_at_all_is_a_judgement_and_says_so():
    judgement, _ = judged(reply())
    assert (judgement.status, judgement.points) == (Status.SCORED, ())
    assert judgement.notes == ("the judge found no data point in the answer",)


# What there is to check against


def test_contexts_stand_in_for_a_document():
    item = replace(ITEM, document_id=None, contexts=("The rent is EUR 2,000.", "It is due on the first day."))
    judgement, model = judged(reply(point(1, None, "missing", ["due on the first day"])), item=item, document=None)
    (evidence,) = judgement.points[0].evidence
    joined = "The rent is EUR 2,000.\n\nIt is due on the first day."
    assert evidence.document_id is None
    assert joined[evidence.start : evidence.end] == "due on the first day"
    assert joined in model.history[0].messages[1]["content"]


def test_a_reference_alone_is_a_source():
    item = replace(ITEM, document_id=None)
    judgement, model = judged(
        reply(point(1, ITEM.answer[:29], "correct", ["EUR 2,000 each month"])), item=item, document=None
    )
    assert judgement.points[0].tag is Tag.CORRECT
    assert judgement.points[0].evidence[0].found
    assert "There is no document. The REFERENCE ANSWER" in model.history[0].messages[0]["content"]


def test_without_any_source_no_point_is_tagged_and_nothing_is_missing():
    item = replace(ITEM, document_id=None)
    said = reply(
        point(1, ITEM.answer[:29], "correct", ["I know it"]),
        point(2, "The deposit is six months' rent", "irrelevant"),
        point(3, None, "missing"),
    )
    judgement, model = judged(said, item=item, document=None, settings=replace(SETTINGS, use_reference=False))
    assert [one.tag for one in judgement.points] == [None, None]
    assert (
        judgement.points[1].reason == "Not checked: there is no source. In the judge's view off the question. because"
    )
    assert judgement.points[0].evidence == ()
    assert judgement.notes[0].startswith("nothing to check against")
    assert judgement.notes[1].startswith("1 points called missing were left out")
    assert "accuracy cannot be checked" in model.history[0].messages[0]["content"]


@pytest.mark.parametrize(
    ("strictness", "words"),
    [("lenient", "Be generous"), ("standard", "or if a reader needs it"), ("strict", "Be strict")],
)
def test_strictness_reaches_the_prompt(strictness, words):
    request = build_request(ITEM, LEASE, replace(SETTINGS, strictness=strictness))
    assert words in request.messages[0]["content"]
    assert "$" not in request.messages[0]["content"]


def test_the_reference_is_shown_only_if_the_run_uses_it():
    with_it = build_request(ITEM, LEASE, SETTINGS)
    without = build_request(ITEM, LEASE, replace(SETTINGS, use_reference=False))
    assert ITEM.reference in with_it.messages[1]["content"]
    assert ITEM.reference not in without.messages[1]["content"]
    assert "REFERENCE ANSWER, written by" in with_it.messages[0]["content"]
    assert "REFERENCE ANSWER, written by" not in without.messages[0]["content"]


def test_the_request_is_deterministic_and_asks_by_schema():
    request = build_request(ITEM, LEASE, SETTINGS)
    assert request == build_request(ITEM, LEASE, SETTINGS)
    assert request.schema == SCHEMA
    assert request.parameters == {"temperature": 0, "seed": 0, "max_tokens": 4096}
    assert SCHEMA["schema"]["properties"]["data_points"]["items"]["properties"]["tag"]["enum"] == list(Tag)


def test_questions_on_one_document_begin_alike_so_that_providers_can_cache():
    first = build_request(ITEM, LEASE, SETTINGS)
    second = build_request(replace(ITEM, question="How long?", answer="Five years."), LEASE, SETTINGS)
    assert first.messages[0] == second.messages[0]
    end = first.messages[1]["content"].index("<<<QUESTION")
    assert end > len(LEASE.text)
    assert first.messages[1]["content"][:end] == second.messages[1]["content"][:end]


def test_a_long_answer_gets_more_room_up_to_a_limit():
    # expected 400 + 5*12000/4 = 15400 tokens; twice that is more than the most, 16384
    assert build_request(replace(ITEM, answer="a" * 12_000), LEASE, SETTINGS).parameters["max_tokens"] == 16384
    # expected 400 + 5*4000/4 = 5400; doubled 10800; in steps of 1024: 11264
    assert build_request(replace(ITEM, answer="a" * 4_000), LEASE, SETTINGS).parameters["max_tokens"] == 11264


def test_the_offline_judge_has_no_request():
    with pytest.raises(SettingsError, match="sends no request"):
        build_request(ITEM, LEASE, RunSettings())


# Failures


def test_a_malformed_reply_is_repaired_once_with_the_problem_named():
    judgement, model = judged("The rent is right.", GOOD)
    assert judgement.status is Status.SCORED
    first, second = model.history
    assert second.messages[:2] == first.messages
    assert second.messages[2] == {"role": "assistant", "content": "The rent is right."}
    assert "could not be used: the reply has no JSON object with data_points" in second.messages[3]["content"]
    assert len(set(judgement.calls)) == 2


def test_two_malformed_replies_are_a_typed_failure_that_keeps_both_calls():
    judgement, model = judged("no", "no again", GOOD)
    assert (judgement.status, judgement.failure) == (Status.FAILED, FailureKind.MALFORMED)
    assert judgement.points == ()
    assert judgement.reason == "the reply has no JSON object with data_points"
    assert len(judgement.calls) == len(model.history) == 2


def test_a_tag_that_was_not_offered_is_never_accepted():
    odd = reply(point(1, ITEM.answer[:29], "mostly correct"))
    judgement, _ = judged(odd, odd)
    assert judgement.failure is FailureKind.MALFORMED
    assert "'mostly correct'" in judgement.reason


def test_an_empty_reply_is_asked_again_once():
    judgement, model = judged("", "  ")
    assert judgement.failure is FailureKind.EMPTY
    assert model.history[1].messages[2]["content"] == "(empty reply)"


def test_a_cut_reply_is_asked_once_more_with_twice_the_room():
    cut = Reply(GOOD.text[:200], finish_reason="length")
    judgement, model = judged(cut, GOOD)
    assert judgement.status is Status.SCORED
    assert [request.parameters["max_tokens"] for request in model.history] == [4096, 8192]
    assert model.history[0].messages == model.history[1].messages


def test_a_reply_that_is_cut_twice_is_truncated():
    cut = Reply(GOOD.text[:200], finish_reason="length")
    judgement, model = judged(cut, cut, GOOD)
    assert judgement.failure is FailureKind.TRUNCATED
    assert len(model.history) == 2


def test_cut_then_malformed_then_good_takes_three_calls():
    judgement, model = judged(Reply(GOOD.text[:200], finish_reason="length"), "hm", GOOD)
    assert judgement.status is Status.SCORED
    assert [request.parameters["max_tokens"] for request in model.history] == [4096, 8192, 8192]


def test_a_refusal_is_not_argued_with():
    judgement, model = judged("I'm sorry, but I can't help with that.", GOOD)
    assert judgement.failure is FailureKind.REFUSED
    assert len(model.history) == 1


@pytest.mark.parametrize("kind", [kind for kind in FailureKind if kind is not FailureKind.MALFORMED])
def test_a_failed_call_becomes_its_kind(kind):
    judgement, _ = judged(kind)
    assert (judgement.status, judgement.failure) == (Status.FAILED, kind)
    assert len(judgement.calls) == 1


def test_a_kind_that_nobody_knows_is_internal():
    async def ask(request, call):
        raise CallFailed("gremlins", "there are gremlins")

    judge = DataPointJudge("test/judge", SETTINGS, model=ScriptedModel())
    judgement = asyncio.run(judge.judge(ITEM, LEASE, ask))
    assert (judgement.failure, judgement.reason) == (FailureKind.INTERNAL, "there are gremlins")


def test_the_spend_cap_is_not_a_failure_of_the_answer():
    async def ask(request, call):
        raise SpendCapReached("enough")

    judge = DataPointJudge("test/judge", SETTINGS, model=ScriptedModel())
    with pytest.raises(SpendCapReached):
        asyncio.run(judge.judge(ITEM, LEASE, ask))


def test_a_mended_reply_is_noted():
    broken = GOOD.text.replace('"because"', '"the "rent" clause"')
    judgement, _ = judged(broken)
    assert judgement.notes == ("the reply was broken JSON and was mended without loss",)
    assert judgement.points[0].reason == 'the "rent" clause'


def test_one_family_of_judge_and_writer_is_noted():
    model = ScriptedModel([GOOD])
    judge = DataPointJudge("anthropic/claude-sonnet-4-5", SETTINGS, model=model)
    judgement = asyncio.run(judge.judge(replace(ITEM, model="Claude 3.5 Sonnet v1"), LEASE, Ledger()))
    assert judgement.notes == (
        "judge and answer model are of one family (anthropic): such judges tend to favour their own",
    )


# The request key: what asks anew and what does not


CHANGES = {
    "model": lambda item, doc, s: (item, doc, s, {"model": "other/judge"}),
    "base URL": lambda item, doc, s: (item, doc, replace(s, base_url="http://localhost:1/v1"), {}),
    "strictness": lambda item, doc, s: (item, doc, replace(s, strictness="strict"), {}),
    "reference": lambda item, doc, s: (item, doc, replace(s, use_reference=False), {}),
    "reference text": lambda item, doc, s: (replace(item, reference="Other."), doc, s, {}),
    "question": lambda item, doc, s: (replace(item, question="Why?"), doc, s, {}),
    "answer": lambda item, doc, s: (replace(item, answer=item.answer + " "), doc, s, {}),
    "document": lambda item, doc, s: (item, replace(doc, text=doc.text + "."), s, {}),
    "repeat": lambda item, doc, s: (item, doc, s, {"repeat": 1}),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_could_change_the_verdict_asks_anew(change):
    item, document, settings, more = change(ITEM, LEASE, SETTINGS)
    changed = build_request(item, document, settings, **more)
    assert changed.key() != build_request(ITEM, LEASE, SETTINGS).key()


@pytest.mark.parametrize(
    "field",
    [
        {"model": "m"},
        {"base_url": "http://x/v1"},
        {"messages": ({"role": "user", "content": "?"},)},
        {"parameters": {"temperature": 1, "seed": 0, "max_tokens": 4096}},
        {"schema": None},
        {"schema_version": "data_points/0"},
        {"repeat": 1},
    ],
    ids=lambda field: next(iter(field)),
)
def test_each_field_of_a_request_is_part_of_its_key(field):
    request = build_request(ITEM, LEASE, SETTINGS)
    assert replace(request, **field).key() != request.key()


def test_nothing_else_asks_anew():
    request = build_request(ITEM, LEASE, SETTINGS)
    same = build_request(
        replace(
            ITEM,
            id="other",
            model="gpt",
            minutes=3.0,
            human_correctness=0.5,
            human_relevance=0.5,
            row=9,
            extra={"a": 1},
        ),
        replace(LEASE, id="other", name="other.pdf", type="Lease"),
        replace(SETTINGS, concurrency=64, timeout=1.0, max_cost=5.0, beta=2.0, metrics=("readability",)),
        model="test/judge",
    )
    assert same.key() == request.key()
    shuffled = replace(request, parameters=dict(reversed(request.parameters.items())))
    assert shuffled.key() == request.key()


def test_the_prompt_version_is_part_of_the_key(monkeypatch):
    request = build_request(ITEM, LEASE, SETTINGS)
    monkeypatch.setattr("lemaj_core.judge.prompt.version", lambda words=None: "0" * 12)
    assert build_request(ITEM, LEASE, SETTINGS).key() != request.key()


def test_a_retry_of_a_failed_answer_sends_another_seed():
    assert build_request(ITEM, LEASE, SETTINGS, 2).parameters["seed"] == 2


# Judges by name


def test_a_script_is_a_judge(tmp_path):
    script = tmp_path / "replies.jsonl"
    rows = [
        {"match": "no such words", "reply": "never"},
        {"match": "What does the tenant pay", "reply": json.loads(GOOD.text)},
    ]
    script.write_text("\n".join(json.dumps(row) for row in rows))
    judge = make(f"scripted:{script}", SETTINGS)
    judgement = asyncio.run(judge.judge(ITEM, LEASE, Ledger()))
    assert [one.tag for one in judgement.points] == [Tag.CORRECT, Tag.INCORRECT, Tag.MISSING]
    again = asyncio.run(judge.judge(ITEM, LEASE, Ledger()))  # the last line that matches is said again
    assert again.points == judgement.points


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("not json", "line 1"),
        ('{"match": "a"}', "either reply or fail"),
        ('{"fail": "bad luck"}', "bad luck"),
        ("", "has no line"),
    ],
)
def test_a_broken_script_is_refused_with_its_line(tmp_path, row, problem):
    script = tmp_path / "replies.jsonl"
    script.write_text(row)
    with pytest.raises(SettingsError, match=problem):
        make(f"scripted:{script}", SETTINGS)


def test_a_script_can_fail_and_says_when_nothing_matches(tmp_path):
    script = tmp_path / "replies.jsonl"
    script.write_text('{"match": "What does", "fail": "rate limit"}')
    judge = make(f"scripted:{script}", SETTINGS)
    assert asyncio.run(judge.judge(ITEM, LEASE, Ledger())).failure is FailureKind.RATE_LIMIT
    other = replace(ITEM, question="Who?")
    assert asyncio.run(judge.judge(other, LEASE, Ledger())).reason == "no line of the script matches the request"


@pytest.mark.parametrize(
    ("name", "settings", "problem"),
    [
        (" ", SETTINGS, "empty name"),
        ("nonsense", SETTINGS, "no provider is known for the model 'nonsense'"),
        ("scripted:/no/such/file", SETTINGS, "cannot be read"),
        ("openai/gpt-4o", replace(SETTINGS, base_url="localhost:8000"), "is not an address"),
        ("openai/gpt-4o", replace(SETTINGS, base_url="https://me:secret@host/v1"), "holds a user name or password"),
    ],
)
def test_a_judge_that_cannot_be_is_refused_before_the_run(name, settings, problem):
    with pytest.raises(SettingsError, match=problem) as caught:
        make(name, settings)
    assert "secret" not in str(caught.value)
