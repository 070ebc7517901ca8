"""Data points of a judge against an expert's, and experts among themselves: who cut and who tagged otherwise.

Cutting (split, merged, only on one side) is kept apart from tagging. The kinds of error follow LeMAJ's own analysis;
they are assigned by rule from the two tags and the cut.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import pandas as pd

from lemaj_core.metrics.alignment import Alignment, align, alignment_score
from lemaj_core.metrics.data_points import DataPointScores, bucket, score_counts
from lemaj_core.metrics.raters import Agreement, agreements
from lemaj_core.types import Annotation, DataPoint, Score, Tag

ABSENT = "not there"
COLUMNS = (
    "item_id", "cut", "kind", "judge_tag", "expert_tag", "judge_text", "expert_text", "judge_reason", "expert_reason",
    "similarity",
)  # fmt: skip
LENIENT, STRICT = "too lenient on detail", "too strict"
OFF_QUESTION, ON_QUESTION = "padding not seen", "called irrelevant, but needed"
UNSEEN, INVENTED = "omission not seen", "omission invented"
SPLIT, MERGED, ADDED, LOST = "split finer", "merged", "only the judge has it", "only the expert has it"
OTHER = "other wrong tag"
_BY_TAGS: dict[tuple[Tag | None, Tag | None], str] = {
    (Tag.INCORRECT, Tag.CORRECT): LENIENT,
    (Tag.CORRECT, Tag.INCORRECT): STRICT,
    (Tag.IRRELEVANT, Tag.CORRECT): OFF_QUESTION,
    (Tag.CORRECT, Tag.IRRELEVANT): ON_QUESTION,
}


class CutAndTags(NamedTuple):
    """Counts over the answers that both read; LeMAJ Alignment, and its variant over matched points only."""

    answers: int
    judge_points: int
    expert_points: int
    pairs: int
    same_tag: int
    splits: int
    merges: int
    only_judge: int
    only_expert: int
    alignment: Score
    matched_alignment: Score


def points_by_answer(points: pd.DataFrame) -> dict[str, list[DataPoint]]:
    """Read the frame of ``Store.points`` as data points, by answer; their evidence is left out."""
    found: dict[str, list[DataPoint]] = {}
    columns = (points[name] for name in ("item_id", "point_id", "text", "tag", "reason", "start", "end"))
    for item_id, point_id, text, tag, reason, start, end in zip(*columns, strict=True):
        point = DataPoint(
            point_id,
            text,
            Tag(tag) if isinstance(tag, str) else None,
            reason if isinstance(reason, str) else "",
            None if pd.isna(start) else int(start),
            None if pd.isna(end) else int(end),
        )
        found.setdefault(item_id, []).append(point)
    return found


def compare_points(judged: Mapping[str, Sequence[DataPoint]], labels: Iterable[Annotation]) -> pd.DataFrame:
    """Lay the judge's points beside an expert's, answer by answer.

    Parameters
    ----------
    judged : mapping of str to sequence of DataPoint
        The judge's points by answer.
    labels : iterable of Annotation
        One label set per answer.

    Returns
    -------
    pandas.DataFrame
        One row per matched pair and per unmatched point: item_id; ``cut`` ("pair", "split", "merged", "only judge",
        "only expert"); ``kind`` of error, missing where the tags agree; both tags and texts (None where there is none);
        similarity. Points without a tag, which the judge could not check, are left out.
    """
    rows = [row for label in labels if label.item_id in judged for row in _laid(label, judged[label.item_id])]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _laid(label: Annotation, points: Sequence[DataPoint]) -> Iterator[tuple]:
    """Rows of one answer; none where a side has no tagged point."""
    mine = [point for point in points if point.tag is not None]
    theirs = [point for point in label.points if point.tag is not None]
    if not theirs:
        return
    found = align(mine, theirs)
    for (left, right), likeness in zip(found.pairs, found.similarities, strict=True):
        yield _row(label.item_id, "pair", mine[left], theirs[right], likeness)
    for left in found.only_left:
        yield _row(label.item_id, "split" if left in found.splits else "only judge", mine[left], None)
    for right in found.only_right:
        yield _row(label.item_id, "merged" if right in found.merges else "only expert", None, theirs[right])


def counts(compared: pd.DataFrame) -> CutAndTags:
    """Add up a comparison of points."""
    cut = Counter(compared["cut"])
    pairs = compared[compared["cut"] == "pair"]
    same = int((pairs["judge_tag"] == pairs["expert_tag"]).sum())
    judge_points = cut["pair"] + cut["split"] + cut["only judge"]
    return CutAndTags(
        compared["item_id"].nunique(),
        judge_points,
        cut["pair"] + cut["merged"] + cut["only expert"],
        cut["pair"],
        same,
        cut["split"],
        cut["merged"],
        cut["only judge"],
        cut["only expert"],
        alignment_score(cut["pair"], same, judge_points),
        alignment_score(cut["pair"], same, judge_points, only_matched=True),
    )


def confusion(compared: pd.DataFrame) -> pd.DataFrame:
    """Count points by the expert's tag (rows) and the judge's (columns); "not there" for unmatched points."""
    names = [*map(str, Tag), ABSENT]
    table = pd.crosstab(compared["expert_tag"].fillna(ABSENT), compared["judge_tag"].fillna(ABSENT))
    return table.reindex(index=names, columns=names, fill_value=0)


def errors(compared: pd.DataFrame) -> pd.DataFrame:
    """Count the kinds of error, commonest first: kind, points, answers."""
    wrong = compared[compared["kind"].notna()]
    grouped = wrong.groupby("kind")["item_id"].agg(points="size", answers="nunique").reset_index()
    return grouped.sort_values(["points", "kind"], ascending=[False, True], ignore_index=True)


def annotators(labels: Iterable[Annotation]) -> list[str]:
    """Names of the annotators, those with most label sets first."""
    return [name for name, _ in Counter(label.annotator for label in labels).most_common()]


class Among(NamedTuple):
    """Agreement of experts: statistics by what was rated, and how pairs of them cut the same answers."""

    statistics: dict[str, list[Agreement]]
    cut: CutAndTags | None


def experts_among_themselves(labels: Sequence[Annotation], beta: float = 1.0) -> Among:
    """Agreement of annotators on the answers that two or more of them labelled.

    Returns
    -------
    Among
        ``statistics["tag"]``: over points, aligned to those of the first annotator of the answer; points that another
        one has not are missing labels. "correctness" and "relevance": over answers, in buckets {0, .25, .5, .75, 1};
        a stated score counts before that of the tags. ``cut``: over every pair of annotators of an answer, the first
        in the place of the judge; None where no answer has two.
    """
    by_item: dict[str, dict[str, Annotation]] = defaultdict(dict)
    for label in labels:
        by_item[label.item_id].setdefault(label.annotator, label)
    names = annotators(labels)
    score = cache(lambda *counts: score_counts(*counts, beta=beta))
    tags: list[list[str | None]] = []
    scores: dict[str, list[list[float | None]]] = {"correctness": [], "relevance": []}
    pairs: list[_Pair] = []
    for found in by_item.values():
        if len(found) < 2:
            continue
        present = [name for name in names if name in found]
        tagged = {name: [point for point in found[name].points if point.tag is not None] for name in present}
        laid = {(one, other): align(tagged[one], tagged[other]) for one, other in combinations(present, 2)}
        pairs += [_Pair(tagged[one], tagged[other], alignment) for (one, other), alignment in laid.items()]
        tags += _tag_rows(names, present, tagged, laid)
        for key, rows in scores.items():
            rows.append([_bucket(found[name], key, score) if name in found else None for name in names])
    statistics = {"tag": agreements(tags), **{key: agreements(rows) for key, rows in scores.items()}}
    return Among(statistics, _cut(pairs, sum(len(found) > 1 for found in by_item.values())))


class _Pair(NamedTuple):
    one: list[DataPoint]
    other: list[DataPoint]
    found: Alignment


def _cut(pairs: Sequence[_Pair], answers: int) -> CutAndTags | None:
    if not pairs:
        return None
    matched = sum(len(pair.found.pairs) for pair in pairs)
    same = sum(pair.one[left].tag == pair.other[right].tag for pair in pairs for left, right in pair.found.pairs)
    first = sum(len(pair.one) for pair in pairs)
    splits, merges = (sum(len(getattr(pair.found, name)) for pair in pairs) for name in ("splits", "merges"))
    return CutAndTags(
        answers,
        first,
        sum(len(pair.other) for pair in pairs),
        matched,
        same,
        splits,
        merges,
        sum(len(pair.found.only_left) for pair in pairs) - splits,
        sum(len(pair.found.only_right) for pair in pairs) - merges,
        alignment_score(matched, same, first),
        alignment_score(matched, same, first, only_matched=True),
    )


def _tag_rows(
    names: Sequence[str],
    present: Sequence[str],
    tagged: Mapping[str, list[DataPoint]],
    laid: Mapping[tuple[str, str], Alignment],
) -> list[list[str | None]]:
    """One row per point of the first annotator, with the tag of each annotator's matching point."""
    first, *others = present
    rows: list[list[str | None]] = [[None] * len(names) for _ in tagged[first]]
    for row, point in zip(rows, tagged[first], strict=True):
        row[names.index(first)] = str(point.tag)
    for name in others:
        for left, right in laid[first, name].pairs:
            rows[left][names.index(name)] = str(tagged[name][right].tag)
    return rows


