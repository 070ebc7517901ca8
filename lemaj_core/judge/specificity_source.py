"""What the claims of an answer are checked against, and in which dimensions: settings and material, before any judging.

Contexts come first, because an answer was written from them; offsets lead back into each of them.
"""

from typing import Any, NamedTuple

from lemaj_core.errors import SettingsError
from lemaj_core.metrics.specificity import PRESETS
from lemaj_core.types import Document, Item, RunSettings

_JOINT = "\n\n"


class Source(NamedTuple):
    """What claims are checked against: one document, or an answer's contexts joined; ``starts`` are their offsets."""

    text: str
    document_id: str | None
    starts: tuple[int, ...]

    def place(self, start: int, end: int) -> dict[str, Any]:
        """Give a stretch of the text as a place in the document or in one of the contexts."""
        if not self.starts:
            return {"document_id": self.document_id, "context": None, "start": start, "end": end}
        number = max(index for index, first in enumerate(self.starts) if first <= start)
        first = self.starts[number]
        return {"document_id": None, "context": number, "start": start - first, "end": end - first}


def source_of(item: Item, document: Document | None) -> Source | None:
    """Choose what to check against: the contexts the answer was written from if there are any, else the document."""
    if any(context.strip() for context in item.contexts):
        starts, at = [], 0
        for context in item.contexts:
            starts.append(at)
            at += len(context) + len(_JOINT)
        return Source(_JOINT.join(item.contexts), None, tuple(starts))
    if document is not None and document.text.strip():
        return Source(document.text, document.id, ())
    return None


def dimensions_of(settings: RunSettings) -> dict[str, float]:
    """Give the dimensions of a run with their weights.

    Raises
    ------
    SettingsError
        If there is no such preset, own dimensions are missing, or no weight is positive.
    """
    if settings.preset != "own" and settings.preset not in PRESETS:
        raise SettingsError(f"there is no preset {settings.preset!r}; it must be {', '.join(PRESETS)} or own")
    found = dict(settings.dimensions) if settings.preset == "own" else dict(PRESETS[settings.preset])
    if not found:
        raise SettingsError("the preset is own and no dimensions are given")
    if not all(0 <= weight < float("inf") for weight in found.values()) or not any(found.values()):
        raise SettingsError(f"weights {found} must be finite, not negative, and one of them positive")
    return found
