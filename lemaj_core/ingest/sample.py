"""The constructed samples that come with the project: nine contracts with 72 labelled answers; eight hazard questions.

They are read by the same code as a user's upload; only the label file is this room's own. A quote that does not stand
exactly once in its text is an error here, never searched for by likeness: the samples are ours to correct.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lemaj_core.errors import IngestError, SettingsError
from lemaj_core.ingest import load_dataset
from lemaj_core.settings import SAMPLE
from lemaj_core.text import normalise
from lemaj_core.types import Annotation, DataPoint, Dataset, Document, Evidence, Item, RunSettings, Tag

NAME = "Constructed sample: nine contracts"
HAZARD_NAME = "Constructed sample: eight hazard questions"


def load_sample(folder: Path = SAMPLE) -> Dataset:
    """Load the sample data with the experts' labels.

    Parameters
    ----------
    folder : Path, optional
        Where ``answers.csv``, ``labels.jsonl`` and ``contracts`` lie; the project's own ``data`` by default.

    Returns
    -------
    Dataset
        Marked as constructed, with one annotation per answer and expert. Every point that is in the answer, and every
        piece of evidence, carries its exact offsets.

    Raises
    ------
    IngestError
        If a file is missing or unreadable, or a label names an unknown answer or a quote that is not there.
    """
    dataset = load_dataset(folder / "answers.csv", folder / "contracts", name=NAME)
    items = {item.id: item for item in dataset.items}
    annotations = tuple(
        _annotation(label, items, dataset.documents, f"labels.jsonl, line {number}")
        for number, label in enumerate(_lines(folder / "labels.jsonl"), start=1)
    )
    return replace(dataset, annotations=annotations, constructed=True)


def load_hazard(folder: Path = SAMPLE / "hazard") -> Dataset:
    """Load the hazard sample: eight questions with five abstracts each, answered by two constructed systems.

    Parameters
    ----------
    folder : Path, optional
        Where ``answers.jsonl`` lies; the project's own by default.

    Returns
    -------
    Dataset
        Marked as constructed. The abstracts are the contexts of each answer and, joined, its document. The answers to
        the paraphrased and to the perturbed question stand in the extra columns ``paraphrase_answer`` and
        ``perturbed_answer``.

    Raises
    ------
    IngestError
        If the file is missing or unreadable.
    """
    dataset = load_dataset(folder / "answers.jsonl", name=HAZARD_NAME)
    named = {
        item.document_id: f"Five abstracts: {item.extra['hazard']}, {item.extra['location']}" for item in dataset.items
    }
    documents = {
        key: replace(document, name=named.get(key, document.name), type="Research abstracts")
        for key, document in dataset.documents.items()
    }
    return replace(dataset, documents=documents, constructed=True)


def demonstration(name: str, groups: tuple[str, ...]) -> tuple[Dataset, RunSettings, str]:
    """Give a sample with the settings that show it and the name of its run: the hazard sample shows every group.

    Raises
    ------
    SettingsError
        If there is no such sample.
    """
    if name == "contracts":
        return load_sample(), RunSettings(metrics=("data_points", "readability")), "Sample, offline judge"
    if name == "hazard":
        return load_hazard(), RunSettings(metrics=groups, preset="hazard"), "Hazard sample, offline judge"
    raise SettingsError(f"there is no sample {name!r}; the samples are contracts and hazard")


def _lines(path: Path) -> list[dict[str, Any]]:
    """Read one JSON object per line."""
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise IngestError(f"the labels of the sample cannot be read from {path.name}: {error}") from error


def _annotation(
    label: Mapping[str, Any], items: Mapping[str, Item], documents: Mapping[str, Document], where: str
) -> Annotation:
    """Make the annotation of one line."""
    item = items.get(label["item_id"])
    if item is None:
        raise IngestError(f"{where}: there is no answer {label['item_id']!r} in answers.csv")
    document = documents.get(item.document_id or "")
    if document is None:
        raise IngestError(f"{where}: the contract of answer {item.id!r} is missing")
    return Annotation(
        item_id=item.id,
        annotator=label["annotator"],
        points=tuple(
            _point(f"p{number}", raw, item, document, where) for number, raw in enumerate(label["points"], start=1)
        ),
        correctness=label["correctness"],
        relevance=label["relevance"],
        note=label["note"],
    )


def _point(key: str, raw: Mapping[str, Any], item: Item, document: Document, where: str) -> DataPoint:
    """Make one data point with its place in the answer and the places of its evidence."""
    start = end = quote = None
    if raw["quote"] is not None:
        quote = normalise(raw["quote"])
        start, end = _span(quote, item.answer, f"{where}, answer {item.id}")
    evidence = []
    for text in map(normalise, raw["evidence"]):
        first, last = _span(text, document.text, f"{where}, contract {document.name}")
        evidence.append(Evidence(text, document.id, first, last, 1.0))
    return DataPoint(key, raw["text"], Tag(raw["tag"]), raw["reason"], start, end, quote, tuple(evidence))


def _span(quote: str, text: str, where: str) -> tuple[int, int]:
    """Find the one place where a quote stands."""
    if (found := text.count(quote)) != 1:
        raise IngestError(f"{where}: the quote {quote[:60]!r} stands there {found} times, expected once")
    start = text.index(quote)
    return start, start + len(quote)
