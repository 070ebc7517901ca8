"""From statements and passages to verdicts: correct, incorrect, irrelevant, missing, or not checked.

The order of the rules is the order of the paper: first truth, then relevance of what is true.
"""

from dataclasses import dataclass, field
from typing import Any

from lemaj_core.judge.local_align import Support, support
from lemaj_core.judge.local_passages import Passages, prepare
from lemaj_core.judge.local_points import Statement, statements
from lemaj_core.models.embed import encoder
from lemaj_core.models.rerank import cross_encoder
from lemaj_core.types import Document, Strictness, Tag

SUPPORTED = 0.80
RELEVANT = {Strictness.LENIENT: -9.0, Strictness.STANDARD: -7.0, Strictness.STRICT: -4.0}
ANSWERS = 3.0
COVERED = 0.80
MOST_MISSING = 3


@dataclass(slots=True)
class Verdicts:
    """The points as they are written into the reply."""

    points: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def verdicts(
    question: str, answer: str, document: Document | None, reference: str | None, strictness: Strictness
) -> Verdicts:
    """Judge an answer; the same input always gives the same verdicts."""
    found = Verdicts()
    stated = statements(answer)
    if document is None or not document.text.strip():
        found.notes.append("not checked: no document")
        found.points += [_record(index, item, None, "not checked: no document") for index, item in enumerate(stated, 1)]
        return found
    passages = prepare(document.text)
    encoded = encoder().encode([item.text for item in stated])
    supports = [support(item, passages) for item in encoded]
    relevance = cross_encoder().scores(question, [item.text for item in stated]) if stated else []
    for index, (item, held, logit) in enumerate(zip(stated, supports, relevance, strict=True), 1):
        evidence = _evidence(passages, held, document)
        if held.score < SUPPORTED:
            record = _record(index, item, Tag.INCORRECT, "no support found in the document", evidence)
        elif logit < RELEVANT[strictness]:
            record = _record(index, item, Tag.IRRELEVANT, "supported, but it does not bear on the question", evidence)
        else:
            record = _record(index, item, Tag.CORRECT, "the document says so", evidence)
        record["confidence"] = round(min(1.0, max(0.0, held.score)), 4)
        found.points.append(record)
    return found


def _evidence(passages: Passages, held: Support, document: Document) -> list[dict[str, Any]]:
    if not held.units:
        return []
    unit = passages.units[held.units[0]]
    return [
        {
            "quote": passages.words(unit),
            "document_id": document.id,
            "start": unit.start,
            "end": unit.end,
            "similarity": round(held.unit_scores[0], 4),
        }
    ]


def _record(
    index: int, item: Statement, tag: Tag | None, reason: str, evidence: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    return {
        "id": f"p{index}",
        "text": item.text,
        "tag": None if tag is None else str(tag),
        "reason": reason,
        "start": item.start,
        "end": item.end,
        "evidence": evidence or [],
        "confidence": None,
    }
