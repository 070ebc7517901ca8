"""Unwraps JSON into one object per answer: SQuAD and CUAD articles, promptfoo results, LegalBench-RAG tests, lists.

Only the shape is changed here; which key is which field is decided afterwards.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lemaj_core.errors import IngestError
from lemaj_core.ingest.cells import as_text, is_nothing
from lemaj_core.ingest.mapping import folded, guess
from lemaj_core.ingest.notes import Notes
from lemaj_core.ingest.tables import Record

PRESETS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "SQuAD": {
        "id": ("id",),
        "question": ("question",),
        "answer": ("prediction", "answer"),
        "contexts": ("context",),
        "document": ("title",),
        "reference": ("reference",),
    },
    "promptfoo": {"answer": ("output",), "model": ("provider",)},
    "LegalBench-RAG": {
        "question": ("query",),
        "answer": ("answer", "response", "completion", "model_answer", "expected_answer"),
        "contexts": ("snippets",),
        "document": ("source_file",),
        "reference": ("expected_answer",),
    },
}
PRESETS = {**PRESETS, "CUAD": PRESETS["SQuAD"]}

_CUAD = "Highlight the parts (if any) of this contract"
_PREDICTIONS = ("prediction", "response", "model_answer", "predicted_answer")


def unwrap(value: Any, notes: Notes) -> tuple[str | None, Iterable[Record]]:
    """Give the layout that the shape gives away, if any, and the numbered objects."""
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        records = value
    elif (articles := _articles(value)) is not None:
        records = list(_squad(articles))
        cuad = any(str(record.get("question", "")).startswith(_CUAD) for _, record in records[:50])
        return ("CUAD" if cuad else "SQuAD"), records
    else:
        records = _numbered(_entries(value, notes), notes)
    first = records[0][1] if records else {}
    if {"vars", "provider"} <= first.keys() and ("response" in first or "prompt" in first):
        return "promptfoo", [(row, _promptfoo(record)) for row, record in records]
    if {"query", "snippets"} <= first.keys():
        return "LegalBench-RAG", [(row, _legalbench_rag(record)) for row, record in records]
    return None, records


def _numbered(entries: list[Any], notes: Notes) -> list[Record]:
    records: list[Record] = []
    for number, entry in enumerate(entries, start=1):
        if isinstance(entry, dict):
            records.append((number, entry))
        else:
            notes.left_out("no JSON object; the entry was left out", row=number)
    return records


def _entries(value: Any, notes: Notes) -> list[Any]:
    """Find the list of objects: the value itself, or what it is wrapped in."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        raise IngestError(f"{notes.file}: a list of objects with question and answer is expected, not a single value.")
    if (columns := _by_columns(value)) is not None:
        return columns
    for key in (
        "data",
        "results",
        "tests",
        "rows",
        "items",
        "questions",
        "examples",
        "records",
        "test_cases",
        "samples",
    ):
        inner = next((part for name, part in value.items() if folded(name) == key), None)
        if isinstance(inner, dict) and key in ("data", "results"):
            return _entries(inner, notes)
        if isinstance(inner, list):
            return inner
    lists = [key for key, part in value.items() if isinstance(part, list) and part and isinstance(part[0], dict)]
    if len(lists) == 1 and not {"question", "answer"} & guess(value).keys():
        notes.once("wrapped", f"the objects were found under the key {lists[0]!r}")
        return value[lists[0]]
    return [value]


def _by_columns(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Turn ``{"question": [...], "answer": [...]}`` into rows, as pandas and datasets write tables."""
    if not {"question", "answer"} <= guess(value).keys():
        return None
    if all(isinstance(part, dict) for part in value.values()):
        keys = list(dict.fromkeys(key for part in value.values() for key in part))
        return [{name: part.get(key) for name, part in value.items()} for key in keys]
    if all(isinstance(part, list) for part in value.values()):
        length = max(len(part) for part in value.values())
        return [{name: part[at] if at < len(part) else None for name, part in value.items()} for at in range(length)]
    return None


def _articles(value: Any) -> list[Any] | None:
    data = value.get("data") if isinstance(value, dict) else value
    fits = isinstance(data, list) and data and all(isinstance(part, dict) and "paragraphs" in part for part in data[:3])
    return data if fits else None


def _squad(articles: list[Any]) -> Iterator[Record]:
    number = 0
    for article in articles:
        paragraphs = [part for part in _list(article, "paragraphs") if isinstance(part, dict)]
        for paragraph in paragraphs:
            for asked in _list(paragraph, "qas"):
                number += 1
                if isinstance(asked, dict):
                    yield number, _question(asked, paragraph, as_text(article.get("title")))


def _question(asked: Mapping[str, Any], paragraph: Mapping[str, Any], title: str) -> dict[str, Any]:
    answers = [as_text(part) for part in _list(asked, "answers") or _list(asked, "plausible_answers")]
    distinct = list(dict.fromkeys(text for text in answers if text))
    # CUAD's answers to one question are all parts of one answer, SQuAD's are the words of several annotators.
    cuad = as_text(asked.get("question")).startswith(_CUAD)
    expected = "\n\n".join(distinct) if cuad else next(iter(distinct), "")
    if asked.get("is_impossible"):
        expected = ""
    record = {
        "id": asked.get("id"),
        "question": asked.get("question"),
        "context": paragraph.get("context"),
        "title": title,
    }
    predicted = next((name for name in _PREDICTIONS if name in asked), None)
    if predicted is None:
        record["answer"] = expected
    else:
        record |= {"prediction": asked[predicted], "reference": expected}
    other = {name: cell for name, cell in asked.items() if name not in (*record, *_PREDICTIONS, "answers")}
    return record | {name: cell for name, cell in other.items() if name != "plausible_answers"}


def _list(value: Mapping[str, Any], key: str) -> list[Any]:
    found = value.get(key)
    return found if isinstance(found, list) else []


def _promptfoo(result: Mapping[str, Any]) -> dict[str, Any]:
    variables, response = _dict(result, "vars"), _dict(result, "response")
    provider, prompt = result.get("provider"), result.get("prompt")
    record: dict[str, Any] = dict(variables)
    output = response.get("output", result.get("output"))
    extra = {
        "output": output,
        "provider": provider.get("label") or provider.get("id") if isinstance(provider, dict) else provider,
        "score": result.get("score"),
        "success": result.get("success"),
        "error": response.get("error") or result.get("error"),
        "latency_ms": result.get("latencyMs"),
        "cost": result.get("cost"),
    }
    record |= {name: cell for name, cell in extra.items() if not is_nothing(cell) or name in ("output", "provider")}
    if "question" not in guess(variables):
        record["question"] = prompt.get("raw") if isinstance(prompt, dict) else prompt
    return record


def _dict(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _legalbench_rag(test: Mapping[str, Any]) -> dict[str, Any]:
    snippets = [part for part in _list(test, "snippets") if isinstance(part, dict)]
    texts = [as_text(part.get("answer") or part.get("text")) for part in snippets]
    rest = {name: cell for name, cell in test.items() if name != "snippets"}
    return rest | {
        "snippets": texts,
        "expected_answer": "\n\n".join(texts),
        "source_file": next((part["file_path"] for part in snippets if part.get("file_path")), None),
    }
