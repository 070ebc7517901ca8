"""From statements and passages to verdicts: correct, incorrect, irrelevant, missing, or not checked.

The order is the paper's: first whether a point is true, then whether what is true bears on the question, last what
was left out. Thresholds were set on one half of the measured data and its figures taken on the other.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from lemaj_core.judge.local_check import Check, check
from lemaj_core.judge.local_facts import facts
from lemaj_core.judge.local_missing import missing
from lemaj_core.judge.local_parties import parties
from lemaj_core.judge.local_passages import Unit, prepare
from lemaj_core.judge.local_points import Statement, statements
from lemaj_core.judge.local_question import RELEVANT, ask_document, is_yes_no, relevance, speaks_of
from lemaj_core.judge.local_reasons import contradiction
from lemaj_core.types import Document, Strictness, Tag

NO_DOCUMENT = "not checked: no document"
_REFERENCE = "the reference answer"
_FIRST_PERSON = re.compile(
    r"\b(?:I|we)(?: would| have| can|'d|\u2019d)?\s+(?:suggest|recommend|advise|not seen|cannot|am unable)",
    re.IGNORECASE,
)
_REMARK = 6
_DEFINED_WORD = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")


@dataclass(slots=True)
class Verdicts:
    """The points as they are written into the reply."""

    points: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(
        self, statement: Statement | None, text: str, tag: Tag | None, reason: str, evidence: list[dict[str, Any]]
    ) -> None:
        """Append a point; a missing one has no statement."""
        self.points.append(
            {
                "id": f"p{len(self.points) + 1}",
                "text": text,
                "tag": None if tag is None else str(tag),
                "reason": reason,
                "start": statement.start if statement else None,
                "end": statement.end if statement else None,
                "evidence": evidence,
                "confidence": None,
            }
        )


def verdicts(
    question: str, answer: str, document: Document | None, reference: str | None, strictness: Strictness
) -> Verdicts:
    """Judge an answer; the same input always gives the same verdicts.

    Parameters
    ----------
    question, answer : str
        As the user gave them.
    document : Document or None
        Without it nothing is tagged, except what a reference answer says.
    reference : str or None
        A right answer, if known: it supports statements and shows what is missing.
    strictness : Strictness
        How readily a true point is called irrelevant; it never changes what is true.

    Returns
    -------
    Verdicts
        Points in the order of the answer, missing ones last.
    """
    found = Verdicts()
    stated = statements(answer)
    if document is not None and not document.text.strip():
        document = None
    reference = reference if reference and reference.strip() else None
    if document is None and reference is None:
        found.notes.append(NO_DOCUMENT)
        for item in stated:
            found.add(item, item.text, None, NO_DOCUMENT, [])
        return found
    if len(stated) == 1 and stated[0].yes is not None:
        _yes_or_no(found, question, stated[0], document, reference)
    elif document is None:
        _against_reference(found, stated, reference or "", question)
    else:
        _against_document(found, question, answer, stated, document, reference, strictness)
    if reference is not None and not (stated and stated[0].yes is not None):
        _missing_of_reference(found, question, answer, reference)
    return found


def _against_document(
    found: Verdicts,
    question: str,
    answer: str,
    stated: list[Statement],
    document: Document,
    reference: str | None,
    strictness: Strictness,
) -> None:
    text = document.text
    passages, asked = prepare(text), ask_document(question, text)
    checks = _checks(stated, text, question)
    second: list[Check] = _checks(stated, reference, question) if reference else []
    behind = [result.unit for result in checks if result.unit is not None]
    scores = iter(relevance(asked, behind, text))
    logits = [next(scores) if result.unit is not None else float("-inf") for result in checks]
    for index, (item, result, logit) in enumerate(zip(stated, checks, logits, strict=True)):
        evidence = [_evidence(result.unit, text, document.id, result.unit_score)] if result.unit else []
        if not result.supported and second and second[index].supported:
            found.add(
                item,
                item.text,
                Tag.CORRECT,
                f"{_REFERENCE} says so",
                [_evidence(second[index].unit, reference or "", None, 0.0)],
            )
        elif result.conflicts:
            found.add(item, item.text, Tag.INCORRECT, contradiction(result.conflicts, result.unit), evidence)
        elif not result.supported and _is_remark(item.text, text):
            found.add(item, item.text, Tag.IRRELEVANT, "a general remark that the document does not speak of", [])
        elif not result.supported:
            found.add(item, item.text, Tag.INCORRECT, "no support found in the document", evidence)
        elif logit < RELEVANT[strictness]:
            found.add(
                item, item.text, Tag.IRRELEVANT, "the document says so, but it does not bear on the question", evidence
            )
        else:
            where = f"{result.unit.label} says so" if result.unit and result.unit.label else "the document says so"
            found.add(item, item.text, Tag.CORRECT, where, evidence)
        found.points[-1]["confidence"] = round(min(1.0, max(0.0, result.score)), 4)
    for unit in missing(asked, passages, answer, behind):
        where = unit.label or "a passage of the document"
        found.add(
            None,
            passages.words(unit),
            Tag.MISSING,
            f"{where} answers the question and the answer does not say it",
            [_evidence(unit, text, document.id, None)],
        )


def _checks(stated: list[Statement], text: str, question: str) -> list[Check]:
    """Check statements; a list item also together with the line that it completes, whichever is better supported."""
    alone = check([item.text for item in stated], text, question)
    led = [index for index, item in enumerate(stated) if item.lead]
    joined = check([f"{stated[index].lead.rstrip(':* ')} {stated[index].text}" for index in led], text, question)
    for index, result in zip(led, joined, strict=True):
        if not alone[index].conflicts and not alone[index].supported and result.supported:
            alone[index] = result
    return alone


def _is_remark(text: str, document: str) -> bool:
    """Whether an unsupported statement states nothing of this document: no value, no party, no defined term."""
    if _FIRST_PERSON.search(text):
        return True
    return (
        len(text.split()) >= _REMARK
        and not facts(text)
        and not parties(document).mentions(text)
        and not _DEFINED_WORD.search(text)
    )


def _against_reference(found: Verdicts, stated: list[Statement], reference: str, question: str) -> None:
    found.notes.append("checked against the reference answer only: no document")
    for item, result in zip(stated, _checks(stated, reference, question), strict=True):
        evidence = [_evidence(result.unit, reference, None, None)] if result.unit else []
        if result.conflicts:
            found.add(
                item, item.text, Tag.INCORRECT, contradiction(result.conflicts, result.unit, _REFERENCE), evidence
            )
        elif result.supported:
            found.add(item, item.text, Tag.CORRECT, f"{_REFERENCE} says so", evidence)
        else:
            found.add(item, item.text, None, f"not in {_REFERENCE}, and no document to check it against", [])


def _yes_or_no(
    found: Verdicts, question: str, item: Statement, document: Document | None, reference: str | None
) -> None:
    """Judge an answer that is nothing but yes or no, by what the question asserts."""
    truth: bool | None = None
    reason, evidence = "a bare yes or no to a question that does not ask for one", []
    expected = statements(reference) if reference else []
    if expected and (said := re.match(r"\W*(yes|no)\b", reference or "", re.IGNORECASE)):
        truth, reason = said.group(1).lower() == "yes", f"{_REFERENCE} says {said.group(1).lower()}"
    elif document is not None and is_yes_no(question):
        passages, asked = prepare(document.text), ask_document(question, document.text)
        unit = asked.units[0][0] if asked.units else None
        near = [passages.words(other) for other, _ in asked.units[:3]]
        whole = [document.text] if len(passages.chunks) <= 2 else []
        truth = bool(near) and speaks_of(question, (*whole, *near)) > 0
        what = "speaks of what the question names" if truth else "does not speak of what the question names"
        reason = f"the document {what} (approximate: only the topic was compared)"
        evidence = [_evidence(unit, document.text, document.id, None)] if unit and truth else []
    tag = None if truth is None else (Tag.CORRECT if truth is item.yes else Tag.INCORRECT)
    found.add(item, f"{item.text.rstrip('. ')}: {question}", tag, reason, evidence)


def _missing_of_reference(found: Verdicts, question: str, answer: str, reference: str) -> None:
    """Add what the reference answer says and the answer does not, unless the document already showed it."""
    room = 3 - sum(point["tag"] == Tag.MISSING for point in found.points)
    for item in statements(reference):
        if room <= 0 or item.yes is not None:
            break
        held = check([item.text], answer, question)[0] if answer.strip() else None
        if held is None or held.score < _SAID:
            room -= 1
            found.add(
                None,
                item.text,
                Tag.MISSING,
                f"{_REFERENCE} says it and the answer does not",
                [{"quote": item.text, "document_id": None, "start": None, "end": None, "similarity": None}],
            )


_SAID = 0.75


def _evidence(unit: Unit | None, text: str, document_id: str | None, similarity: float | None) -> dict[str, Any]:
    start, end = (unit.start, unit.end) if unit else (0, 0)
    known = document_id is not None
    return {
        "quote": text[start:end],
        "document_id": document_id,
        "start": start if known else None,
        "end": end if known else None,
        "similarity": None if similarity is None else round(similarity, 4),
    }
