"""Rows become items: ids, texts, numbers, documents, extra columns. Every row that is left out is named.

A row without a question is left out; a row without an answer is kept, because an empty answer is an answer that lacks
everything. A number that cannot be one is left empty, never guessed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lemaj_core.ingest import expertqa
from lemaj_core.ingest.cells import as_contexts, as_number, as_text, is_nothing, plain, settle
from lemaj_core.ingest.evidence import Evidences
from lemaj_core.ingest.notes import Notes
from lemaj_core.ingest.tables import Table
from lemaj_core.types import Annotation, Document, Item

_INTERNED = 64


@dataclass(slots=True)
class Content:
    """What a table came to."""

    items: list[Item] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    annotations: list[Annotation] = field(default_factory=list)
    preview: list[dict[str, Any]] = field(default_factory=list)


def build(
    table: Table, mapping: Mapping[str, str], documents: list[Document], notes: Notes, *, preview: int = 0
) -> Content:
    """Make items of all rows, and annotations where the table has labelled claims.

    Parameters
    ----------
    table : Table
        Read once, to its end.
    mapping : mapping
        Field to column; "question" and "answer" are there.
    documents : list of Document
        What was uploaded beside the table.
    notes : Notes
        Takes up every problem.
    preview : int
        How many rows to keep as they stand in the file.
    """
    content = Content()
    reader = _Reader(mapping, table.claims, notes)
    evidences = Evidences(documents, notes, mapping)
    blank: list[int] = []
    for number, record in table.rows:
        if all(is_nothing(cell) for cell in record.values()):
            blank.append(number)
            continue
        if len(content.preview) < preview:
            content.preview.append({column: record.get(column) for column in table.columns if column != table.claims})
        item = reader.item(number, record, evidences)
        if item is None:
            continue
        content.items.append(item)
        if table.claims and (claims := record.get(table.claims)):
            document = evidences.documents.get(item.document_id or "")
            annotator = as_text(record.get("annotator_id")) or "expert"
            if annotation := expertqa.annotate(item, document, claims, annotator):
                content.annotations.append(annotation)
    if blank:
        notes.once(
            "blank", f"blank rows hold nothing and were skipped: {len(blank):,}, this is the first", row=blank[0]
        )
    _settle_extra(content.items)
    content.documents = evidences.used()
    return content


class _Reader:
    """Reads the cells of one row after the other; remembers the ids and the short texts that it has met."""

    def __init__(self, mapping: Mapping[str, str], claims: str | None, notes: Notes):
        self._column = mapping
        self._known = {*mapping.values(), claims}
        self._notes = notes
        self._ids: set[str] = set()
        self._met: dict[str, str] = {}

    def item(self, number: int, record: Mapping[str, Any], evidences: Evidences) -> Item | None:
        """Make the item of a row; None, and a problem, when it has no question."""
        question = as_text(self._cell(record, "question"))
        if is_nothing(question):
            self._notes.left_out(
                "the question is empty; the row was left out", row=number, column=self._column["question"]
            )
            return None
        answer = as_text(self._cell(record, "answer"))
        if is_nothing(answer):
            self._notes.warn(
                "empty answer", "the answer is empty; the row was kept", row=number, column=self._column["answer"]
            )
        extra = self._extra(record)
        contexts = as_contexts(self._cell(record, "contexts"))
        document = evidences.choose(
            number, as_text(self._cell(record, "document")), contexts, self._short(record, "document_type"), extra
        )
        return Item(
            id=self._id(number, as_text(self._cell(record, "id")).strip()),
            question=question,
            answer=answer,
            document_id=document,
            contexts=contexts,
            reference=as_text(self._cell(record, "reference")) or None,
            model=self._short(record, "model"),
            minutes=self._minutes(number, self._cell(record, "minutes")),
            human_correctness=self._share(number, record, "human_correctness"),
            human_relevance=self._share(number, record, "human_relevance"),
            extra=extra,
            row=number,
        )

    def _cell(self, record: Mapping[str, Any], field: str) -> Any:
        column = self._column.get(field)
        return record.get(column) if column else None

    def _short(self, record: Mapping[str, Any], field: str) -> str | None:
        text = as_text(self._cell(record, field)).strip()
        return self._met.setdefault(text, text) if text else None

    def _id(self, number: int, given: str) -> str:
        name = given or f"row-{number}"
        if name in self._ids:
            first, copy = name, 2
            while name in self._ids:
                name, copy = f"{first}-{copy}", copy + 1
            if given:
                self._notes.warn(
                    "duplicate id",
                    f"the id {first!r} stands there twice; this row is called {name!r}",
                    row=number,
                    column=self._column.get("id"),
                )
        self._ids.add(name)
        return name

    def _minutes(self, number: int, cell: Any) -> float | None:
        if is_nothing(cell):
            return None
        minutes = as_number(cell).value
        if minutes is None or minutes < 0:
            self._notes.warn(
                "minutes",
                f"{as_text(cell)[:40]!r} is no number of minutes; it was left empty",
                row=number,
                column=self._column["minutes"],
            )
            return None
        return minutes

    def _share(self, number: int, record: Mapping[str, Any], field: str) -> float | None:
        cell = self._cell(record, field)
        if is_nothing(cell):
            return None
        share, percent = as_number(cell)
        column = self._column[field]
        if share is None or not 0 <= share <= 1:
            self._notes.warn(
                field,
                f"{as_text(cell)[:40]!r} is no number from 0 to 1; it was left empty",
                row=number,
                column=column,
            )
            return None
        if percent:
            self._notes.once(
                f"percent {field}", "percentages were read as shares: 85% is 0.85", row=number, column=column
            )
        return share

    def _extra(self, record: Mapping[str, Any]) -> dict[str, Any]:
        extra = {}
        for column, cell in record.items():
            if column in self._known:
                continue
            cell = None if is_nothing(cell) else plain(cell)
            if isinstance(cell, str) and len(cell) < _INTERNED:
                # A column such as "split" repeats a few words in every row.
                cell = self._met.setdefault(cell, cell)
            extra[column] = cell
        return extra


def _settle_extra(items: list[Item]) -> None:
    """Give every extra column one type; drop columns without a name and without content."""
    columns = dict.fromkeys(column for item in items for column in item.extra)
    for column in columns:
        holders = [item.extra for item in items if column in item.extra]
        values = [extra[column] for extra in holders]
        if column.startswith("column ") and column[7:].isdigit() and all(value is None for value in values):
            for extra in holders:
                del extra[column]  # type: ignore[attr-defined]
        elif (settled := settle(values)) is not None:
            for extra, value in zip(holders, settled, strict=True):
                extra[column] = value  # type: ignore[index]
