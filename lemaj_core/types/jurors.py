"""What the name of a judge says: which model, asked with which prompt, for the how-manieth time.

``openai/gpt-4o``, ``openai/gpt-4o#2`` (the same model asked again, a juror of its own) and
``openai/gpt-4o#1a2b3c4d5e6f`` (asked with the prompt of that version), or both.
"""

import re
from typing import NamedTuple

_NAME = re.compile(r"(?P<model>.+?)(?:#(?P<prompt>[0-9a-f]{12}))?(?:#(?P<number>[1-9][0-9]{0,2}))?", re.DOTALL)


class Juror(NamedTuple):
    """The parts of a judge's name. ``prompt`` is None for the product's own; ``number`` counts from 1."""

    model: str
    prompt: str | None = None
    number: int = 1


def juror(name: str) -> Juror:
    """Take the name of a judge apart.

    Examples
    --------
    >>> juror("openai/gpt-4o#1a2b3c4d5e6f#2")
    Juror(model='openai/gpt-4o', prompt='1a2b3c4d5e6f', number=2)
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return Juror(name)
    return Juror(found["model"], found["prompt"], int(found["number"] or 1))
