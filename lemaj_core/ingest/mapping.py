"""Which column is which field: guessed by name, overridden by the user.

Names are compared without case, spaces and punctuation. Nothing is guessed from the content of a column.
"""

import re
from collections.abc import Iterable, Mapping

from lemaj_core.errors import SettingsError

FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "item_id", "answer_id", "question_id", "query_id", "example_id", "sample_id", "row_id", "uid", "qid"),
    "question": (
        *("question", "prompt", "query", "user_input", "user_question", "user_query", "question_text", "input"),
        *("instruction", "legal_question", "q"),
    ),
    "answer": (
        *("answer", "response", "actual_output", "model_answer", "model_response", "model_output", "completion"),
        *("generated_answer", "generated_response", "generated_text", "llm_answer", "llm_response", "prediction"),
        *("predicted_answer", "answer_text", "answer_string", "output", "a"),
    ),
    "document": (
        *("document", "document_name", "document_file", "source_file", "source_document", "doc", "doc_name"),
        *("file", "filename", "file_name", "contract", "contract_name", "contract_file", "document_text"),
        *("contract_text", "document_title", "file_path"),
    ),
    "document_type": ("document_type", "doc_type", "contract_type", "agreement_type", "type_of_document"),
    "contexts": (
        *("contexts", "context", "retrieved_contexts", "retrieved_context", "retrieval_context", "passages"),
        *("passage", "clause", "clauses", "excerpt", "excerpts", "snippets", "retrieved_documents", "evidence"),
    ),
    "reference": (
        *("reference", "reference_answer", "ground_truth", "ground_truths", "gt_answer", "expected_output"),
        *("expected_answer", "expected_completion", "gold_answer", "gold", "ideal_answer", "correct_answer", "target"),
    ),
    "model": ("model", "model_name", "system", "system_name", "llm", "provider", "generator", "answered_by"),
    "minutes": ("minutes", "review_minutes", "review_time", "review_time_minutes", "minutes_to_review"),
    "human_correctness": (
        *("human_correctness", "expert_correctness", "annotator_correctness", "correctness_human"),
        *("correctness_expert", "gold_correctness"),
    ),
    "human_relevance": (
        *("human_relevance", "expert_relevance", "annotator_relevance", "relevance_human", "relevance_expert"),
        "gold_relevance",
    ),
}
"""Each field with the column names that are taken for it, the best first."""

REQUIRED = ("question", "answer")


def folded(name: str) -> str:
    """Give a column name without case, spaces and punctuation: "Retrieved Contexts" and "retrievedContexts" are one."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")


def guess(columns: Iterable[str], preset: Mapping[str, str] | None = None) -> dict[str, str]:
    """Guess which column is which field.

    Parameters
    ----------
    columns : iterable of str
        Column names as they stand in the file.
    preset : mapping, optional
        What a recognised layout says; the rest is guessed.

    Returns
    -------
    dict
        Field to column, in the order of `FIELDS`. No column is used twice.

    Examples
    --------
    >>> guess(["Prompt", "Model Response", "Source File"])
    {'question': 'Prompt', 'answer': 'Model Response', 'document': 'Source File'}
    """
    names: dict[str, str] = {}
    for column in columns:
        names.setdefault(folded(column), column)
    found = dict(preset or {})
    taken = set(found.values())
    for field, synonyms in FIELDS.items():
        if field not in found:
            free = [names[name] for name in synonyms if name in names and names[name] not in taken]
            found |= {field: free[0]} if free else {}
            taken.update(free[:1])
    return {field: found[field] for field in FIELDS if field in found}


def resolve(columns: Iterable[str], preset: Mapping[str, str], given: Mapping[str, str] | None) -> dict[str, str]:
    """Combine the guess with what the user said: a field mapped to "" is taken out, a column given moves to its field.

    Raises
    ------
    SettingsError
        If the user names a field or a column that does not exist, or one column as question and answer.
    """
    columns = list(columns)
    by_name = {folded(column): column for column in reversed(columns)}
    chosen: dict[str, str] = {}
    for field, column in (given or {}).items():
        if field not in FIELDS:
            raise SettingsError(f"mapping: there is no field {field!r}; the fields are {', '.join(FIELDS)}")
        if column and column not in columns and folded(column) not in by_name:
            raise SettingsError(f"mapping: {field} = {column!r}, but the columns are {', '.join(columns)}")
        chosen[field] = column and (column if column in columns else by_name[folded(column)])
    if chosen.get("question") and chosen.get("question") == chosen.get("answer"):
        raise SettingsError(f"mapping: the column {chosen['answer']!r} cannot be the question and the answer")
    used = {column for column in chosen.values() if column}
    kept = {field: column for field, column in preset.items() if field not in chosen and column not in used}
    guessed = guess([column for column in columns if column not in used], kept)
    merged = guessed | chosen
    return {field: merged[field] for field in FIELDS if merged.get(field)}
