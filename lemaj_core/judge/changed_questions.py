"""Robustness by a language model: the question in other words, the question about another matter, and new answers.

One request writes both questions; one for each answers it from the same documents. Pure: it builds requests and reads
replies. SCORE retrieves documents anew for the perturbed question; here the documents stay, so a perturbed answer may
say that they do not cover it.
"""

import hashlib
from string import Template
from typing import Any, NamedTuple

from lemaj_core.judge import prompt
from lemaj_core.judge.blocks import OpenBlock, blocks
from lemaj_core.judge.parse import Unreadable, by_letters, excerpt, refusal, without_thoughts
from lemaj_core.text import normalise
from lemaj_core.types import FailureKind, Item, Request, RunSettings

QUESTIONS, ANSWER = "robustness_questions", "robustness_answer"
PARAPHRASE, PERTURBATION = "paraphrase", "perturbation"
CHANGE = {
    "hazard": "the natural hazard and the place (another hazard, another county and state)",
    "legal": "the right, duty or clause that is asked about, or the party that is asked about",
    "own": "the main thing that is asked about",
}
SCHEMA: dict[str, Any] = {
    "name": "changed_questions",
    "strict": True,
    "schema": {
        "type": "object",
        "additionalProperties": False,
        "required": [PARAPHRASE, PERTURBATION],
        "properties": {PARAPHRASE: {"type": "string"}, PERTURBATION: {"type": "string"}},
    },
}
ROOM, LEAST_ROOM = 1024, 2048
_REPAIR = (
    "Your reply could not be used: $problem\n\nSend the whole reply again, corrected: one JSON object "
    '{"paraphrase": "...", "perturbation": "..."} and nothing before or after it.'
)


class Changed(NamedTuple):
    """A question in other words, and one about something else."""

    paraphrase: str
    perturbation: str


def version() -> str:
    """Name of the form of the replies and hash of the prompts."""
    texts = [prompt.template(QUESTIONS), prompt.template(ANSWER), *CHANGE.values()]
    return f"robustness/1+{hashlib.sha256(chr(0).join(texts).encode()).hexdigest()[:12]}"


def ask_questions(item: Item, model: str, settings: RunSettings, repeat: int) -> Request:
    """Build the request for both changed questions."""
    shown = prompt.visible(item.question)
    system = Template(prompt.template(QUESTIONS)).substitute(change=CHANGE.get(settings.preset, CHANGE["own"]))
    closing = "Write both questions by the rules you were given. Reply with the one JSON object."
    body = f"{prompt.fenced('QUESTION', shown, shown)}\n\n{closing}"
    return _request(system, body, model, settings, repeat, ROOM, version(), SCHEMA)


def ask_answer(
    question: str, kind: str, source: str, item: Item, model: str, settings: RunSettings, repeat: int
) -> Request:
    """Build the request for an answer to a changed question from the same documents."""
    named = {"SOURCES": prompt.visible(source), "QUESTION": prompt.visible(question)}
    everything = "\n".join(named.values())
    body = [prompt.fenced(name, text, everything) for name, text in named.items()]
    closing = "Answer the QUESTION from the SOURCES by the rules you were given."
    words = max(60, len(item.answer.split()))
    system = Template(prompt.template(ANSWER)).substitute(words=words)
    room = max(LEAST_ROOM, 4 * words)
    return _request(system, "\n\n".join([*body, closing]), model, settings, repeat, room, f"{version()}/{kind}", None)


def _request(
    system: str,
    body: str,
    model: str,
    settings: RunSettings,
    repeat: int,
    room: int,
    form: str,
    schema: dict[str, Any] | None,
) -> Request:
    return Request(
        model=model,
        messages=({"role": "system", "content": system}, {"role": "user", "content": body}),
        parameters={"temperature": 0, "seed": repeat, "max_tokens": room},
        base_url=settings.base_url,
        schema=schema,
        schema_version=form,
        repeat=repeat,
    )


def repair(problem: str) -> str:
    """Build the message that asks for a usable reply."""
    return Template(_REPAIR).substitute(problem=problem)


def read_questions(text: str | None, finish_reason: str | None, asked: str) -> Changed | Unreadable:
    """Read both questions of a reply; one that equals the question asked is no change."""
    body = _body(text, finish_reason)
    if isinstance(body, Unreadable):
        return body
    found: Changed | None = None
    for block in blocks(body):
        if isinstance(block, OpenBlock) or not isinstance(block.value, dict):
            continue
        given = by_letters(block.value)
        said = [given.get(name) for name in (PARAPHRASE, PERTURBATION)]
        if all(isinstance(one, str) and one.strip() for one in said):
            found = Changed(*(" ".join(normalise(str(one)).split()) for one in said))
    if found is None:
        if refusal(body):
            return Unreadable(FailureKind.REFUSED, f"the model would not answer: {excerpt(body)}")
        return Unreadable(FailureKind.MALFORMED, "the reply has no JSON object with paraphrase and perturbation")
    if len({one.casefold() for one in (*found, " ".join(asked.split()))}) < 3:
        return Unreadable(FailureKind.MALFORMED, "a changed question equals the question or the other changed one")
    return found


def read_answer(text: str | None, finish_reason: str | None) -> str | Unreadable:
    """Read a plain answer; an empty or a cut one is none."""
    body = _body(text, finish_reason)
    if isinstance(body, Unreadable):
        return body
    if finish_reason == "length":
        return Unreadable(FailureKind.TRUNCATED, "the answer was cut off")
    return normalise(body).strip()


def _body(text: str | None, finish_reason: str | None) -> str | Unreadable:
    if finish_reason in ("content_filter", "refusal"):
        return Unreadable(FailureKind.REFUSED, f"the model would not answer: {excerpt(text) or finish_reason}")
    body = without_thoughts(text or "")
    if body is None:
        return Unreadable(FailureKind.TRUNCATED, "the reply ends inside the model's reasoning")
    if not body.strip():
        kind = FailureKind.TRUNCATED if finish_reason == "length" else FailureKind.EMPTY
        return Unreadable(kind, "the reply was empty")
    return body
