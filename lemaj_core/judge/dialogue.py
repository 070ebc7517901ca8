"""One question to a model until its reply can be used: more room once, one request to mend it, then it is a failure.

Knows no prompt and no form of reply: what reads a reply and what asks for a better one are given. Every judge and every
examiner that asks a model asks it here, so that failures are of the same kinds everywhere.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Generic, TypeVar

from lemaj_core.judge import Ask, Call
from lemaj_core.judge.blocks import OpenBlock, blocks
from lemaj_core.judge.parse import LONGEST, Unreadable, by_letters, excerpt, refusal, without_thoughts
from lemaj_core.types import FailureKind, Reply, Request

T = TypeVar("T")
_LONGEST_ECHO = 20_000


class Dialogue(Generic[T]):
    """The calls for one answer, in order; ``calls`` holds their keys.

    Parameters
    ----------
    ask : Ask
        Answers from the ledger, or calls and keeps the reply.
    call : Call
        Sends a request.
    read : callable
        Takes a reply's text and finish reason; gives what was read, or :class:`Unreadable`.
    repair : callable
        Takes what was wrong with a reply; gives the message that asks for a better one.
    """

    def __init__(
        self,
        ask: Ask,
        call: Call,
        read: Callable[[str, str | None], T | Unreadable],
        repair: Callable[[str], str],
    ):
        self.ask = ask
        self.call = call
        self.read = read
        self.repair = repair
        self.calls: list[str] = []

    async def hold(self, request: Request) -> T | Unreadable:
        """Ask; twice the room after a reply that was cut off, one request to mend one that is malformed or empty.

        Raises
        ------
        CallFailed
            If a call gets no reply.
        """
        reply, outcome = await self._send(request)
        if isinstance(outcome, Unreadable) and outcome.kind is FailureKind.TRUNCATED:
            room = 2 * request.parameters["max_tokens"]
            request = replace(request, parameters={**request.parameters, "max_tokens": room})
            reply, outcome = await self._send(request)
        if isinstance(outcome, Unreadable) and outcome.kind in (FailureKind.MALFORMED, FailureKind.EMPTY):
            said = reply.text[:_LONGEST_ECHO] if reply.text.strip() else "(empty reply)"
            more = ({"role": "assistant", "content": said}, {"role": "user", "content": self.repair(outcome.problem)})
            reply, outcome = await self._send(replace(request, messages=(*request.messages, *more)))
        return outcome

    async def _send(self, request: Request) -> tuple[Reply, T | Unreadable]:
        self.calls.append(request.key())
        reply = await self.ask(request, self.call)
        return reply, self.read(reply.text, reply.finish_reason)


def listed(text: str | None, finish_reason: str | None, key: str) -> list[Any] | Unreadable:
    """Read the list that stands under a key of the last JSON object of a reply.

    Parameters
    ----------
    text : str or None
        What the model wrote.
    finish_reason : str or None
        Why it stopped.
    key : str
        Name of the list; spelling and case of the reply do not matter ("Claims", "claims").

    Returns
    -------
    list or Unreadable
        The list as it was written, nothing in it checked. Like :func:`lemaj_core.judge.parse.parse`: of several
        objects the last one counts, and one that the model left open is never closed for it.
    """
    if finish_reason in ("content_filter", "refusal"):
        return Unreadable(FailureKind.REFUSED, f"the model would not answer: {excerpt(text) or finish_reason}")
    if text is None or not text.strip("\ufeff \t\r\n"):
        kind = FailureKind.TRUNCATED if finish_reason == "length" else FailureKind.EMPTY
        return Unreadable(kind, "the reply was empty")
    if len(text) > LONGEST:
        return Unreadable(
            FailureKind.MALFORMED, f"the reply has {len(text):,} characters; at most {LONGEST:,} are read"
        )
    body = without_thoughts(text.replace("\ufeff", ""))
    if body is None:
        return Unreadable(FailureKind.TRUNCATED, "the reply ends inside the model's reasoning")
    wanted = "".join(letter for letter in key.lower() if letter.isalpha())
    found: list[Any] | Unreadable | None = None
    for block in blocks(body):
        if isinstance(block, OpenBlock):
            found = (
                Unreadable(FailureKind.MALFORMED, "the reply is not valid JSON")
                if block.broken
                else Unreadable(FailureKind.TRUNCATED, "the reply ends before its JSON is complete")
            )
        elif isinstance(block.value, dict) and isinstance(given := by_letters(block.value).get(wanted), list):
            cut = block.repaired and finish_reason == "length"
            found = Unreadable(FailureKind.TRUNCATED, "the reply was cut off and its JSON is broken") if cut else given
    if found is not None:
        return found
    if finish_reason == "length":
        return Unreadable(FailureKind.TRUNCATED, "the reply was cut off before its JSON began")
    if refusal(body):
        return Unreadable(FailureKind.REFUSED, f"the model would not answer: {excerpt(body)}")
    return Unreadable(FailureKind.MALFORMED, f"the reply has no JSON object with a list called {key}")
