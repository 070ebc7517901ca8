"""One way to ask a model for a list and to read it: what counts, what is a failure, and of which kind."""

import asyncio

import pytest

from lemaj_core.judge.dialogue import Dialogue, listed
from lemaj_core.judge.parse import Unreadable
from lemaj_core.models.scripted import ScriptedModel
from lemaj_core.types import FailureKind, Reply, Request


@pytest.mark.parametrize(
    "text",
    [
        '{"claims": ["a", "b"]}',
        'Here you are:\n```json\n{"Claims": ["a", "b"]}\n```',
        '<think>{"claims": ["draft"]}</think>{"claims": ["a", "b"]}',
        '{"claims": ["draft"]} No, better: {"claims": ["a", "b"]}',
        "{'claims': ['a', 'b'],}",
    ],
)
def test_the_last_list_counts_however_it_is_wrapped(text):
    assert listed(text, "stop", "claims") == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "finish", "kind"),
    [
        ("", "stop", FailureKind.EMPTY),
        (None, None, FailureKind.EMPTY),
        ("", "length", FailureKind.TRUNCATED),
        ('{"claims": ["a", ', "length", FailureKind.TRUNCATED),
        ("Let me see", "length", FailureKind.TRUNCATED),
        ("<think>So the answer", "stop", FailureKind.TRUNCATED),
        ("I'm sorry, but I cannot help.", "stop", FailureKind.REFUSED),
        ("anything", "content_filter", FailureKind.REFUSED),
        ("The claims are fine.", "stop", FailureKind.MALFORMED),
        ('{"claims": "a"}', "stop", FailureKind.MALFORMED),
        ('{"points": []}', "stop", FailureKind.MALFORMED),
    ],
)
def test_what_cannot_be_used_has_its_kind(text, finish, kind):
    found = listed(text, finish, "claims")
    assert isinstance(found, Unreadable)
    assert found.kind is kind


def hold(*replies):
    model = ScriptedModel(replies)

    async def ask(request, call):
        return await call(request)

    dialogue = Dialogue(ask, model.complete, lambda text, why: listed(text, why, "claims"), lambda p: f"again: {p}")
    request = Request("m", ({"role": "user", "content": "q"},), {"max_tokens": 100})
    return asyncio.run(dialogue.hold(request)), model, dialogue


def test_a_broken_reply_is_asked_for_once_more_with_what_was_wrong():
    found, model, dialogue = hold("no list", '{"claims": ["a"]}')
    assert found == ["a"]
    assert [message["content"] for message in model.history[1].messages] == [
        "q",
        "no list",
        "again: the reply has no JSON object with a list called claims",
    ]
    assert dialogue.calls == [request.key() for request in model.history]


def test_a_second_broken_reply_is_the_failure():
    found, model, _ = hold("no list", "still none", '{"claims": ["never asked for"]}')
    assert found.kind is FailureKind.MALFORMED
    assert len(model.history) == 2


def test_a_reply_that_was_cut_off_gets_twice_the_room_once():
    found, model, _ = hold(Reply('{"claims": ["a', finish_reason="length"), '{"claims": ["a"]}')
    assert found == ["a"]
    assert [request.parameters["max_tokens"] for request in model.history] == [100, 200]
