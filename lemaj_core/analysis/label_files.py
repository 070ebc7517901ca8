"""Expert labels as files, JSONL or CSV, that come back exactly as they went out.

One line or row is one label. CSV holds points as JSON in a cell; a cell that a spreadsheet would run gets an
apostrophe, and so does one that begins with an apostrophe, so that reading can take exactly one away again.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lemaj_core.analysis.export import FORMULA_STARTS
from lemaj_core.errors import SettingsError
from lemaj_core.store import Label, check_points
from lemaj_core.store.records import point_from_json, point_to_json
from lemaj_core.types import Document, Item

FORMATS = (".csv", ".jsonl")
NAMES = tuple(field.name for field in fields(Label))
NEEDED = {"item_id", "annotator"}
_POINTS, _NUMBERS = ("points", "committed"), ("correctness", "relevance", "seconds")
_TIMES = ("started", "saved", "finished")


def as_record(label: Label) -> dict[str, Any]:
    """Write a label as plain values."""
    record: dict[str, Any] = {name: getattr(label, name) for name in NAMES}
    for name in _POINTS:
        record[name] = None if record[name] is None else [point_to_json(point) for point in record[name]]
    for name in _TIMES:
        record[name] = record[name] and record[name].isoformat()
    return record


def from_record(record: Mapping[str, Any]) -> Label:
    """Read what :func:`as_record` wrote; a label of somebody else's making needs only item_id and annotator.

    Raises
    ------
    SettingsError
        If it is no label; says what was expected.
    """
    unknown, absent = set(record) - set(NAMES), {name for name in NEEDED if not record.get(name)}
    if unknown or absent:
        wrong = f"unknown {', '.join(sorted(map(str, unknown)))}" if unknown else f"no {', '.join(sorted(absent))}"
        raise SettingsError(f"no label: {wrong}; a label has {', '.join(NAMES)}")
    given = {name: value for name, value in record.items() if value is not None}
    try:
        for name in _POINTS:
            if name in given:
                given[name] = tuple(point_from_json(point) for point in given[name])
        for name in _NUMBERS:
            if name in given:
                given[name] = float(given[name])
        for name in _TIMES:
            if name in given:
                moment = datetime.fromisoformat(given[name])
                given[name] = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        return Label(**{"mode": "scratch", **given})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise SettingsError(f"no label: {error!r}") from error


def write(labels: Iterable[Label], path: Path) -> int:
    """Write labels in the format of the file's ending and return how many."""
    records = [as_record(label) for label in labels]
    if _ending(path) == ".jsonl":
        text = "".join(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in records)
    else:
        out = io.StringIO()
        table = csv.writer(out, lineterminator="\n")
        table.writerow(NAMES)
        table.writerows([_cell(name, record[name]) for name in NAMES] for record in records)
        text = out.getvalue()
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
    return len(records)


def read(path: Path, item: Callable[[str], Item], document: Callable[[str | None], Document | None]) -> list[Label]:
    """Read labels and hold their quotes against the texts they were taken from.

    Parameters
    ----------
    path : Path
        Ends in .jsonl or .csv.
    item, document : callable
        Give an answer by its id, and a document by its id (None where there is none).

    Raises
    ------
    SettingsError
        If a line is no label, or two are of the same answer and annotator; names the line.
    StoreError
        If an answer does not exist, or a quote does not stand at its offsets.
    """
    labels: list[Label] = []
    seen: dict[tuple[str, str], int] = {}
    for number, record in _records(path):
        try:
            label = from_record(record)
        except SettingsError as error:
            raise SettingsError(f"{path.name}, line {number}: {error}") from error
        key = (label.item_id, label.annotator)
        if key in seen:
            raise SettingsError(f"{path.name}: lines {seen[key]} and {number} label {key[0]!r} by {key[1]}")
        seen[key] = number
        answer = item(label.item_id)
        points = (*label.points, *(label.committed or ()))
        names = {piece.document_id for point in points for piece in point.evidence}
        texts = {name: text for name in names if name and (text := document(name))}
        check_points(points, answer.answer, texts, f"{path.name}, line {number}")
        labels.append(label)
    return labels


def _records(path: Path) -> list[tuple[int, Mapping[str, Any]]]:
    ending = _ending(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
        if ending == ".jsonl":
            return [(n, _object(line)) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
        rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        return [(rows.line_num, {name: _value(name, cell) for name, cell in row.items()}) for row in rows]
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, csv.Error) as error:
        raise SettingsError(f"{path.name} is no {ending[1:].upper()} file of labels: {error}") from error


def _object(line: str) -> Mapping[str, Any]:
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError(f"expected an object in each line, found {line[:40]!r}")
    return found


def _ending(path: Path) -> str:
    if path.suffix.lower() not in FORMATS:
        raise SettingsError(f"labels are written as {' or '.join(FORMATS)}, not {path.suffix or path.name!r}")
    return path.suffix.lower()


def _cell(name: str, value: Any) -> str:
    """Write a cell; only absent values are empty, so that an empty text differs from none."""
    if value is None:
        return ""
    if name in _POINTS:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    text = repr(value) if isinstance(value, float) else str(value)
    return f"'{text}" if text.startswith((*FORMULA_STARTS, "'")) else text


def _value(name: str | None, cell: Any) -> Any:
    if not isinstance(cell, str):
        raise ValueError("a row has more or fewer cells than the header")
    if cell == "":
        return None
    if name in _POINTS:
        return json.loads(cell)
    return cell[1:] if cell.startswith("'") else cell
