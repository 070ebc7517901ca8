"""Which uploaded document a cell of the ``document`` column means, however its name was written there.

Names are compared without folders, percent signs, case and ending; a name that an upload has cut short or cleaned is
still found. A cell that no document answers to is either a name (and nothing to check against) or the text itself.
"""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from rapidfuzz import fuzz, process

from lemaj_core.types import Document

_ENDING = re.compile(r"\.(?:txt|md|markdown|text|docx?|pdf|rtf|odt|html?|zip)\Z", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?;:][\"'\u201d\u2019)]*\s*\Z")
# An upload form that replaces percent signs makes "%20" into "_20".
_CLEANED_SPACE = re.compile(r"_20(?=[a-z])")
_LONGEST_NAME, _LONGEST_FILE_NAME = 120, 255
_CUT_NAMES_FROM = 30


class Library:
    """The uploaded documents, found by name."""

    def __init__(self, documents: Iterable[Document]):
        self._documents: dict[str, Document] = {}
        self._squeezed: dict[str, Document] = {}
        for document in documents:
            for name in _spellings(document.name):
                self._documents.setdefault(name, document)
            for name in _spellings(document.name):
                self._squeezed.setdefault(_squeeze(name), document)

    def __len__(self) -> int:
        return len(self._documents)

    def find(self, cell: str) -> Document | None:
        """Give the document that a cell names, if any."""
        if not self._documents or len(cell) > 1000 or "\n" in cell.strip():
            return None
        spellings = _spellings(cell)
        found = next((self._documents[name] for name in spellings if name in self._documents), None)
        if found is None:
            squeezed = [_squeeze(name) for name in spellings]
            found = next((self._squeezed[name] for name in squeezed if name in self._squeezed), None)
            return found or self._cut(squeezed)
        return found

    def _cut(self, names: list[str]) -> Document | None:
        # File systems and upload forms cut long names; the beginning decides if only one document has it.
        fits = {
            document.id: document
            for known, document in self._squeezed.items()
            if len(known) >= _CUT_NAMES_FROM and any(name.startswith(known) for name in names)
        }
        return next(iter(fits.values())) if len(fits) == 1 else None

    def nearest(self, cell: str) -> str | None:
        """Give the name that is most like a cell, to be suggested."""
        names = [document.name for document in self._documents.values()]
        found = process.extractOne(cell, names, scorer=fuzz.ratio, score_cutoff=60)
        return found[0] if found else None


def is_name(cell: str) -> bool:
    """Whether a cell reads as the name of a document and not as its text."""
    cell = cell.strip()
    if "\n" in cell or len(cell) > _LONGEST_FILE_NAME:
        return False
    return bool(_ENDING.search(cell)) or (len(cell) <= _LONGEST_NAME and not _SENTENCE_END.search(cell))


def _spellings(name: str) -> list[str]:
    """Spell a name with and without ending, as it is and percent-decoded, best first."""
    bare = name.strip().replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].casefold()
    decoded = _CLEANED_SPACE.sub(" ", unquote(bare))
    full = name.strip().replace("\\", "/").casefold()
    return list(dict.fromkeys((full, bare, decoded, _ENDING.sub("", bare), _ENDING.sub("", decoded))))


def _squeeze(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum())
