"""The tables of the store, as plain SQLAlchemy Core: what is kept, under which key.

No query and no file stands here. Long texts live in tables of their own, so that a list of answers never pages through
contracts. A judged answer has an integer id of its own, because four scores and a dozen points per answer join and
pivot faster on integers than on three words; its key is still (run, item, judge), which is unique.
"""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
)

from lemaj_core.store.columns import Moment, Words

metadata = MetaData()

migrations = Table(
    "migrations",
    metadata,
    Column("name", Words, primary_key=True),
    Column("applied", Moment, nullable=False),
)

datasets = Table(
    "datasets",
    metadata,
    Column("id", Words, primary_key=True),
    Column("name", Words, nullable=False),
    Column("created", Moment, nullable=False),
    Column("digest", Words, nullable=False),
    Column("format", Words, nullable=False),
    Column("encoding", Words),
    Column("layout", Words),
    Column("constructed", Boolean, nullable=False),
    Column("mapping", JSON, nullable=False),
    Column("answers", Integer, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("problems", Integer, nullable=False),
)


def _of_dataset() -> Column[str]:
    return Column("dataset_id", Words, ForeignKey("datasets.id", ondelete="CASCADE"), nullable=False)


documents = Table(
    "documents",
    metadata,
    _of_dataset(),
    Column("document_id", Words, nullable=False),
    Column("position", Integer, nullable=False),
    Column("name", Words, nullable=False),
    Column("type", Words),
    Column("text", Words, nullable=False),
    PrimaryKeyConstraint("dataset_id", "document_id"),
)

items = Table(
    "items",
    metadata,
    _of_dataset(),
    Column("position", Integer, nullable=False),
    Column("item_id", Words, nullable=False),
    Column("question", Words, nullable=False),
    Column("model", Words),
    Column("document_id", Words),
    Column("row", Integer),
    Column("minutes", Double),
    Column("human_correctness", Double),
    Column("human_relevance", Double),
    Column("extra", JSON(none_as_null=True)),
    PrimaryKeyConstraint("dataset_id", "position"),
    UniqueConstraint("dataset_id", "item_id"),
)

item_texts = Table(
    "item_texts",
    metadata,
    _of_dataset(),
    Column("position", Integer, nullable=False),
    Column("answer", Words, nullable=False),
    Column("reference", Words),
    Column("contexts", JSON(none_as_null=True)),
    PrimaryKeyConstraint("dataset_id", "position"),
)

annotations = Table(
    "annotations",
    metadata,
    _of_dataset(),
    Column("position", Integer, nullable=False),
    Column("item_id", Words, nullable=False),
    Column("annotator", Words, nullable=False),
    Column("correctness", Double),
    Column("relevance", Double),
    Column("correct", Integer, nullable=False),
    Column("incorrect", Integer, nullable=False),
    Column("irrelevant", Integer, nullable=False),
    Column("missing", Integer, nullable=False),
    Column("note", Words, nullable=False),
    Column("extra", JSON(none_as_null=True)),
    Column("points", JSON, nullable=False),
    PrimaryKeyConstraint("dataset_id", "position"),
    Index("annotations_item", "dataset_id", "item_id"),
)

problems = Table(
    "problems",
    metadata,
    _of_dataset(),
    Column("position", Integer, nullable=False),
    Column("severity", Words, nullable=False),
    Column("message", Words, nullable=False),
    Column("file", Words),
    Column("row", Integer),
    Column("column", Words),
    PrimaryKeyConstraint("dataset_id", "position"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Words, primary_key=True),
    Column("name", Words, nullable=False),
    Column("dataset_id", Words, ForeignKey("datasets.id"), nullable=False),
    Column("settings", JSON, nullable=False),
    Column("versions", JSON, nullable=False),
    Column("created", Moment, nullable=False),
    Column("total", Integer, nullable=False),
    # rises with every stored or forgotten judgement: the cache key of the pages
    Column("revision", Integer, nullable=False, default=0),
    Column("cancel_requested", Moment),
    # the cap at which the last worker stopped; a higher cap makes the run due again
    Column("capped_at", Double),
    # who works on it: reserved for a process (worker is null) or held by one worker of it
    Column("beat", Moment),
    Column("pid", Integer),
    Column("pid_started", Words),
    Column("host", Words),
    Column("worker", Words),
)


def _of_run() -> Column[str]:
    return Column("run_id", Words, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False)


replies = Table(
    "replies",
    metadata,
    Column("key", Words, primary_key=True),
    Column("created", Moment, nullable=False),
    Column("model", Words),
    Column("finish_reason", Words),
    Column("usage", JSON, nullable=False),
    Column("cost", Double),
    Column("seconds", Double),
    Column("text", Words, nullable=False),
)

calls = Table(
    "calls",
    metadata,
    Column("id", Integer, primary_key=True),
    _of_run(),
    Column("item_id", Words),
    Column("judge", Words),
    Column("attempt", Integer, nullable=False),
    Column("key", Words, nullable=False),
    Column("created", Moment, nullable=False),
    Column("cached", Boolean, nullable=False),
    Column("failure", Words),
    Column("reason", Words),
    Column("model", Words, nullable=False),
    Column("base_url", Words),
    Column("parameters", JSON, nullable=False),
    Column("schema_version", Words, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("tokens_in", Integer),
    Column("tokens_out", Integer),
    Column("cost", Double),
    Column("seconds", Double),
    Index("calls_run", "run_id", "item_id", "judge"),
)

judgements = Table(
    "judgements",
    metadata,
    Column("id", Integer, primary_key=True),
    _of_run(),
    Column("item_id", Words, nullable=False),
    Column("judge", Words, nullable=False),
    Column("status", Words, nullable=False),
    Column("failure", Words),
    Column("reason", Words),
    Column("correct", Integer, nullable=False),
    Column("incorrect", Integer, nullable=False),
    Column("irrelevant", Integer, nullable=False),
    Column("missing", Integer, nullable=False),
    Column("untagged", Integer, nullable=False),
    Column("created", Moment, nullable=False),
    Column("calls", JSON, nullable=False),
    Column("notes", JSON, nullable=False),
    UniqueConstraint("run_id", "item_id", "judge"),
    Index("judgements_state", "run_id", "status", "created"),
)

retries = Table(
    "retries",
    metadata,
    _of_run(),
    Column("item_id", Words, nullable=False),
    Column("judge", Words, nullable=False),
    Column("tries", Integer, nullable=False),
    PrimaryKeyConstraint("run_id", "item_id", "judge"),
)


def _of_judgement() -> Column[int]:
    return Column("judgement_id", Integer, ForeignKey("judgements.id", ondelete="CASCADE"), nullable=False)


scores = Table(
    "scores",
    metadata,
    _of_judgement(),
    Column("metric", Words, nullable=False),
    Column("value", Double),
    Column("status", Words, nullable=False),
    Column("reason", Words),
    Column("numerator", Double),
    Column("denominator", Double),
    PrimaryKeyConstraint("judgement_id", "metric"),
    sqlite_with_rowid=False,
)

points = Table(
    "points",
    metadata,
    _of_judgement(),
    Column("position", Integer, nullable=False),
    Column("point_id", Words, nullable=False),
    Column("text", Words, nullable=False),
    Column("tag", Words),
    Column("reason", Words, nullable=False),
    Column("start", Integer),
    Column("end", Integer),
    Column("quote", Words),
    Column("confidence", Double),
    PrimaryKeyConstraint("judgement_id", "position"),
    sqlite_with_rowid=False,
)

findings = Table(
    "findings",
    metadata,
    _of_judgement(),
    Column("group", Words, nullable=False),
    Column("by", Words, nullable=False),
    Column("status", Words, nullable=False),
    Column("failure", Words),
    Column("reason", Words),
    Column("detail", JSON, nullable=False),
    Column("calls", JSON, nullable=False),
    Column("notes", JSON, nullable=False),
    PrimaryKeyConstraint("judgement_id", "group", "by"),
    Index("findings_status", "status", "judgement_id"),
)

evidence = Table(
    "evidence",
    metadata,
    Column("judgement_id", Integer, nullable=False),
    Column("point_position", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("quote", Words, nullable=False),
    Column("document_id", Words),
    Column("start", Integer),
    Column("end", Integer),
    Column("similarity", Double),
    PrimaryKeyConstraint("judgement_id", "point_position", "position"),
    ForeignKeyConstraint(
        ["judgement_id", "point_position"], ["points.judgement_id", "points.position"], ondelete="CASCADE"
    ),
    sqlite_with_rowid=False,
)
