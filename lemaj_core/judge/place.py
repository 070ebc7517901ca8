"""Finds what a model quoted: every data point in the answer, every piece of evidence in the source.

Pure. A quote that is nowhere is said to be nowhere and changes no tag; a point without anything to be checked against
keeps no tag.
"""

from collections.abc import Sequence

from lemaj_core.judge import prompt
from lemaj_core.judge.parse import ReadPoint
from lemaj_core.text.locate import Match, locate
from lemaj_core.types import DataPoint, Document, Evidence, Item, RunSettings, Tag


def place(
    points: Sequence[ReadPoint], item: Item, document: Document | None, settings: RunSettings
) -> tuple[tuple[DataPoint, ...], list[str]]:
    """Find the points in the answer and their evidence in the source.

    Offsets of evidence count in the document; where there is none (``document_id`` None), in the joined contexts or,
    without those, in the reference answer. Where there is nothing to check against, no point keeps a tag: "correct"
    would claim what nobody looked up, and "irrelevant" alone would make Relevance 0 where it is undefined.

    Returns
    -------
    tuple of DataPoint
        In the order of the reply.
    list of str
        Notes: points that are not in the answer, evidence that was not found, what was left out.
    """
    source = prompt.source(item, document)
    checked = source if source is not None else prompt.reference(item, settings)
    document_id = document.id if document is not None and source == document.text else None
    if checked is None:
        kept = [point for point in points if point.tag is not Tag.MISSING]
        return _unchecked(kept, item, len(points) - len(kept))
    placed: list[DataPoint] = []
    notes: list[str] = []
    for point, match in zip(points, _in_answer(points, item.answer), strict=True):
        if match is None and point.tag is not Tag.MISSING:
            notes.append(f"point {point.id} is not in the answer: {point.quote or point.text}")
        evidence = tuple(_evidence(quote, checked, document_id) for quote in point.evidence)
        lost = [one.quote for one in evidence if not one.found]
        notes += [f"evidence of point {point.id} was not found in the source: {quote}" for quote in lost]
        placed.append(_point(point, point.tag, point.reason, item.answer, match, evidence))
    if not placed:
        notes.append("the judge found no data point in the answer")
    return tuple(placed), notes


def _unchecked(points: Sequence[ReadPoint], item: Item, dropped: int) -> tuple[tuple[DataPoint, ...], list[str]]:
    placed: list[DataPoint] = []
    notes = ["nothing to check against: no document, no contexts, no reference answer; so no point is tagged"]
    if dropped:
        notes.append(f"{dropped} points called missing were left out: without a source nothing can be missing")
    for point, match in zip(points, _in_answer(points, item.answer), strict=True):
        if match is None:
            notes.append(f"point {point.id} is not in the answer: {point.quote or point.text}")
        view = "off the question" if point.tag is Tag.IRRELEVANT else "on the question"
        reason = f"Not checked: there is no source. In the judge's view {view}. {point.reason}".strip()
        placed.append(_point(point, None, reason, item.answer, match, ()))
    return tuple(placed), notes


def _in_answer(points: Sequence[ReadPoint], answer: str) -> list[Match | None]:
    """Place of each point in the answer; a missing point has none, whatever the model quotes for it."""
    places: list[Match | None] = []
    last: Match | None = None
    said: str | None = None
    for point in points:
        match = None
        if point.tag is not Tag.MISSING:
            # Points come in the order of the answer: a sentence said twice is found behind the point before, but two
            # assertions in one sentence share their place.
            near = 0 if last is None else last.start if point.quote == said else last.end
            match = locate(point.quote, answer, near=near) if point.quote else None
            match = match or locate(point.text, answer, near=near)
        if match is not None:
            last, said = match, point.quote
        places.append(match)
    return places


def _point(
    point: ReadPoint, tag: Tag | None, reason: str, answer: str, match: Match | None, evidence: tuple[Evidence, ...]
) -> DataPoint:
    return DataPoint(
        id=point.id,
        text=point.text,
        tag=tag,
        reason=reason,
        start=match.start if match else None,
        end=match.end if match else None,
        quote=answer[match.start : match.end] if match else None,
        evidence=evidence,
    )


def _evidence(quote: str, source: str, document_id: str | None) -> Evidence:
    match = locate(quote, source)
    if match is None:
        return Evidence(quote, document_id)
    return Evidence(source[match.start : match.end], document_id, match.start, match.end, match.similarity)
