"""Step 2 of Evaluate: which column is what. Shows how the file was read, five rows, and every problem with its row.

Text of the file stands in tables and select boxes only, never in Markdown. The file is read again by step 3 when it
is stored; here only the inspection is kept, by the hashes of the files and the mapping.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from components import cached
from components.amounts import count
from components.data_step import Source
from components.tables import downloads
from components.uploads import SavedFile
from components.words import plain, short
from lemaj_core import ingest, settings
from lemaj_core.errors import LemajError
from lemaj_core.ingest.mapping import FIELDS, REQUIRED
from lemaj_core.types import Problem

NOTHING = ""
LISTED, SHORT = 200, 6
ROWS, PROBLEMS = "First rows as they were read", "Problems of the file with their rows"
LABELS: dict[str, tuple[str, str]] = {
    "question": ("Question *", "What was asked."),
    "answer": ("Answer *", "What is to be judged."),
    "document": ("Document", "File name of a document, or its text."),
    "contexts": ("Contexts", "Retrieved passages, used where there is no document."),
    "reference": ("Reference answer", "The answer of an expert; a language model may be shown it."),
    "model": ("Answered by", "Model or person that wrote the answer; results are compared by it."),
    "document_type": ("Document type", "For example NDA or lease; results are shown by it."),
    "minutes": ("Review minutes", "Minutes that a review of the answer takes; Triage counts the time saved."),
    "human_correctness": ("Expert Correctness", "From 0 to 1. Lets Triage count defects."),
    "human_relevance": ("Expert Relevance", "From 0 to 1."),
    "id": ("Id", "Name of the row. Without it: row-1, row-2, …"),
}


@dataclass(frozen=True, slots=True)
class Data:
    """What steps 1 and 2 came to: answers that can be evaluated."""

    name: str
    answers: int
    checkable: bool
    reference: bool
    constructed: bool = False
    dataset_id: str | None = None
    source: Source = field(default_factory=Source)
    mapping: tuple[tuple[str, str], ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Short name that changes with the data; for the keys of widgets."""
        return self.dataset_id or (self.source.table.sha256[:12] if self.source.table else "")


def mapping_step(source: Source) -> Data | None:
    """Draw the second step; None while there is nothing that can be evaluated."""
    if source.dataset_id:
        return _stored(source.dataset_id)
    if source.table is None:
        st.caption("Choose data first. The columns are then guessed and can be changed here.")
        return None
    return _uploaded(source, source.table)


def keep(data: Data) -> str:
    """Store the data set, if it is not there yet, and return its id."""
    if data.dataset_id:
        return data.dataset_id
    table, documents = data.source.table, [file.path for file in data.source.documents]
    if table is None:
        raise LemajError("There is no data. Choose a file in step 1.")
    dataset = ingest.load_dataset(table.path, documents or None, dict(data.mapping), name=data.name)
    return cached.store().add_dataset(dataset)


def _uploaded(source: Source, table: SavedFile) -> Data | None:
    facts = st.container()
    paths = tuple(str(file.path) for file in source.documents)
    try:
        guess = _inspect(str(table.path), paths, None)
        mapping = _choose(table.sha256[:8], guess.columns, guess.mapping)
        chosen = {name: column for name, column in mapping.items() if column}
        found = guess if chosen == dict(guess.mapping) else _inspect(str(table.path), paths, tuple(mapping.items()))
    except LemajError as error:
        st.error(plain(error), title="This file cannot be read", icon=":material/error:")
        return None
    facts.caption(_facts(found))
    _rows(found.preview, chosen.values())
    missing = [name for name in REQUIRED if name not in chosen]
    _problems([problem for problem in found.problems if problem.row or not missing], table.name)
    if missing:
        st.warning(f"Say which column is the {' and which the '.join(missing)}.", icon=":material/rule:")
        return None
    if not found.rows:
        st.warning("The file has no row with an answer. Choose another file in step 1.", icon=":material/inbox:")
        return None
    return Data(
        name=Path(table.name).stem,
        answers=found.rows,
        checkable=found.checkable > 0,
        reference="reference" in chosen,
        source=source,
        mapping=tuple(mapping.items()),
        columns=tuple(name for name in found.columns if name not in chosen.values()),
    )


@st.cache_data(max_entries=8, show_spinner="Reading the file …")
def _inspect(path: str, documents: tuple[str, ...], mapping: tuple[tuple[str, str], ...] | None) -> ingest.Inspection:
    return ingest.inspect(path, list(documents) or None, dict(mapping) if mapping is not None else None)


