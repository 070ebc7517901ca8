"""The nouns of the project, in two files: answers with their documents, and the runs that evaluate them."""

from lemaj_core.types.answers import (
    Annotation,
    DataPoint,
    Dataset,
    Document,
    Evidence,
    FailureKind,
    Item,
    Problem,
    Score,
    Status,
    Strictness,
    Tag,
)
from lemaj_core.types.runs import Finding, Judgement, Reply, Request, Run, RunSettings, RunState

__all__ = [
    "Annotation",
    "DataPoint",
    "Dataset",
    "Document",
    "Evidence",
    "FailureKind",
    "Finding",
    "Item",
    "Judgement",
    "Problem",
    "Reply",
    "Request",
    "Run",
    "RunSettings",
    "RunState",
    "Score",
    "Status",
    "Strictness",
    "Tag",
]