def _bucket(label: Annotation, key: str, score: Callable[..., DataPointScores]) -> float | None:
    stated = getattr(label, key)
    if stated is None:
        tags = Counter(point.tag for point in label.points)
        stated = getattr(score(*(tags[tag] for tag in Tag)), key).value
    return None if stated is None else bucket(stated)


def _row(item_id: str, cut: str, mine: DataPoint | None, theirs: DataPoint | None, likeness: float | None = None):
    return (
        item_id,
        cut,
        _kind(cut, mine, theirs),
        None if mine is None else str(mine.tag),
        None if theirs is None else str(theirs.tag),
        None if mine is None else mine.text,
        None if theirs is None else theirs.text,
        None if mine is None else mine.reason,
        None if theirs is None else theirs.reason,
        likeness,
    )


def _kind(cut: str, mine: DataPoint | None, theirs: DataPoint | None) -> str | None:
    """Name what went wrong, by rule; None where the tags agree."""
    if mine is not None and theirs is not None:
        return None if mine.tag == theirs.tag else _BY_TAGS.get((theirs.tag, mine.tag), OTHER)
    if mine is not None:
        return INVENTED if mine.tag is Tag.MISSING else SPLIT if cut == "split" else ADDED
    if theirs is not None and theirs.tag is Tag.MISSING:
        return UNSEEN
    return MERGED if cut == "merged" else LOST
