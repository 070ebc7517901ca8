"""ExpertQA: answers whose claims were labelled by experts. The labels become an annotation, the raw ones are kept.

Derived tags: incorrect = the expert said definitely or likely incorrect; irrelevant = definitely or probably correct,
but uninformative or not too important; correct = definitely correct and very relevant; anything else has no tag.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

from lemaj_core.ingest.cells import as_text, plain
from lemaj_core.text.locate import locate
from lemaj_core.types import Annotation, DataPoint, Document, Evidence, Item, Tag

_INCORRECT = {"definitely incorrect", "likely incorrect"}
_RIGHT = {"definitely correct", "probably correct"}
_USELESS = {"uninformative", "not too important"}
_LABELS = ("correctness", "informativeness", "support", "worthiness", "reliability")
_SOURCE = re.compile(r"\s*(?:\[\d+\]\s*)?(?:https?://\S+|www\.\S+)?\s*")


def fits(columns: Collection[str]) -> bool:
    """Whether these columns are ExpertQA's: claims beside an answer, or all systems' answers in one object."""
    return "question" in columns and (
        {"claims", "answer"} <= set(columns)
        or {"claims", "answer_string"} <= set(columns)
        or {"answers", "annotator_id"} <= set(columns)
        or {"answers", "metadata", "question"} <= set(columns)
    )


def flatten(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give one object per answer with id, question, answer, model, contexts, claims, and what else there is."""
    answers = record.get("answers")
    if not isinstance(answers, dict):
        return [_flat(record, record, record.get("system") or record.get("model"), record.get("id"))]
    common = {name: cell for name, cell in record.items() if name not in ("answers", "metadata")}
    if isinstance(record.get("metadata"), dict):
        common |= record["metadata"]
    name = as_text(record.get("example_id") or record.get("id"))
    return [
        _flat(common, answer, system, f"{name}-{system}" if name else None)
        for system, answer in answers.items()
        if isinstance(answer, dict)
    ]


def _flat(common: Mapping[str, Any], answer: Mapping[str, Any], system: Any, name: Any) -> dict[str, Any]:
    claims = [claim for claim in answer.get("claims") or () if isinstance(claim, dict)]
    passages = dict.fromkeys(text for claim in claims for text in _evidence(claim) if _passage(text))
    known = ("answer", "answer_string", "system", "model", "claims", "id", "example_id", "question", "attribution")
    rest = {name: cell for name, cell in (dict(common) | dict(answer)).items() if name not in known}
    return {
        "id": name,
        "question": common.get("question"),
        "answer": answer.get("answer", answer.get("answer_string")),
        "model": system,
        "contexts": list(passages),
        "claims": claims,
        **rest,
    }


def _evidence(claim: Mapping[str, Any]) -> list[str]:
    evidence = claim.get("evidence")
    found = evidence if isinstance(evidence, list) else [] if evidence is None else [evidence]
    return [text for part in found if (text := as_text(part)).strip()]


def _passage(evidence: str) -> str:
    """Give what an evidence says beyond its number and its address."""
    return _SOURCE.sub("", evidence, count=1).strip()


def tag(correctness: str, informativeness: str) -> Tag | None:
    """Derive LeMAJ's tag from the expert's two labels; None where they do not decide it.

    Examples
    --------
    >>> tag("Probably correct", "Uninformative")
    <Tag.IRRELEVANT: 'irrelevant'>
    """
    right, useful = correctness.strip().casefold(), informativeness.strip().casefold()
    if right in _INCORRECT:
        return Tag.INCORRECT
    if right in _RIGHT and useful in _USELESS:
        return Tag.IRRELEVANT
    if right == "definitely correct" and useful == "very relevant":
        return Tag.CORRECT
    return None


def annotate(item: Item, document: Document | None, claims: Any, annotator: str = "expert") -> Annotation | None:
    """Make the annotation of one answer from its raw claims; every point that can be is located in the answer."""
    raw = [claim for claim in claims or () if isinstance(claim, dict)]
    if not raw:
        return None
    points, reached = [], 0
    for number, claim in enumerate(raw, start=1):
        text = as_text(claim.get("claim", claim.get("claim_string"))).strip()
        if not text:
            continue
        match = locate(text, item.answer, near=reached)
        if match is not None:
            reached = match.end
        points.append(
            DataPoint(
                id=f"p{number}",
                text=text,
                tag=tag(as_text(claim.get("correctness")), as_text(claim.get("informativeness"))),
                reason="; ".join(f"{name}: {label}" for name in _LABELS if (label := as_text(claim.get(name)))),
                start=match.start if match else None,
                end=match.end if match else None,
                quote=item.answer[match.start : match.end] if match else None,
                evidence=tuple(_located(text, document) for text in _evidence(claim)),
            )
        )
    labels = [{name: cell for name, cell in plain(claim).items() if name != "evidence"} for claim in raw]
    return Annotation(item.id, annotator, tuple(points), extra={"claims": labels})


def _located(text: str, document: Document | None) -> Evidence:
    passage = _passage(text)
    if not passage:
        return Evidence(text.strip())
    match = locate(passage, document.text) if document else None
    if match is None or document is None:
        return Evidence(passage)
    return Evidence(document.text[match.start : match.end], document.id, match.start, match.end, match.similarity)
