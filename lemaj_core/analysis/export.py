"""A run as a file: CSV, JSONL, Parquet or XLSX, one row per answer, every data point with it.

Null with a status where there is no score, never NaN. Text cells that a spreadsheet would run as a formula get a
leading apostrophe in CSV and XLSX only; JSONL and Parquet keep every character.
"""

import json
import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from lemaj_core.errors import SettingsError
from lemaj_core.store import Store

FORMATS = ("csv", "jsonl", "parquet", "xlsx")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
CELL_LIMIT = 32_767


def formula_safe(value: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would run; numbers and other text stay as they are."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


def plain(value: Any) -> Any:
    """Turn a cell of a frame into a JSON value: NaN and missing become None, numpy numbers Python ones."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if hasattr(value, "item"):
        value = value.item()
    if value is None or value is pd.NaT or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, (bool, int, float, str)):
        return value
    return None if pd.isna(value) else str(value)


def records(store: Store, run_id: str, *, judge: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield one record per answer and judge: the answer, its scores with their status, and its data points."""
    run = store.run(run_id)
    answers = store.answers(run_id, judge=judge)
    texts = {item.id: item for item in store.dataset(run.dataset_id).items}
    points: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in store.points(run_id, judge=judge).to_dict("records"):
        points.setdefault((row.pop("item_id"), row.pop("judge")), []).append(plain(row))
    for row in answers.to_dict("records"):
        item = texts[row["item_id"]]
        body = {"run": run_id, **row, "question": item.question, "answer": item.answer, "reference": item.reference}
        yield {**plain(body), "data_points": points.get((row["item_id"], row["judge"]), [])}


def write(store: Store, run_id: str, path: Path, *, judge: str | None = None) -> int:
    """Write a run to ``path`` in the format of its ending and return the number of rows.

    Raises
    ------
    SettingsError
        If the ending is not one of the formats, or nothing can be written there.
    """
    ending = path.suffix.lower().lstrip(".")
    if ending not in FORMATS:
        raise SettingsError(f"cannot export to {path.name!r}: the name must end in .{', .'.join(FORMATS)}")
    rows = list(records(store, run_id, judge=judge))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(store, run_id, rows, path, ending)
    except OSError as error:
        raise SettingsError(f"{path} cannot be written ({error.strerror or error}); choose another place") from error
    return len(rows)


def _write(store: Store, run_id: str, rows: list[dict[str, Any]], path: Path, ending: str) -> None:
    """Write the rows in the format of the ending."""
    if ending == "jsonl":
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
    elif ending == "parquet":
        frame = pd.DataFrame([{**row, "data_points": _as_json(row["data_points"])} for row in rows])
        frame.to_parquet(path, index=False)
    elif ending == "csv":
        frame = pd.DataFrame([{**row, "data_points": _as_json(row["data_points"])} for row in rows])
        to_csv(frame, path)
    else:
        _write_xlsx(store, run_id, rows, path)


def to_csv(frame: pd.DataFrame, path: Path | None = None) -> bytes:
    """Encode a frame as CSV that a spreadsheet opens without running anything (UTF-8 with a byte-order mark)."""
    safe = frame.rename(columns=formula_safe).map(formula_safe)
    data = safe.to_csv(index=False).encode("utf-8-sig")
    if path is not None:
        path.write_bytes(data)
    return data


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _write_xlsx(store: Store, run_id: str, rows: list[dict[str, Any]], path: Path) -> None:
    """Three sheets: answers, data points, and what the run was."""
    run = store.run(run_id)
    answers = [{key: value for key, value in row.items() if key != "data_points"} for row in rows]
    points = [
        {"item_id": row["item_id"], "judge": row["judge"], **point} for row in rows for point in row["data_points"]
    ]
    card = {
        "run": run.id,
        "name": run.name,
        "data set": run.dataset_name,
        "data set id": run.dataset_id,
        "constructed sample": run.constructed,
        "judges": ", ".join(run.settings.judges),
        "strictness": str(run.settings.strictness),
        "beta": run.settings.beta,
        "created": run.created.isoformat(),
        "exported": datetime.now(UTC).isoformat(timespec="seconds"),
        **{f"version: {name}": version for name, version in run.versions.items()},
    }
    with pd.ExcelWriter(path, engine="openpyxl") as book:
        for name, frame in (
            ("answers", pd.DataFrame(answers)),
            ("data points", pd.DataFrame(points)),
            ("run", pd.DataFrame({"what": list(card), "value": list(card.values())})),
        ):
            frame.map(_cell).to_excel(book, sheet_name=name, index=False)


def _cell(value: Any) -> Any:
    """Fit a value into a spreadsheet cell: no formula, no control character, at most 32,767 characters."""
    value = formula_safe(value)
    if not isinstance(value, str):
        return value
    clean = "".join(character for character in value if character in "\n\t" or ord(character) >= 32)
    return clean if len(clean) <= CELL_LIMIT else clean[: CELL_LIMIT - 20] + " … (cut: see JSONL)"
