"""What of a document bears on a question: its passages by relevance, and whether a clause is about a topic.

Relevance is judged on the passage behind a statement rather than on the statement, which often says "it" for what the
question names. Whether anything is true is no concern here.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from lemaj_core.judge.local_align import support
from lemaj_core.judge.local_parties import parties
from lemaj_core.judge.local_passages import Unit, prepare
from lemaj_core.models.embed import encoder
from lemaj_core.models.rerank import cross_encoder
from lemaj_core.types import Strictness

RELEVANT = {Strictness.LENIENT: -7.0, Strictness.STANDARD: -4.5, Strictness.STRICT: -2.0}
"""Least relevance of a passage, by strictness; a stricter judge calls more points irrelevant."""

_CANDIDATES = 12
_SECTIONS = 3
# What it counts that a passage stands in a section that answers the question, in logits.
_SAME_SECTION = 4.0
_ASKING = re.compile(
    r"\A\s*(?:does|do|is|are|can|may|will|shall|must|has|have)\s+(?:the|this|there|a|an|any)?\s*(?:clause"
    r"|agreement|contract|provision|section)?\s*"
    r"(?:(?:describe|discuss|specify|mention|contain|provide for|provide|state|require|give|grant|award|limit"
    r"|restrict|include|address|cover)s?\b)?"
    r"\s*(?:that\b)?\s*",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"\A\s*(?:does|do|did|is|are|was|can|may|could|will|would|shall|must|has|have|should)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question laid over a document: the passages most likely to answer it with their logits, best first."""

    question: str
    units: tuple[tuple[Unit, float], ...]
    sections: frozenset[str]


@lru_cache(maxsize=256)
def ask_document(question: str, text: str) -> Asked:
    """Find the passages that answer a question; remembered, since several answers are given to one question."""
    passages = prepare(text)
    question = parties(text).canonical(question)
    held = support(encoder().encode([question])[0], passages, top=8)
    units = [passages.units[index] for index in held.units[:_CANDIDATES]]
    logits = cross_encoder().scores(question, [passages.words(unit) for unit in units])
    ranked = sorted(zip(units, map(float, logits), strict=True), key=lambda pair: -pair[1])
    return Asked(question, tuple(ranked), frozenset(_section(unit.label) for unit, _ in ranked[:_SECTIONS]))


def relevance(asked: Asked, units: list[Unit], text: str) -> list[float]:
    """Say how far passages bear on the question, in logits."""
    if not units:
        return []
    logits = cross_encoder().scores(asked.question, [text[unit.start : unit.end] for unit in units])
    return [
        float(logit) + (_SAME_SECTION if _section(unit.label) in asked.sections else 0.0)
        for logit, unit in zip(logits, units, strict=True)
    ]


def _section(label: str) -> str:
    return label.split(".")[0].split("(")[0]


def is_yes_no(question: str) -> bool:
    """Whether a question asks for yes or no."""
    return _YES_NO.match(question) is not None


@lru_cache(maxsize=256)
def speaks_of(question: str, passages: tuple[str, ...]) -> float:
    """Say how surely one of some passages is about what a yes-or-no question names; above 0 means yes.

    The threshold was set on half of the clause questions of LegalBench; see ``benchmarks/offline_judge.py``.
    """
    topic = _ASKING.sub("", question.split("?")[0]).strip() or question
    logits = cross_encoder().scores(topic, list(passages))
    vectors = encoder().encode([topic, *passages])
    nearness = [float(vectors[0].vector @ found.vector) for found in vectors[1:]]
    return max((float(logit) + 7.0) / 4.0 + (near - 0.36) / 0.15 for logit, near in zip(logits, nearness, strict=True))
