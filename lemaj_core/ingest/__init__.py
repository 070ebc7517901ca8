"""Files become data sets: one row is one answer, with the documents and labels that came with it.

`inspect` says how a file would be read, `load_dataset` reads it. Bad input ends in an `IngestError` with one
sentence, or in a `Problem` with its row; nothing is left out silently. Nothing is judged, stored or executed here.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lemaj_core.errors import IngestError
from lemaj_core.ingest.documents import Source, read_documents
from lemaj_core.ingest.layouts import recognise
from lemaj_core.ingest.mapping import REQUIRED, resolve
from lemaj_core.ingest.notes import Notes
from lemaj_core.ingest.rows import Content, build
from lemaj_core.ingest.tables import Table, read_table
from lemaj_core.types import Dataset, Document, Problem


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document as it was read: its name, its length, and what went wrong with it."""

    name: str
    characters: int
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Inspection:
    """How a file would be read.

    ``rows`` counts the answers, ``checkable`` those that have a document; ``preview`` holds rows as they stand in the
    file.
    """

    name: str
    format: str
    columns: tuple[str, ...]
    mapping: Mapping[str, str]
    rows: int
    preview: list[dict[str, Any]]
    problems: tuple[Problem, ...]
    documents: tuple[DocumentInfo, ...]
    sha256: str
    encoding: str | None = None
    delimiter: str | None = None
    layout: str | None = None
    checkable: int = 0


def load_dataset(
    path: str | Path,
    docs: Source | None = None,
    mapping: Mapping[str, str] | None = None,
    *,
    name: str | None = None,
    sheet: str | None = None,
) -> Dataset:
    """Read a table of answers, with the documents that they are checked against.

    Parameters
    ----------
    path : str or Path
        CSV, TSV, XLSX, JSON, JSONL or Parquet.
    docs : path or list of paths, optional
        TXT, MD, DOCX or PDF files, folders or ZIPs of them.
    mapping : mapping, optional
        Field to column, where the guess is wrong; a field mapped to "" is left out. Fields: `mapping.FIELDS`.
    name : str, optional
        Name of the data set; the name of the file without its ending unless given.
    sheet : str, optional
        Which sheet of a workbook.

    Returns
    -------
    Dataset
        Its ``problems`` name every row that was left out, and whatever is odd about the others.

    Raises
    ------
    IngestError
        If the file cannot be read, has no question or answer column, or no row with a question.
    SettingsError
        If ``mapping`` names a field or a column that does not exist.
    """
    path = Path(path)
    with _opened(path, docs, mapping, sheet) as (notes, table, chosen, documents, found):
        if missing := [field for field in REQUIRED if field not in chosen]:
            raise IngestError(f"{path.name}: {_missing_sentence(table, missing)}")
        content = build(table, chosen, documents, notes)
    if not content.items:
        raise IngestError(f"{path.name}: no row has a question{_first_reason(notes)}. One row per answer is expected.")
    return Dataset(
        name=name or path.stem,
        items=tuple(content.items),
        documents=content.documents,
        annotations=tuple(content.annotations),
        problems=(*notes.problems(), *found),
        mapping=chosen,
        format=table.format,
        encoding=table.encoding,
        layout=table.layout,
    )


def inspect(
    path: str | Path,
    docs: Source | None = None,
    mapping: Mapping[str, str] | None = None,
    *,
    rows: int = 5,
    sheet: str | None = None,
) -> Inspection:
    """Say how a file would be read: format, columns, the guessed mapping, the first rows, every problem.

    Takes what `load_dataset` takes. A file without a question or answer column is inspected all the same, so that the
    columns can be mapped; the missing one is among the problems.
    """
    path = Path(path)
    with _opened(path, docs, mapping, sheet) as (notes, table, chosen, documents, found):
        if missing := [field for field in REQUIRED if field not in chosen]:
            content = Content()
            count = _count(table, content, rows)
            notes.left_out(_missing_sentence(table, missing))
        else:
            content = build(table, chosen, documents, notes, preview=rows)
            count = len(content.items)
            if not count:
                notes.left_out("no row has a question; one row per answer is expected")
    return Inspection(
        name=path.name,
        format=table.format,
        columns=tuple(column for column in table.columns if column != table.claims),
        mapping=chosen,
        rows=count,
        preview=content.preview,
        problems=(*notes.problems(), *found),
        documents=_infos(documents, found),
        sha256=_sha256(path),
        encoding=table.encoding,
        delimiter=table.delimiter,
        layout=table.layout,
        checkable=sum(item.document_id is not None for item in content.items),
    )


@contextmanager
def _opened(
    path: Path, docs: Source | None, mapping: Mapping[str, str] | None, sheet: str | None
) -> Iterator[tuple[Notes, Table, dict[str, str], list[Document], list[Problem]]]:
    notes = Notes(path.name)
    table = read_table(path, notes, sheet=sheet)
    with table.files:
        if table.layout is None:
            table = recognise(table, notes)
        chosen = resolve([column for column in table.columns if column != table.claims], table.preset, mapping)
        documents, problems = read_documents(docs) if docs is not None else ([], [])
        yield notes, table, chosen, documents, problems


def _missing_sentence(table: Table, missing: list[str]) -> str:
    columns = ", ".join(table.columns[:30]) + (" …" if len(table.columns) > 30 else "")
    example = " ".join(f"{field}=COLUMN" for field in missing)
    return (
        f"no column was recognised as the {' or the '.join(missing)}. "
        f"The columns are: {columns}. Name it in the file, or say which it is ({example})."
    )


def _first_reason(notes: Notes) -> str:
    first = next((problem for problem in notes.problems() if problem.severity == "error"), None)
    return f" (row {first.row}: {first.message})" if first else ""


def _count(table: Table, content: Content, rows: int) -> int:
    count = 0
    for _, record in table.rows:
        count += 1
        if len(content.preview) < rows:
            content.preview.append({column: record.get(column) for column in table.columns})
    return count


def _infos(documents: list[Document], problems: list[Problem]) -> tuple[DocumentInfo, ...]:
    return tuple(
        DocumentInfo(
            document.name,
            len(document.text),
            tuple(problem for problem in problems if problem.file == document.name),
        )
        for document in documents
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
