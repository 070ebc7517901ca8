"""What an answer is checked against: an uploaded document, a text in the table, or the contexts of the row.

Every item that has anything to be checked against gets a document, so that judges need to look at one place only.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lemaj_core.ingest.documents import make_document
from lemaj_core.ingest.library import Library, is_name
from lemaj_core.ingest.mapping import folded
from lemaj_core.ingest.notes import Notes
from lemaj_core.types import Document


class Evidences:
    """Chooses the document of each row and keeps every document once."""

    def __init__(self, uploaded: list[Document], notes: Notes, mapping: Mapping[str, str]):
        self.documents: dict[str, Document] = {document.id: document for document in uploaded}
        self._uploaded = set(self.documents)
        self._library = Library(uploaded)
        self._notes = notes
        self._column = mapping.get("document")
        self._holds_text = self._column is not None and folded(self._column).endswith("text")
        self._type_column = mapping.get("document_type")
        self._by_text: dict[tuple[str, str | None, str | None], str] = {}
        self._named: set[str] = set()
        self._only = self._for_all(uploaded, mapping)

    def choose(
        self, row: int, cell: str, contexts: tuple[str, ...], type: str | None, extra: dict[str, Any]
    ) -> str | None:
        """Give the id of the document of a row; what cannot be kept in a document goes into ``extra``."""
        found = self._library.find(cell) if cell.strip() else None
        if found is not None:
            return self._typed(row, found.id, type, extra)
        name = None
        if cell.strip():
            if self._holds_text or not is_name(cell):
                return self._own(f"document of row {row}", cell, type)
            name = cell.strip()
            self._missing(row, name, bool(contexts))
        if not name and not contexts and self._only is not None:
            return self._typed(row, self._only, type, extra)
        if contexts:
            return self._own(name or f"contexts of row {row}", "\n\n".join(contexts), type, named=name)
        if name:
            extra["document"] = name
        if type:
            extra["document_type"] = type
        return None

    def _for_all(self, uploaded: list[Document], mapping: Mapping[str, str]) -> str | None:
        """Give the one document that a table without a document column can only mean."""
        if not uploaded or {"document", "contexts"} & mapping.keys():
            return None
        if len(uploaded) == 1:
            self._notes.once(
                "only document", f"no column names documents; every answer is checked against {uploaded[0].name}"
            )
            return uploaded[0].id
        self._notes.once(
            "no document column",
            f"{len(uploaded)} documents were given but no column names them; add a column 'document'",
        )
        return None

    def used(self) -> dict[str, Document]:
        """Give the uploaded documents first, then those made from rows."""
        return dict(self.documents)

    def _own(self, name: str, text: str, type: str | None, *, named: str | None = None) -> str:
        # Rows with the same contexts share one document, under the name of the first.
        key = (text, type, named)
        if key not in self._by_text:
            document = make_document(name, text, type)
            self.documents[document.id] = document
            self._by_text[key] = document.id
        return self._by_text[key]

    def _typed(self, row: int, document_id: str, type: str | None, extra: dict[str, Any]) -> str:
        document = self.documents[document_id]
        if type and document.type is None:
            self.documents[document_id] = replace(document, type=type)
        elif type and document.type != type:
            extra["document_type"] = type
            self._notes.warn(
                "document type",
                f"{document.name} is called {document.type!r} in an earlier row and {type!r} here; the first counts",
                row=row,
                column=self._type_column,
            )
        return document_id

    def _missing(self, row: int, name: str, contexts: bool) -> None:
        if contexts:
            self._notes.once(
                "not uploaded",
                "the named documents were not uploaded; answers are checked against the contexts of their rows",
                row=row,
                column=self._column,
            )
            return
        if name in self._named:
            return
        self._named.add(name)
        nearest = self._library.nearest(name)
        advice = f"Is it {nearest!r}?" if nearest else "Upload it, or put its text into the cell."
        self._notes.warn(
            "no such document",
            f"no document is called {name[:100]!r}. {advice} Until then its answers cannot be checked",
            row=row,
            column=self._column,
        )