def _choose(file: str, columns: Iterable[str], guess: Mapping[str, str]) -> dict[str, str]:
    """Draw one select box per field and return the column of each field, `NOTHING` where the user wants none."""
    chosen = {}
    options = [NOTHING, *columns]
    with st.grid(6, min_column_width=140, gap=("xsmall", "small")):
        for name in [*LABELS, *(other for other in FIELDS if other not in LABELS)]:
            label, help = LABELS.get(name, (name.replace("_", " ").capitalize(), None))
            chosen[name] = st.selectbox(
                label,
                options,
                index=options.index(guess[name]) if guess.get(name) in options else 0,
                format_func=lambda column: column or "—",
                key=f"map_{file}_{name}",
                help=help,
                persist_state="session",
            )
    return chosen


def _facts(found: ingest.Inspection) -> str:
    """Say how the file was read."""
    parts = [
        found.format,
        f"read as {found.encoding}" if found.encoding else None,
        f"separated by {_separator(found.delimiter)}" if found.delimiter else None,
        f"layout {found.layout}" if found.layout else None,
        count(found.rows, "answer"),
        count(len(found.documents), "document") if found.documents else None,
    ]
    return " · ".join(plain(part) for part in parts if part)


def _separator(delimiter: str) -> str:
    return {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}.get(delimiter, delimiter)


def _rows(preview: Iterable[Mapping[str, Any]], mapped: Iterable[str]) -> None:
    """Show rows as they were read, the columns that have a meaning first."""
    frame = pd.DataFrame([{name: _cell(value) for name, value in row.items()} for row in preview])
    if frame.empty:
        return
    first = [name for name in mapped if name in frame.columns]
    frame = frame[[*first, *(name for name in frame.columns if name not in first)]]
    # narrow columns that share what is left: four of them fit beside the sidebar of a small window
    config = {name: st.column_config.TextColumn(width=130) for name in frame.columns}
    st.dataframe(
        frame, hide_index=True, column_config=config, key="preview", height="content", placeholder="—", alt=ROWS
    )


def _cell(value: Any) -> str | None:
    return None if value is None or value == "" else short(value, 160)


def _problems(problems: Sequence[Problem], name: str) -> None:
    """Show every problem with its row; open when rows were left out."""
    if not problems:
        st.caption(":material/check: No problems found.")
        return
    lost = sum(problem.severity == "error" for problem in problems)
    notes = len(problems) - lost
    parts = [f"{count(lost, 'row')} left out" if lost else "", count(notes, "note") if notes else ""]
    frame = pd.DataFrame(
        {
            "row": [problem.row for problem in problems],
            "this row was": ["left out" if problem.severity == "error" else "kept" for problem in problems],
            "problem": [problem.message for problem in problems],
            "column": [problem.column for problem in problems],
            "file": [problem.file for problem in problems],
        }
    ).astype({"row": "Int64"})
    if frame["file"].nunique() < 2:
        frame = frame.drop(columns="file")
    label = f"Problems: {', '.join(part for part in parts if part)}"
    with st.expander(label, icon=":material/report:", expanded=bool(lost)):
        # a table wraps its sentences, which say what to do; it reads Markdown, so every cell is escaped
        shown = frame.head(LISTED).map(lambda value: "—" if pd.isna(value) else plain(value))
        with st.container(height=300 if len(shown) > SHORT else "content", border=False):
            st.table(shown, border="horizontal", hide_index=True, alt=PROBLEMS)
        if len(frame) > LISTED:
            st.caption(f"The first {LISTED} of {len(frame):,}; the download has all.")
        downloads(frame, f"{name}-problems")


def _stored(dataset_id: str) -> Data | None:
    try:
        found = _summary(settings.store_url(), dataset_id)
    except LemajError as error:
        st.error(plain(error), title="This data set cannot be read", icon=":material/error:")
        return None
    st.caption(plain(found["facts"]) + " · its columns were assigned when it was loaded")
    _rows(found["rows"], ())
    _problems(found["problems"], found["name"])
    return Data(
        name=found["name"],
        answers=found["answers"],
        checkable=found["checkable"],
        reference=found["reference"],
        constructed=found["constructed"],
        dataset_id=dataset_id,
        columns=tuple(found["columns"]),
    )


@st.cache_data(max_entries=8, show_spinner="Reading the data set …")
def _summary(url: str, dataset_id: str) -> dict:
    dataset = cached.store().dataset(dataset_id)
    names = {document.id: document.name for document in dataset.documents.values()}
    return {
        "name": dataset.name,
        "facts": f"{count(len(dataset.items), 'answer')} · {count(len(dataset.documents), 'document')}",
        "answers": len(dataset.items),
        "checkable": any(item.document_id for item in dataset.items),
        "reference": any(item.reference for item in dataset.items),
        "constructed": dataset.constructed,
        "columns": list(dict.fromkeys(name for item in dataset.items for name in item.extra)),
        "problems": list(dataset.problems),
        "rows": [
            {
                "question": short(item.question),
                "answer": short(item.answer),
                "document": names.get(item.document_id or "", ""),
                "model": item.model,
            }
            for item in dataset.items[:5]
        ],
    }
