"""What several test files share: a temporary store, a small data set, and a run with an answer in every state."""

import os
import uuid
from typing import NamedTuple

import pytest
import sqlalchemy

from lemaj_core.metrics.data_points import score_tags
from lemaj_core.store import Store, open_store
from lemaj_core.types import (
    Annotation,
    DataPoint,
    Dataset,
    Document,
    Evidence,
    FailureKind,
    Item,
    Judgement,
    Reply,
    Request,
    RunSettings,
    Score,
    Status,
    Tag,
)

LEASE = (
    "LEASE AGREEMENT\n\n1. Rent. The Tenant shall pay rent of EUR 2,000 on the first day of each month.\n"
    "2. Term. The term is five years from 1 January 2025.\n"
    "3. Termination. The Landlord may terminate this lease on 60 days' written notice.\n"
)
NDA = (
    "NON-DISCLOSURE AGREEMENT\n\n1. Each party shall keep Confidential Information secret for three years.\n"
    "2. Disclosure required by law is permitted after prompt written notice.\n"
)


@pytest.fixture
def store(tmp_path):
    """Give an empty store in a temporary SQLite file."""
    with open_store(f"sqlite:///{tmp_path / 'store.db'}") as opened:
        yield opened


SERVER = os.environ.get("LEMAJ_TEST_POSTGRES", "")
DATABASES = ["sqlite", "postgresql"] if SERVER else ["sqlite"]


@pytest.fixture(params=DATABASES)
def store_url(request, tmp_path):
    """Give the URL of a new store in each database; LEMAJ_TEST_POSTGRES names one that may be written to."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'each.db'}"
        return
    schema = f"lemaj_{uuid.uuid4().hex[:12]}"
    engine = sqlalchemy.create_engine(SERVER.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
    yield f"{SERVER}{'&' if '?' in SERVER else '?'}options=-csearch_path%3D{schema}"
    with engine.begin() as connection:
        connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
    engine.dispose()


@pytest.fixture
def small_dataset() -> Dataset:
    """Six answers over two documents by two models; a1 has human scores, a2 has labels, a6 has no document."""
    rows = (
        ("a1", "What is the rent?", "The rent is EUR 2,000. It is due monthly.", "lease", "model-a", 4.0),
        ("a2", "How long is the term?", "The term is five years. It began in 2025.", "lease", "model-b", 3.0),
        ("a3", "Can the landlord terminate?", "No, the landlord cannot terminate.", "lease", "model-a", None),
        ("a4", "How long does secrecy last?", "Secrecy lasts three years.", "nda", "model-b", 2.0),
        ("a5", "May a party disclose by law?", "Yes, after prompt written notice.", "nda", "model-a", 5.0),
        ("a6", "Is the clause fair?", "I cannot say.", None, "model-b", None),
    )
    items = tuple(
        Item(
            id=key,
            question=question,
            answer=answer,
            document_id=document,
            model=model,
            minutes=minutes,
            human_correctness=1.0 if key == "a1" else None,
            human_relevance=0.75 if key == "a1" else None,
            extra={"team": "red" if position % 2 else "blue", "round": position},
            row=position + 2,
        )
        for position, (key, question, answer, document, model, minutes) in enumerate(rows)
    )
    quote = "The term is five years."
    start = LEASE.index("The term is five years")
    labels = (
        DataPoint("h1", quote, Tag.CORRECT, "clause 2", 0, len(quote), quote,
                  (Evidence("The term is five years", "lease", start, start + 22),)),
        DataPoint("h2", "It began in 2025.", Tag.IRRELEVANT, "not asked", 24, 41, "It began in 2025."),
    )  # fmt: skip
    return Dataset(
        name="small",
        items=items,
        documents={
            "lease": Document("lease", "lease.txt", LEASE, "Lease"),
            "nda": Document("nda", "nda.txt", NDA, "NDA"),
        },
        annotations=(Annotation("a2", "expert-1", labels),),
        mapping={"question": "question", "answer": "answer"},
        format="csv",
        encoding="utf-8",
    )


class SmallRun(NamedTuple):
    """A store with one run of the small data set."""

    store: Store
    run_id: str
    dataset_id: str
    judge: str = "offline"


@pytest.fixture
def small_run(store, small_dataset) -> SmallRun:
    """Give a run judged by hand: a1, a2, a3 scored, a4 undefined scores, a5 failed, a6 waiting."""
    answers = {item.id: item.answer for item in small_dataset.items}

    def point(item_id, number, words, tag, reason, evidence=None, document="lease", confidence=0.9):
        start = answers[item_id].find(words) if tag is not Tag.MISSING else -1
        found = (None, None, None) if start < 0 else (start, start + len(words), words)
        passages: tuple[Evidence, ...] = ()
        if evidence:
            at = small_dataset.documents[document].text.index(evidence)
            passages = (Evidence(evidence, document, at, at + len(evidence)),)
        return DataPoint(f"p{number}", words, tag, reason, *found, passages, confidence)

    judged = {
        "a1": (
            point("a1", 1, "The rent is EUR 2,000.", Tag.CORRECT, "clause 1 says so", "pay rent of EUR 2,000"),
            point("a1", 2, "It is due monthly.", Tag.CORRECT, "clause 1 says so", "on the first day of each month"),
            point("a1", 3, "The rent is due on the first day.", Tag.MISSING, "left out", "on the first day"),
        ),
        "a2": (
            point("a2", 1, "The term is five years.", Tag.CORRECT, "clause 2 says so", "The term is five years"),
            point("a2", 2, "It began in 2025.", Tag.IRRELEVANT, "not asked for"),
        ),
        "a3": (
            point("a3", 1, "No, the landlord cannot terminate.", Tag.INCORRECT, "clause 3 says the opposite",
                  "The Landlord may terminate this lease"),
        ),
        "a4": (point("a4", 1, "Secrecy lasts three years.", Tag.IRRELEVANT, "beside the question", document="nda"),),
    }  # fmt: skip
    dataset_id = store.add_dataset(small_dataset)
    run_id = store.create_run(dataset_id, RunSettings(), name="small run", run_id="5ma11000")
    for item_id, points in judged.items():
        request = Request("offline", ({"role": "user", "content": answers[item_id]},))
        store.add_call(
            run_id,
            request,
            Reply('{"points": []}', "stop", {"prompt_tokens": 10, "completion_tokens": 5}, 0.0, 0.1, "offline"),
            item_id=item_id,
            judge="offline",
        )
        scores = score_tags(item.tag for item in points)._asdict()
        judgement = Judgement(item_id, "offline", Status.SCORED, points, calls=(request.key(),))
        store.save_judgement(run_id, judgement, scores)
    reason = "the reply is no JSON"
    failed = Judgement("a5", "offline", Status.FAILED, (), FailureKind.MALFORMED, reason)
    store.save_judgement(
        run_id, failed, dict.fromkeys(("correctness", "precision", "recall", "relevance"), Score.failed(reason))
    )
    return SmallRun(store, run_id, dataset_id)
