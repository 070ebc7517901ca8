"""Five different questions that an answer could be the answer to: what a model is asked for, and how replies are read.

Five equal calls at temperature 0 would give one question five times, so all are asked for in one call. Pure: it builds
a request and reads a reply; the packaged model that writes questions offline is in ``lemaj_core.models.generate``.
"""

import hashlib
from collections.abc import Sequence
from string import Template
from typing import Any

from lemaj_core.judge import prompt
from lemaj_core.judge.dialogue import listed
from lemaj_core.judge.parse import Unreadable, by_letters
from lemaj_core.text import normalise
from lemaj_core.types import FailureKind, Request, RunSettings

WANTED = 5
PROMPT = "relevance_questions"
SCHEMA: dict[str, Any] = {
    "name": "questions",
    "strict": True,
    "schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["questions"],
        "properties": {"questions": {"type": "array", "items": {"type": "string"}}},
    },
}
ROOM = 1024
_LONGEST = 1_000
_REPAIR = (
    "Your reply could not be used: $problem\n\nSend the whole reply again, corrected: one JSON object "
    '{"questions": ["...", "..."]} and nothing before or after it.'
)


def version() -> str:
    """Name of the form of the reply and hash of the prompt."""
    return f"questions/1+{hashlib.sha256(prompt.template(PROMPT).encode()).hexdigest()[:12]}"


def request(text: str, placeholders: Sequence[str], model: str, settings: RunSettings, repeat: int = 0) -> Request:
    """Build the request for five questions.

    Parameters
    ----------
    text : str
        The answer, masked or as it is. The question is not shown: it would be copied.
    placeholders : sequence of str
        Placeholders that the text may hold.
    model : str
        Who is asked.
    settings : RunSettings
        Base URL; nothing else reaches the request.
    repeat : int
        Earlier failed tries.
    """
    shown = prompt.visible(text)
    system = Template(prompt.template(PROMPT)).substitute(wanted=WANTED, placeholders=", ".join(placeholders) or "none")
    closing = "Write the questions by the rules you were given. Reply with the one JSON object."
    return Request(
        model=model,
        messages=(
            {"role": "system", "content": system},
            {"role": "user", "content": f"{prompt.fenced('ANSWER', shown, shown)}\n\n{closing}"},
        ),
        parameters={"temperature": 0, "seed": repeat, "max_tokens": ROOM},
        base_url=settings.base_url,
        schema=SCHEMA,
        schema_version=version(),
        repeat=repeat,
    )


def repair(problem: str) -> str:
    """Build the message that asks for a usable reply."""
    return Template(_REPAIR).substitute(problem=problem)


def read(text: str | None, finish_reason: str | None) -> list[str] | Unreadable:
    """Read the questions of a reply: the first five that differ by more than case and spaces."""
    given = listed(text, finish_reason, "questions")
    if isinstance(given, Unreadable):
        return given
    found: dict[str, str] = {}
    for one in given:
        said = by_letters(one).get("question") if isinstance(one, dict) else one
        if not isinstance(said, str):
            return Unreadable(FailureKind.MALFORMED, "a question is no text")
        said = " ".join(normalise(said).split())
        if said and len(said) <= _LONGEST:
            found.setdefault(said.casefold().rstrip(" ?."), said)
    if not found:
        return Unreadable(FailureKind.MALFORMED, "the list of questions is empty")
    return list(found.values())[:WANTED]
