"""Whether the offsets kept with a quote still lead to that quote. It finds nothing and repairs nothing."""

from collections.abc import Iterable, Mapping

from lemaj_core.errors import StoreError
from lemaj_core.types import DataPoint, Document


def check_points(points: Iterable[DataPoint], answer: str, documents: Mapping[str, Document], where: str) -> None:
    """Compare every quote with the text between its offsets.

    The quote of a data point must equal the answer there. An evidence passage found by likeness (``similarity`` set)
    need not equal its quote, but it must lie inside its document.

    Raises
    ------
    StoreError
        If a quote and its offsets disagree; ``where`` names the answer in the message.
    """
    for point in points:
        _check(point.start, point.end, point.quote, answer, f"{where}, data point {point.id}")
        for passage in point.evidence:
            document = documents.get(passage.document_id or "")
            if document is None:
                continue
            quote = passage.quote if passage.similarity is None else None
            place = f"{where}, evidence of data point {point.id} in {document.name}"
            _check(passage.start, passage.end, quote, document.text, place)


def _check(start: int | None, end: int | None, quote: str | None, text: str, where: str) -> None:
    if start is None and end is None:
        return
    if start is None or end is None or not 0 <= start <= end <= len(text):
        raise StoreError(f"{where}: offsets {start} to {end} lie outside a text of {len(text)} characters")
    if quote is not None and text[start:end] != quote:
        raise StoreError(f"{where}: {quote[:60]!r} was expected at {start} to {end}, found {text[start:end][:60]!r}")
