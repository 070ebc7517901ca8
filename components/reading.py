"""What one reader, a judge or a human expert, says of one answer, in one shape for both.

Fetches the texts of the one answer that is shown and turns judgements and annotations into readings with their scores.
Draws nothing.
"""

from collections import Counter
from dataclasses import dataclass

from components import cached
from lemaj_core.metrics.data_points import DataPointScores, score_counts
from lemaj_core.types import Annotation, DataPoint, Document, FailureKind, Item, Judgement, Run, Status, Tag


@dataclass(frozen=True, slots=True)
class Reading:
    """Data points of one answer as one reader sees them, or why there are none."""

    who: str
    expert: bool
    points: tuple[DataPoint, ...]
    status: Status
    failure: FailureKind | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    correctness: float | None = None
    relevance: float | None = None

    @property
    def judged(self) -> bool:
        """Whether there is a verdict at all, be it one without points."""
        return self.status is not Status.FAILED


@dataclass(frozen=True, slots=True)
class Opened:
    """The answer that is open: its texts and every reading of it; ``reading`` is the chosen judge's, if it is there."""

    item: Item
    document: Document | None
    reading: Reading | None
    annotations: tuple[Annotation, ...]


def open_answer(run: Run, judge: str, item_id: str) -> Opened:
    """Fetch one answer with its document, the chosen judge's reading and the experts' labels."""
    store = cached.store()
    item = store.item(run.dataset_id, item_id)
    document = store.document(run.dataset_id, item.document_id) if item.document_id else None
    return Opened(
        item=item,
        document=document,
        reading=of_judge(run, judge, item_id),
        annotations=tuple(store.annotations(run.dataset_id, item_id)),
    )


def of_judge(run: Run, judge: str, item_id: str) -> Reading | None:
    """Reading of one judge; None while the answer waits for it."""
    judgement: Judgement | None = cached.store().judgement(run.id, item_id, judge)
    if judgement is None:
        return None
    return Reading(
        who=judge,
        expert=False,
        points=judgement.points,
        status=judgement.status,
        failure=judgement.failure,
        reason=judgement.reason,
        notes=judgement.notes,
    )


def of_expert(annotation: Annotation) -> Reading:
    """Reading of one human annotator, with the scores that were uploaded with it."""
    return Reading(
        who=annotation.annotator,
        expert=True,
        points=annotation.points,
        status=Status.SCORED,
        notes=(annotation.note,) if annotation.note else (),
        correctness=annotation.correctness,
        relevance=annotation.relevance,
    )


def count(points: tuple[DataPoint, ...], flips: dict[str, Tag] | None = None) -> Counter[Tag | None]:
    """Count tags, None for points that could not be checked; ``flips`` replaces tags by point id."""
    changed = flips or {}
    return Counter(changed.get(point.id, point.tag) for point in points)


def scores(counts: Counter[Tag | None], beta: float = 1.0) -> DataPointScores:
    """Score counts of tags."""
    return score_counts(*(counts[tag] for tag in Tag), beta=beta)


def numbers_of(counts: Counter[Tag | None]) -> tuple[int, int, int, int, int]:
    """Correct, incorrect, irrelevant, missing, untagged."""
    return counts[Tag.CORRECT], counts[Tag.INCORRECT], counts[Tag.IRRELEVANT], counts[Tag.MISSING], counts[None]


def first_to_show(points: tuple[DataPoint, ...]) -> int:
    """Number of the point that a reader should see first: the worst one; 0 where there are no points."""
    for tag in (Tag.INCORRECT, Tag.MISSING, Tag.IRRELEVANT):
        for number, point in enumerate(points, start=1):
            if point.tag is tag:
                return number
    return 1 if points else 0
