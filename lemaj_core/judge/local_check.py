"""Whether a document says what a statement says: support, then conflicts, with the passage to look at.

Of the passages that are about equally close to the statement, one without a conflict decides: a statement is right
when some passage says it.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from lemaj_core.judge.local_align import Support, support
from lemaj_core.judge.local_conflicts import Conflict, conflicts
from lemaj_core.judge.local_facts import Fact, facts
from lemaj_core.judge.local_parties import Parties, parties
from lemaj_core.judge.local_passages import Passages, Unit, prepare
from lemaj_core.models.embed import encoder

SUPPORTED = 0.78
"""Support from which a statement counts as found in the document."""

# The model reads no more of a statement than this; comparing longer ones word by word would take minutes.
_LONGEST = 2000
_NEAR = 0.05
_MOST = 4
# A passage that is a little less alike wins if it contradicts less.
_PER_CONFLICT = 0.04
_AROUND = 0.70


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """What a document says to a statement: how far it supports it, where, and what it contradicts."""

    score: float
    unit: Unit | None
    unit_score: float
    conflicts: tuple[Conflict, ...]

    @property
    def supported(self) -> bool:
        """Whether the document says so and nothing contradicts."""
        return self.score >= SUPPORTED and not self.conflicts


_CITED = re.compile(
    r"\s*\((?:see )?(?:sections?|secs?\.|clauses?|articles?|paragraphs?|§+)[^()]*(?:\([a-z0-9]{1,4}\)[^()]*)*\)"
    r"|^(?:under|per|according to|pursuant to|as (?:stated|provided) in|in)\s+(?:sections?|secs?\.|clauses?"
    r"|articles?|paragraphs?|§+)\s*[\d.]+(?:\([a-z0-9]{1,4}\))*,?\s*"
    r"|\[\d{1,3}\]",
    re.IGNORECASE,
)
_ANSWERED = re.compile(r"\A\W*(?:yes|no)\s*[,.;:\u2013\u2014-]+\s*", re.IGNORECASE)
_LABEL = re.compile(r"\A[A-Z][\w' -]{2,30}:\s+(?=\S+\s+\S)")


def bare(statement: str) -> str:
    """Take off what belongs to the answer, not to the contract: citations, a label in front ("Rate: ...")."""
    return _CITED.sub("", _LABEL.sub("", statement)) or statement


def check(statements: list[str], text: str, question: str = "") -> list[Check]:
    """Hold statements against a document."""
    if not statements:
        return []
    passages, known = prepare(text), parties(text)
    # "No, the landlord may not": the word answers the question and negates nothing in the sentence.
    statements = [(_ANSWERED.sub("", statement) or statement)[:_LONGEST] for statement in statements]
    # The contract says "Tenant" where the answer names the company: the model sees the contract's word in both.
    encoded = encoder().encode([known.canonical(bare(statement)) for statement in statements])
    return [
        _checked(statement, support(found, passages), passages, known, question)
        for statement, found in zip(statements, encoded, strict=True)
    ]


@lru_cache(maxsize=24)
def facts_of(text: str) -> tuple[Fact, ...]:
    """Read all facts of a document; remembered like the document itself."""
    return tuple(facts(text))


def _checked(statement: str, held: Support, passages: Passages, known: Parties, question: str) -> Check:
    if not held.units:
        return Check(held.score, None, 0.0, ())
    units = [passages.units[index] for index in held.units]
    around = [(unit, score) for unit, score in zip(units, held.unit_scores, strict=True) if score >= _AROUND]
    best: Check | None = None
    for unit, score in list(zip(units, held.unit_scores, strict=True))[:_MOST]:
        if score < held.unit_scores[0] - _NEAR:
            break
        found = conflicts(
            statement,
            passages.words(unit),
            known,
            label=unit.label,
            around=tuple(
                (passages.words(other), max(0.0, score - less)) for other, less in around if other is not unit
            ),
            known=question,
            document=facts_of(passages.text),
        )
        if best is None or score - _PER_CONFLICT * len(found) > best.unit_score - _PER_CONFLICT * len(best.conflicts):
            best = Check(held.score, unit, score, tuple(found))
        if not found:
            break
    return best if best is not None else Check(held.score, units[0], held.unit_scores[0], ())
