"""XLSX workbooks: one sheet is read, as values; formulas give their last calculated value.

Of several sheets the first with a question and an answer column is taken, else the first with a header, and the
others are named. Nothing of a workbook is calculated or executed.
"""

import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from lemaj_core.errors import IngestError
from lemaj_core.ingest.archives import open_archive
from lemaj_core.ingest.cells import as_text, is_nothing
from lemaj_core.ingest.mapping import REQUIRED, guess
from lemaj_core.ingest.notes import Notes
from lemaj_core.ingest.tables import Record, Table, find_header, unique_columns

_FORMULA = re.compile(rb"<f[ >/]")
_PIECE = 1 << 20


def read_sheet(path: Path, notes: Notes, name: str | None = None) -> Table:
    """Open a workbook; ``name`` chooses a sheet."""
    with open_archive(path, path.name) as archive:
        if "xl/workbook.xml" not in archive.namelist():
            raise IngestError(
                f"{path.name}: a ZIP without a workbook in it; answers are expected as XLSX, CSV or JSON."
            )
        formulas = any(_has_formula(archive, member) for member in archive.namelist() if "worksheets/" in member)
    files = ExitStack()
    try:
        book = _open(path, files, values=True)
        sheet, others = _choose(book, path, name)
        if others:
            notes.once("sheets", f"sheet {sheet.title!r} was read; the others were not: {', '.join(others)[:200]}")
        found = find_header(_cells(sheet, path), notes)
        if found is None:
            raise IngestError(f"{path.name}: sheet {sheet.title!r} has no header. The first row names the columns.")
    except IngestError:
        files.close()
        raise
    number, header, records = found
    columns = unique_columns(_without_tail(header), notes, number)
    rows = _rows(records, columns, notes)
    if formulas:
        rows = _with_formulas(rows, path, sheet.title, notes)
    return Table("XLSX", columns, rows, files=files)


def _open(path: Path, files: ExitStack, *, values: bool) -> Any:
    """Open a workbook until ``files`` are closed: openpyxl reads while rows are taken, and closes nothing."""
    from openpyxl import load_workbook

    try:
        with warnings.catch_warnings():
            # openpyxl warns of styles and validations that it leaves out; they hold no answers.
            warnings.simplefilter("ignore")
            return load_workbook(files.enter_context(path.open("rb")), read_only=True, data_only=values)
    except Exception as error:  # openpyxl has no error of its own: KeyError, ValueError, ParseError and others
        raise IngestError(f"{path.name}: the workbook cannot be read ({error}). Save it again in Excel.") from error


def _choose(book: Any, path: Path, name: str | None) -> tuple[Any, list[str]]:
    sheets = [sheet for sheet in book.worksheets if hasattr(sheet, "iter_rows")]
    if name is not None:
        chosen = next((sheet for sheet in sheets if sheet.title == name), None)
        if chosen is None:
            raise IngestError(f"{path.name}: there is no sheet {name!r}; it has {', '.join(book.sheetnames)}.")
        return chosen, []
    visible = [sheet for sheet in sheets if sheet.sheet_state == "visible"] or sheets
    headed = []
    for sheet in visible:
        found = find_header(_cells(sheet, path), Notes())
        if found is not None:
            headed.append((sheet, set(REQUIRED) <= guess(map(as_text, found[1])).keys()))
    if not headed:
        raise IngestError(f"{path.name}: all sheets are empty. A header and one row per answer are expected.")
    chosen = next((sheet for sheet, fits in headed if fits), headed[0][0])
    return chosen, [sheet.title for sheet, _ in headed if sheet is not chosen]


def _cells(sheet: Any, path: Path) -> Iterator[tuple[int, Sequence[Any]]]:
    # Many programs write a wrong size of the sheet, and openpyxl would stop there.
    sheet.reset_dimensions()
    number = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
                yield number, cells
    except Exception as error:  # see `_open`
        raise IngestError(f"{path.name}: damaged after row {number} ({error}). Save it again in Excel.") from error


def _without_tail(cells: Sequence[Any]) -> list[Any]:
    cells = list(cells)
    while cells and is_nothing(cells[-1]):
        cells.pop()
    return cells


def _rows(records: Iterator[tuple[int, Sequence[Any]]], columns: list[str], notes: Notes) -> Iterator[Record]:
    width = len(columns)
    for number, cells in records:
        row = dict(zip(columns, cells, strict=False))
        more = {f"column {at}": cell for at, cell in enumerate(cells[width:], start=width + 1) if not is_nothing(cell)}
        if more:
            notes.warn(
                "more cells than columns",
                f"cells stand beyond the header; they are kept as {', '.join(more)[:80]}",
                row=number,
            )
        yield number, row | more


def _has_formula(archive: zipfile.ZipFile, member: str) -> bool:
    tail = b""
    with archive.open(member) as stream:
        while piece := stream.read(_PIECE):
            if _FORMULA.search(tail + piece):
                return True
            tail = piece[-4:]
    return False


def _with_formulas(rows: Iterator[Record], path: Path, title: str, notes: Notes) -> Iterator[Record]:
    """Say which formulas have no stored value: a program other than Excel wrote them and never calculated them."""
    with ExitStack() as files:
        written = _cells(_open(path, files, values=False)[title], path)
        for number, row in rows:
            cells = next((cells for at, cells in written if at == number), ())
            for column, cell in zip(row, cells, strict=False):
                if isinstance(cell, str) and cell.startswith("=") and row[column] is None:
                    notes.warn(
                        "formula without a value",
                        "the formula was never calculated and is taken as empty; open the file in Excel and save it",
                        row=number,
                        column=column,
                    )
            yield number, row
    notes.once("formulas", f"{path.name} holds formulas; their last calculated values were taken")
