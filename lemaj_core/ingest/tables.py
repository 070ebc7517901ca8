"""One table, whatever file it came from: columns, and rows one at a time with the number their owner knows them by.

`read_table` decides by content first and by name second, because names lie. It gives rows as they are; what a
column means is the business of `lemaj_core.ingest.mapping` and `lemaj_core.ingest.rows`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

from lemaj_core.errors import IngestError
from lemaj_core.ingest.cells import as_text, is_nothing
from lemaj_core.ingest.mapping import REQUIRED, guess
from lemaj_core.ingest.notes import Notes

Record = tuple[int, Mapping[str, Any]]
"""A row number and the cells by column. Rows of spreadsheets count from the header = 1, JSON entries from 1."""

LIMIT = 1 << 30
"""Largest table file in bytes."""

_HEADER_WITHIN = 10
_ENDINGS = "CSV, TSV, XLSX, JSON, JSONL or Parquet"


@dataclass(slots=True)
class Table:
    """A table that can be read once, row by row; ``files`` stay open until then."""

    format: str
    columns: list[str]
    rows: Iterable[Record]
    encoding: str | None = None
    delimiter: str | None = None
    layout: str | None = None
    preset: Mapping[str, str] = field(default_factory=dict)
    claims: str | None = None
    files: ExitStack = field(default_factory=ExitStack)


def read_table(path: Path, notes: Notes, *, sheet: str | None = None) -> Table:
    """Open a file as a table.

    Raises
    ------
    IngestError
        If the file is missing, empty, too large, or of a kind that is not read.
    """
    from lemaj_core.ingest.delimited import read_delimited
    from lemaj_core.ingest.json_files import read_json
    from lemaj_core.ingest.sheets import read_sheet

    head = _head(path)
    ending = path.suffix.lower().lstrip(".")
    if head.startswith(b"PAR1"):
        return _read_parquet(path, notes)
    if head.startswith(b"PK\x03\x04"):
        if ending not in ("xlsx", "xlsm"):
            notes.once("name", f"{path.name} is a workbook whatever its name says, and was read as XLSX")
        return read_sheet(path, notes, sheet)
    _refuse(path, head, ending)
    if ending in ("json", "jsonl", "ndjson") or head.lstrip()[:2] in (b'{"', b"[{"):
        return read_json(path, notes)
    return read_delimited(path, notes)


def _head(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise IngestError(f"{path.name}: this is a folder; choose one file ({_ENDINGS}).")
        with path.open("rb") as stream:
            head = stream.read(4096)
    except OSError as error:
        raise IngestError(f"{path.name}: the file cannot be opened ({error.strerror or error}).") from error
    if not head:
        raise IngestError(f"{path.name}: the file is empty. Choose a file with a header and one row per answer.")
    if size > LIMIT:
        raise IngestError(f"{path.name}: larger than {LIMIT >> 20:,} MB. Split it into several files.")
    return head


def _refuse(path: Path, head: bytes, ending: str) -> None:
    """Name the kinds of files that people try and that are no tables."""
    kinds = {
        b"\xd0\xcf\x11\xe0": "an old or a password-protected Office file; open it in Excel and save it as XLSX",
        b"%PDF": "a PDF; give it as a document, and the answers as a table",
        b"\x1f\x8b": "a compressed file; unpack it first",
        b"\x89PNG": "a picture; a table of answers is expected",
        b"\xff\xd8\xff": "a picture; a table of answers is expected",
        b"SQLite format 3": "a SQLite database; export its table as CSV",
    }
    for magic, kind in kinds.items():
        if head.startswith(magic):
            raise IngestError(f"{path.name}: this is {kind}.")
    if ending in ("xlsx", "parquet"):
        raise IngestError(f"{path.name}: the name says {ending.upper()}, but its content is something else.")
    if ending in ("docx", "doc", "pdf", "zip", "xls"):
        raise IngestError(f"{path.name}: answers are expected as {_ENDINGS}.")


def unique_columns(names: Iterable[Any], notes: Notes, row: int = 1) -> list[str]:
    """Clean the names of columns: empty ones get a number, and repeated ones too, with a warning."""
    columns: list[str] = []
    for position, name in enumerate(names, start=1):
        column = as_text(name).strip().strip("\ufeff") or f"column {position}"
        if column in columns:
            number = next(n for n in range(2, len(columns) + 3) if f"{column} ({n})" not in columns)
            notes.warn(
                "duplicate column",
                f"column {column!r} stands there twice; the second is called {column} ({number})",
                row=row,
                column=column,
            )
            column = f"{column} ({number})"
        columns.append(column)
    return columns


def find_header(
    records: Iterator[tuple[int, Sequence[Any]]], notes: Notes
) -> tuple[int, Sequence[Any], Iterator[tuple[int, Sequence[Any]]]] | None:
    """Find the row that names the columns: the first that is not blank, unless titles stand above a better one.

    Gives its number, its cells and the records behind it; None when every row is blank.
    """
    head = list(islice(records, _HEADER_WITHIN))
    filled = [place for place, (_, cells) in enumerate(head) if not all(is_nothing(cell) for cell in cells)]
    if not filled:
        rest = next(((n, cells) for n, cells in records if not all(is_nothing(cell) for cell in cells)), None)
        return None if rest is None else (*rest, records)
    place = next((at for at in filled if set(REQUIRED) <= guess(map(as_text, head[at][1])).keys()), filled[0])
    number, cells = head[place]
    if place > filled[0]:
        notes.once("title", f"row {number} was taken as the header; what stands above it was not read", row=number)
    return number, cells, chain(head[place + 1 :], records)


def _read_parquet(path: Path, notes: Notes) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        columns = unique_columns(file.schema_arrow.names, notes)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise IngestError(f"{path.name}: the Parquet file is damaged ({_first_line(error)}).") from error

    def rows() -> Iterator[Record]:
        number = 0
        try:
            for batch in file.iter_batches(batch_size=2048):
                for cells in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    number += 1
                    yield number, dict(zip(columns, cells, strict=True))
        except (pa.ArrowException, OSError, ValueError) as error:
            raise IngestError(f"{path.name}: damaged after row {number} ({_first_line(error)}).") from error

    files = ExitStack()
    files.callback(file.close)
    return Table("Parquet", columns, rows(), files=files)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0][:200]
