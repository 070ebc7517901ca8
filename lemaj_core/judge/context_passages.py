"""What an answer was, or could have been, written from: passages, and the claims in them by sentence.

Retrieved contexts where the data has them, else the passages of the document that share most words with the question.
It needs no model, so a plan can count what would be asked; it does not say which claims an answer uses.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from lemaj_core.text.folding import fold
from lemaj_core.text.sentences import split
from lemaj_core.types import Document, Item

MOST_CLAIMS = 40
MOST_PASSAGES = 3
LEAST_WORDS, LONGEST_HEADING = 4, 8
_PASSAGE = 1400
_WORD = re.compile(r"\w+")
# Okapi's usual constants.
_K, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with the place of its first character: in a document, or in the contexts joined (``document`` None)."""

    text: str
    document: str | None
    start: int | None


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, the number of its passage, and where it stands; ``start`` is None where that is not known."""

    text: str
    passage: int
    document: str | None = None
    start: int | None = None
    end: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Give the fields as they are stored."""
        return asdict(self)


def passages(item: Item, document: Document | None) -> tuple[list[Passage], list[str]]:
    """Give the passages in their order, and what a reader should know of how they were found.

    Offsets are those of a judge's evidence: into the document where there is one, else into the contexts joined by
    blank lines.
    """
    contexts = [context for context in item.contexts if context.strip()]
    if contexts:
        return _retrieved(contexts, document), []
    if document is None or not document.text.strip():
        return [], []
    cut = _cut(document.text)
    scores = overlap(item.question, [document.text[start:end] for start, end in cut])
    kept = sorted(sorted(range(len(cut)), key=lambda index: -scores[index])[:MOST_PASSAGES])
    found = [Passage(document.text[cut[i][0] : cut[i][1]], document.id, cut[i][0]) for i in kept]
    notes = []
    if len(kept) < len(cut):
        notes.append(
            f"no retrieved contexts: the {len(kept)} of {len(cut)} passages of the document that share most words "
            "with the question"
        )
    return found, notes


def _retrieved(contexts: Sequence[str], document: Document | None) -> list[Passage]:
    found, start = [], 0
    for context in contexts:
        if document is None:
            found.append(Passage(context, None, start))
        else:
            at = document.text.find(context)
            found.append(Passage(context, document.id if at >= 0 else None, at if at >= 0 else None))
        start += len(context) + len("\n\n")
    return found


def _cut(text: str) -> list[tuple[int, int]]:
    """Whole sentences together, up to so many characters."""
    groups: list[tuple[int, int]] = []
    for start, end in split(text):
        if groups and end - groups[-1][0] <= _PASSAGE:
            groups[-1] = (groups[-1][0], end)
        else:
            groups.append((start, end))
    return groups


def by_sentence(found: Sequence[Passage]) -> list[Claim]:
    """Give every sentence and list item of the passages once, without headings."""
    claims = []
    for number, passage in enumerate(found):
        for start, end in split(passage.text):
            words = " ".join(passage.text[start:end].split())
            if not _is_heading(words):
                claims.append(placed(Claim(words, number), passage, start, end))
    return unique(claims)


def _is_heading(text: str) -> bool:
    """Whether a text is too short to claim anything, or a few words in capitals."""
    words = [word for word in _WORD.findall(text) if not word.isdecimal()]
    return len(words) < LEAST_WORDS or (len(words) <= LONGEST_HEADING and text.isupper())


def placed(claim: Claim, passage: Passage, start: int, end: int) -> Claim:
    """Say where a claim stands, from its place in its passage."""
    if passage.start is None:
        return claim
    return replace(claim, document=passage.document, start=passage.start + start, end=passage.start + end)


def unique(claims: Sequence[Claim]) -> list[Claim]:
    """Give the first of all claims in the same words; case, spaces and quotation marks do not matter."""
    found: dict[str, Claim] = {}
    for claim in claims:
        found.setdefault(fold(claim.text).text.strip(" .;,"), claim)
    return list(found.values())


def most_relevant(claims: Sequence[Claim], question: str, most: int = MOST_CLAIMS) -> list[Claim]:
    """Keep the claims that share most words with the question, in their order."""
    if len(claims) <= most:
        return list(claims)
    scores = overlap(question, [claim.text for claim in claims])
    kept = sorted(range(len(claims)), key=lambda index: -scores[index])[:most]
    return [claims[index] for index in sorted(kept)]


def overlap(question: str, texts: Sequence[str]) -> list[float]:
    """Score texts by the words they share with a question: Okapi BM25 over these texts, rare words count more."""
    counted = [Counter(_words(text)) for text in texts]
    lengths = [sum(words.values()) for words in counted]
    mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
    scores = [0.0] * len(texts)
    for word in sorted(set(_words(question))):
        holders = sum(word in words for words in counted)
        weight = math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
        for index, words in enumerate(counted):
            often = words[word]
            scores[index] += weight * often * (_K + 1) / (often + _K * (1 - _B + _B * lengths[index] / mean))
    return scores


def _words(text: str) -> list[str]:
    """Words without their plural, in lower case."""
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in _WORD.findall(text.lower())]
