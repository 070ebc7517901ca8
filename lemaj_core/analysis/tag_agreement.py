"""Data points of a judge against an expert's, and experts among themselves: who cut and who tagged otherwise.

Cutting (split, merged, only on one side) is kept apart from tagging. The kinds of error follow LeMAJ's own analysis;
they are assigned by rule from the two tags and the cut.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import pandas as pd

from lemaj_core.metrics.alignment import align, alignment_score
from lemaj_core.metrics.data_points import bucket, score_tags
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
    rows: list[tuple] = []
    for label in labels:
        mine = [point for point in judged.get(label.item_id, ()) if point.tag is not None]
        theirs = [point for point in label.points if point.tag is not None]
        if label.item_id not in judged or not theirs:
            continue
        found = align(mine, theirs)
        for (left, right), likeness in zip(found.pairs, found.similarities, strict=True):
            rows.append(_row(label.item_id, "pair", mine[left], theirs[right], likeness))
        for left in found.only_left:
            rows.append(_row(label.item_id, "split" if left in found.splits else "only judge", mine[left], None))
        for right in found.only_right:
            cut = "merged" if right in found.merges else "only expert"
            rows.append(_row(label.item_id, cut, None, theirs[right]))
    return pd.DataFrame(rows, columns=list(COLUMNS))


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


def experts_among_themselves(labels: Sequence[Annotation], beta: float = 1.0) -> dict[str, list[Agreement]]:
    """Agreement of annotators on the answers that two or more of them labelled.

    Returns
    -------
    dict
        "tag": over points, aligned to those of the first annotator of the answer; points that another one has not
        are missing labels. "correctness" and "relevance": over answers, in buckets {0, .25, .5, .75, 1}; a stated
        score counts before that of the tags.
    """
    by_item: dict[str, dict[str, Annotation]] = defaultdict(dict)
    for label in labels:
        by_item[label.item_id].setdefault(label.annotator, label)
    names = annotators(labels)
    shared = [found for found in by_item.values() if len(found) >= 2]
    tags: list[list[str | None]] = []
    scores: dict[str, list[list[float | None]]] = {"correctness": [], "relevance": []}
    for found in shared:
        tags += _tag_rows(found, names)
        for key, rows in scores.items():
            rows.append([_bucket(found[name], key, beta) if name in found else None for name in names])
    return {"tag": agreements(tags), **{key: agreements(rows) for key, rows in scores.items()}}


def cut_among_themselves(labels: Sequence[Annotation]) -> CutAndTags | None:
    """How two annotators cut the same answers, over every pair of them; None where no answer has two."""
    by_item: dict[str, list[Annotation]] = defaultdict(list)
    for label in labels:
        by_item[label.item_id].append(label)
    frames = [
        compare_points({one.item_id: one.points}, [other])
        for found in by_item.values()
        for one, other in combinations(found, 2)
    ]
    return counts(pd.concat(frames, ignore_index=True)) if frames else None


def _tag_rows(found: Mapping[str, Annotation], names: Sequence[str]) -> list[list[str | None]]:
    """One row per point of the first annotator, with the tag of each annotator's matching point."""
    present = [name for name in names if name in found]
    first = found[present[0]].points
    rows: list[list[str | None]] = [[None] * len(names) for _ in first]
    for place, point in enumerate(first):
        rows[place][names.index(present[0])] = None if point.tag is None else str(point.tag)
    for name in present[1:]:
        others = found[name].points
        for left, right in align(first, others).pairs:
            tag = others[right].tag
            rows[left][names.index(name)] = None if tag is None else str(tag)
    return rows


def _bucket(label: Annotation, key: str, beta: float) -> float | None:
    stated = getattr(label, key)
    if stated is None:
        stated = getattr(score_tags((point.tag for point in label.points), beta), key).value
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
