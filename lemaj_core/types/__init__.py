"""The nouns of the project: answers with their documents, the runs that evaluate them, and the names of judges."""

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
from lemaj_core.types.jurors import Juror, juror
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
    "Juror",
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
    "juror",
]
