"""JSON and JSON Lines: the text is parsed here, what its keys mean is the business of `lemaj_core.ingest.layouts`.

A broken line of a JSON Lines file is left out and named by its line number; broken JSON cannot be read at all.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lemaj_core.errors import IngestError
from lemaj_core.ingest.encoding import Encoding, detect
from lemaj_core.ingest.layouts import tabulate
from lemaj_core.ingest.notes import Notes
from lemaj_core.ingest.tables import Table

_LINES = (".jsonl", ".ndjson")


def read_json(path: Path, notes: Notes) -> Table:
    """Open a JSON or JSON Lines file, whatever its name says."""
    with path.open("rb") as stream:
        encoding = detect(stream, path.name)
    if encoding.note:
        notes.once("encoding", encoding.note)
    parse = _parser(notes)
    if _is_lines(path, encoding, parse):
        if path.suffix.lower() not in _LINES:
            notes.once("lines", f"{path.name} holds one JSON object per line and was read as JSON Lines")
        records = list(_lines(path, encoding, parse, notes))
        if not records:
            raise IngestError(f"{path.name}: no line is a JSON object. One object per line is expected.")
        table = tabulate(records, notes)
        table.format = "JSONL"
    else:
        table = tabulate(_whole(path, encoding, parse), notes)
    table.encoding = encoding.name
    return table


def _parser(notes: Notes) -> Callable[[str], Any]:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(found)
        if len(made) < len(found):
            names = [name for name, _ in found]
            twice = next(name for name in names if names.count(name) > 1)
            notes.once("duplicate key", f"the key {twice!r} stands twice in one object; the last value was taken")
        return made

    return json.JSONDecoder(object_pairs_hook=pairs).decode


def _is_lines(path: Path, encoding: Encoding, parse: Callable[[str], Any]) -> bool:
    """Whether the lines are objects of their own; names lie in both directions."""
    filled = []
    with path.open(encoding=encoding.name, errors=encoding.errors, newline="\n") as lines:
        for line in lines:
            if line.strip():
                filled.append(line)
            if len(filled) == 2:
                break
    complete = [_is_object(line, parse) for line in filled]
    if path.suffix.lower() not in _LINES:
        return len(complete) == 2 and all(complete)
    if complete[:1] == [True]:
        return True
    try:
        return not isinstance(_whole(path, encoding, parse), (list, dict))
    except IngestError:
        return True


def _is_object(line: str, parse: Callable[[str], Any]) -> bool:
    try:
        return isinstance(parse(line), dict)
    except (ValueError, RecursionError):
        return False


def _lines(path: Path, encoding: Encoding, parse: Callable[[str], Any], notes: Notes) -> Iterator[tuple[int, Any]]:
    # Only "\n" ends a line here: U+2028 and others may stand inside a JSON string.
    with path.open(encoding=encoding.name, errors=encoding.errors, newline="\n") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = parse(line)
            except (ValueError, RecursionError) as error:
                notes.left_out(f"no valid JSON ({_reason(error)}); the line was left out", row=number)
                continue
            if isinstance(record, dict):
                yield number, record
            else:
                notes.left_out(f"no JSON object but a {_kind(record)}; the line was left out", row=number)


def _whole(path: Path, encoding: Encoding, parse: Callable[[str], Any]) -> Any:
    text = path.read_text(encoding=encoding.name, errors=encoding.errors)
    if not text.strip():
        raise IngestError(f"{path.name}: the file is empty. A list of objects with question and answer is expected.")
    try:
        return parse(text)
    except json.JSONDecodeError as error:
        raise IngestError(
            f"{path.name}: no valid JSON, in line {error.lineno}, column {error.colno} ({error.msg}). Correct it there."
        ) from error
    except (ValueError, RecursionError) as error:
        raise IngestError(f"{path.name}: the JSON cannot be read ({_reason(error)}).") from error


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, column {error.colno}"
    return str(error)[:120]


def _kind(value: Any) -> str:
    return {list: "list", str: "text", int: "number", float: "number", bool: "yes/no", type(None): "null"}[type(value)]
