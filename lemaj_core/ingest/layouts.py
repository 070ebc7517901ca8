"""Files of other tools, recognised by their keys and brought into one row per answer.

LegalBench, LegalBench-RAG, SQuAD and CUAD, RAGAS, DeepEval, promptfoo, RAGChecker, ExpertQA, SCORE. Everything else
is a list of objects, however it is wrapped. Nothing is invented: an answer that a file lacks stays empty.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lemaj_core.errors import IngestError
from lemaj_core.ingest import expertqa, nested
from lemaj_core.ingest.cells import is_nothing
from lemaj_core.ingest.mapping import folded
from lemaj_core.ingest.notes import Notes
from lemaj_core.ingest.tables import Record, Table


@dataclass(frozen=True, slots=True)
class Layout:
    """A known set of columns: the names that give it away, and which is what."""

    name: str
    needs: frozenset[str]
    preset: Mapping[str, tuple[str, ...]]


LAYOUTS = (
    Layout(
        "RAGChecker",
        frozenset({"query", "response", "retrieved_context"}),
        {
            "id": ("query_id",),
            "question": ("query",),
            "answer": ("response",),
            "contexts": ("retrieved_context",),
            "reference": ("gt_answer",),
        },
    ),
    Layout(
        "RAGAS",
        frozenset({"user_input", "response"}),
        {
            "question": ("user_input",),
            "answer": ("response",),
            "contexts": ("retrieved_contexts", "reference_contexts"),
            "reference": ("reference",),
        },
    ),
    Layout(
        "RAGAS",
        frozenset({"question", "answer", "contexts", "ground_truth"}),
        {"reference": ("ground_truth",)},
    ),
    Layout(
        "DeepEval",
        frozenset({"input", "actual_output"}),
        {
            "question": ("input",),
            "answer": ("actual_output",),
            "contexts": ("retrieval_context", "context"),
            "reference": ("expected_output",),
        },
    ),
    Layout(
        "SCORE",
        frozenset({"literature1", "question", "answer"}),
        {"question": ("question",), "answer": ("answer",), "contexts": ("literature",)},
    ),
    Layout(
        "LegalBench",
        frozenset({"prompt", "expected_completion"}),
        {
            "question": ("prompt",),
            "answer": ("answer", "response", "completion", "model_answer", "output", "expected_completion"),
            "reference": ("expected_completion",),
            "document": ("source_file",),
        },
    ),
)


def tabulate(value: Any, notes: Notes) -> Table:
    """Make a table of parsed JSON; records that came line by line are given as (line, object) pairs."""
    name, records = nested.unwrap(value, notes)
    records = list(records)
    if not records:
        raise IngestError(
            f"{notes.file}: the JSON holds no object. A list of objects with question and answer is expected."
        )
    table = Table("JSON", _columns(record for _, record in records), records, layout=name)
    return recognise(table, notes)


def recognise(table: Table, notes: Notes) -> Table:
    """Say which tool wrote a table, and set what follows from that: the preset, joined columns, nested labels."""
    names = {folded(column): column for column in reversed(table.columns)}
    if expertqa.fits(names.keys()):
        records = [(row, flat) for row, record in table.rows for flat in expertqa.flatten(record)]
        columns = _columns(record for _, record in records)
        known = ("id", "question", "answer", "model", "contexts")
        preset = {column: column for column in columns if column in known}
        return replace(table, columns=columns, rows=records, layout="ExpertQA", preset=preset, claims="claims")
    layout = next((layout for layout in LAYOUTS if layout.needs <= names.keys()), None)
    if table.layout is not None and table.layout in nested.PRESETS:
        wanted: Mapping[str, tuple[str, ...]] = nested.PRESETS[table.layout]
    elif layout is None:
        return table
    else:
        table.layout, wanted = layout.name, layout.preset
        if layout.name == "SCORE":
            table = _join_literature(table)
            names = {folded(column): column for column in reversed(table.columns)}
    table.preset = _preset(wanted, names)
    if table.preset.get("answer") and folded(table.preset["answer"]) in ("expected_completion", "expected_answer"):
        notes.once("expected", "the file holds only expected answers; they are taken as the answers to be judged")
    return table


def _preset(wanted: Mapping[str, Sequence[str]], names: Mapping[str, str]) -> dict[str, str]:
    preset: dict[str, str] = {}
    for field, choices in wanted.items():
        column = next((names[choice] for choice in choices if choice in names), None)
        if column is not None and column not in preset.values():
            preset[field] = column
    return preset


def _columns(records: Iterable[Mapping[str, Any]]) -> list[str]:
    columns: dict[str, None] = {}
    for record in records:
        columns.update(dict.fromkeys(record))
    return list(columns)


def _join_literature(table: Table) -> Table:
    """Join SCORE's columns literature1 to literature5 into one list of passages."""
    parts = sorted(column for column in table.columns if folded(column).removeprefix("literature").isdigit())

    def rows() -> Iterator[Record]:
        for number, record in table.rows:
            rest = {column: cell for column, cell in record.items() if column not in parts}
            yield number, rest | {"literature": [record[part] for part in parts if not is_nothing(record.get(part))]}

    columns = [column for column in table.columns if column not in parts]
    return replace(table, columns=[*columns, "literature"], rows=rows())
