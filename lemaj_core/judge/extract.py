"""What in a text is specific: hazards, places, times, intensities; parties, clauses, terms, amounts, jurisdictions.

One reader for specificity, which checks what it finds, and for masking, which hides it. It finds words and brings them
to a form in which two can be compared; it says nothing of whether they are true. Each dimension has its own reader
below; the word lists stand in ``extract_words.json``: professions, infrastructure, concerns and counties are SCORE's
(arXiv 2602.10017, tables 6 and 7), the rest was written for the project.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from lemaj_core.errors import SettingsError

# A sign that no text has once it was normalised.
_BLANK = "\x00"

FILE = Path(__file__).parent / "extract_words.json"


class Found(NamedTuple):
    """One specific thing in a text. ``value`` is what two of the same ``kind`` are compared by."""

    start: int
    end: int
    dimension: str
    kind: str
    text: str
    value: Any


# What people call the dimensions that can be read; a name with words of two of them is served by none.
_SERVES = {
    word: dimension
    for dimension, names in {
        "party or obligation": "party parties obligation duty role",
        "clause reference": "clause section reference citation article provision",
        "date or term": "date term period duration deadline day",
        "amount or threshold": "amount threshold sum price fee money percentage number cap",
        "jurisdiction": "jurisdiction law court forum",
        "hazard": "hazard peril disaster",
        "location": "location place county state city region geography",
        "timeline": "timeline time horizon year timeframe",
        "intensity": "intensity severity magnitude category",
        "profession": "profession occupation job",
        "infrastructure": "infrastructure asset",
        "concern": "concern",
    }.items()
    for word in names.split()
}

Reader = Callable[[str, str], Iterable[Found]]
"""Reads one dimension of a text; the second text is the source, which says who the parties are."""


@lru_cache(maxsize=1)
def words() -> Mapping[str, Any]:
    """Word lists, read once."""
    body: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return body


def pattern(terms: Iterable[str], *, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Match any of some terms as whole words, in the plural too, the longest first."""
    alternatives = (re.escape(term).replace(r"\ ", r"[\s-]+") for term in sorted(terms, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(alternatives)})(?:s|es)?(?![\w])", flags)


def readers(preset: str) -> Mapping[str, Reader]:
    """Readers of a preset by dimension, in the order in which they may take a stretch of text.

    Raises
    ------
    SettingsError
        If there is no such preset.
    """
    from lemaj_core.judge import extract_hazard, extract_legal

    if preset == "hazard":
        return extract_hazard.READERS
    if preset == "legal":
        return extract_legal.READERS
    if preset == "own":
        return {**extract_legal.READERS, **extract_hazard.READERS}
    raise SettingsError(f"there is no preset {preset!r} to read by; it must be hazard, legal or own")


def reader_of(name: str) -> str | None:
    """Give the dimension of the presets whose reader serves a dimension that the user named; None if none does.

    Examples
    --------
    >>> reader_of("Notice period"), reader_of("tone")
    ('date or term', None)
    """
    low = " ".join(name.lower().replace("_", " ").split())
    if low in readers("own"):
        return low
    named = re.findall(r"[a-z]+", low)
    found = {_SERVES.get(word) or _SERVES.get(word.removesuffix("s")) for word in named} - {None}
    return found.pop() if len(found) == 1 else None


def find(text: str, preset: str, source: str = "", dimensions: Iterable[str] | None = None) -> list[Found]:
    """Find what is specific in a text.

    Parameters
    ----------
    text : str
        A claim or an answer.
    preset : {"hazard", "legal", "own"}
        Which readers; "own" has those of both presets.
    source : str
        The document or the contexts: party names are read from it.
    dimensions : iterable of str, optional
        Only these; all of the preset by default. A dimension without a reader finds nothing.

    Returns
    -------
    list of Found
        In the order of the text. No two of one preset overlap: what the first reader took ("100-year flood" is an
        intensity) no later one takes again ("100-year" is no time).
    """
    wanted = None if dimensions is None else set(dimensions)
    taken: list[Found] = []
    left = text
    for dimension, reader in readers(preset).items():
        # The two presets read the same words twice ("30 years"); of the user's own only what is asked for is read.
        if preset == "own" and wanted is not None and dimension not in wanted:
            continue
        free = 0
        for one in sorted(reader(left, source), key=lambda one: (one.start, -one.end)):
            if one.start >= free and _BLANK not in left[one.start : one.end]:
                taken.append(one._replace(dimension=dimension, text=text[one.start : one.end]))
                free = one.end
        # Without what is taken, "extreme" of "extreme heat wave" cannot hide the heat wave behind it.
        for one in taken:
            left = left[: one.start] + _BLANK * (one.end - one.start) + left[one.end :]
    return sorted(one for one in taken if wanted is None or one.dimension in wanted)


def spans(text: str, preset: str, source: str = "") -> list[tuple[int, int, str]]:
    """Give the places to be masked with their dimension: everything specific but the verbs of obligations.

    Examples
    --------
    >>> text = "A drought in Yolo County, California lasts 5 - 10 years."
    >>> [(text[start:end], dimension) for start, end, dimension in spans(text, "hazard")]
    [('drought', 'hazard'), ('Yolo County, California', 'location'), ('5 - 10 years', 'timeline')]
    """
    return [(one.start, one.end, one.dimension) for one in find(text, preset, source) if one.kind != "obligation"]
