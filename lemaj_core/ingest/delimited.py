"""CSV and its kin: the separator is sniffed outside quotes, cells stay text, and every odd row is named.

Rows are counted as a spreadsheet counts them: records, not lines, the header being row 1 and blank rows included.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any

from lemaj_core.errors import IngestError
from lemaj_core.ingest.encoding import Encoding, detect
from lemaj_core.ingest.mapping import guess
from lemaj_core.ingest.notes import Notes
from lemaj_core.ingest.tables import Record, Table, find_header, unique_columns

_DELIMITERS = ",;\t|"
_SAMPLE = 1 << 18
_SEARCHED = 60
_HEADER_SEARCHED = 10
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n?\Z", re.IGNORECASE)
_BACKSLASHED = re.compile(r'(?<!\\)\\"(?![,;\t|\r\n])')
# Appended to the lines: it comes back alone unless a quotation mark was never closed.
_END = "\ue000end of file\ue000"


def read_delimited(path: Path, notes: Notes) -> Table:
    """Open a CSV, TSV, semicolon or bar separated file."""
    with path.open("rb") as stream:
        encoding = detect(stream, path.name)
    if encoding.note:
        notes.once("encoding", encoding.note)
    # A cell may hold a whole contract; Python's own limit is 128 KiB.
    csv.field_size_limit(2**31 - 1)
    with path.open(encoding=encoding.name, errors=encoding.errors, newline="") as lines:
        sample = lines.read(_SAMPLE)
    dialect = _dialect(sample, path.suffix.lower())
    found = find_header(_records(path, encoding, dialect), notes)
    if found is None:
        raise IngestError(f"{path.name}: there is no header. The first row names the columns: question,answer,...")
    number, header, records = found
    columns = unique_columns(header, notes, number)
    kind = "TSV" if dialect["delimiter"] == "\t" else "CSV"
    rows = _rows(records, columns, dialect["delimiter"], notes)
    return Table(kind, columns, rows, encoding=encoding.name, delimiter=dialect["delimiter"])


def _dialect(sample: str, ending: str) -> dict[str, Any]:
    """Find the separator and the way in which quotes are escaped."""
    first = sample.partition("\n")[0]
    dialect: dict[str, Any] = {"skip": False}
    if _BACKSLASHED.search(sample) and '""' not in sample.replace('"",', "").replace(',""', ""):
        dialect["escapechar"] = "\\"
    if line := _SEPARATOR_LINE.match(first + "\n"):
        return dialect | {"delimiter": line.group(1), "skip": True}
    best = (-1, -1.0, -1)
    dialect["delimiter"] = "\t" if ending == ".tsv" else ","
    for delimiter in _DELIMITERS:
        rank = _fit(sample, delimiter, len(sample) >= _SAMPLE)
        if rank > best:
            best, dialect["delimiter"] = rank, delimiter
    return dialect


def _fit(sample: str, delimiter: str, cut: bool) -> tuple[int, float, int]:
    """How well a separator fits: known column names, then rows of one length, then the number of columns."""
    try:
        records = []
        for record in csv.reader(StringIO(sample, newline=""), delimiter=delimiter):
            if record:
                records.append(record)
            if len(records) > _SEARCHED:
                break
    except csv.Error:
        return (-1, -1.0, -1)
    if cut and len(records) <= _SEARCHED:
        records = records[:-1] or records
    if not records:
        return (-1, -1.0, -1)
    widths = Counter(len(record) for record in records if len(record) > 1)
    width, times = widths.most_common(1)[0] if widths else (1, 0)
    known = max(len(guess(record)) for record in records[:_HEADER_SEARCHED])
    return known, times / len(records), width


def _records(path: Path, encoding: Encoding, dialect: dict[str, Any]) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with its number, blank ones included, and refuse a quotation that never ends."""
    options = {key: value for key, value in dialect.items() if key != "skip"}
    with path.open(encoding=encoding.name, errors=encoding.errors, newline="") as lines:
        if dialect["skip"]:
            lines.readline()
        reader = csv.reader(chain(lines, [_END]), **options)
        number = 0
        while True:
            began = reader.line_num + 1
            try:
                record = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise IngestError(f"{path.name}: row {number + 1} cannot be read ({error}). Save it again.") from error
            number += 1
            if record and record[-1].endswith(_END):
                if record == [_END]:
                    return
                raise IngestError(
                    f'{path.name}: in row {number} (line {began}) a quotation mark (") is opened and never closed. '
                    "Close it, or write a quotation mark inside a cell twice."
                )
            yield number, record


def _rows(
    records: Iterator[tuple[int, Sequence[str]]], columns: list[str], delimiter: str, notes: Notes
) -> Iterator[Record]:
    width = len(columns)
    for number, record in records:
        if width > 2 and any("\n" in cell and _holds_rows(cell, delimiter, width) for cell in record):
            notes.warn(
                "rows inside a cell",
                "a cell holds lines that look like rows of their own; is a quotation mark missing or too many?",
                row=number,
            )
        if len(record) == width:
            yield number, dict(zip(columns, record, strict=True))
        elif not record:
            yield number, {}
        elif len(record) < width:
            notes.warn(
                "fewer cells than columns",
                f"{len(record)} cells, but the header has {width}; the last ones are taken as empty",
                row=number,
            )
            yield number, dict(zip(columns, record, strict=False))
        else:
            yield number, _longer(number, record, columns, notes)


def _holds_rows(cell: str, delimiter: str, width: int) -> bool:
    return sum(line.count(delimiter) == width - 1 for line in cell.split("\n")[1:]) > 1


def _longer(number: int, record: Sequence[str], columns: list[str], notes: Notes) -> dict[str, str]:
    width = len(columns)
    more = {f"column {at}": cell for at, cell in enumerate(record[width:], start=width + 1) if cell.strip()}
    if more:
        notes.warn(
            "more cells than columns",
            f"{len(record)} cells, but the header has {width}; the others are kept as {', '.join(more)[:80]}. "
            "Does a cell with a separator in it lack its quotation marks?",
            row=number,
        )
    return dict(zip(columns, record[:width], strict=True)) | more
