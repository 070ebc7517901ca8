"""What an expert can do to the data points of one answer, as pure functions; and how far a second reader moved.

Every function gives new points and leaves the old ones alone. A tag is only ever what a person chose: cutting, joining
and rewording take it away, because it was given to other words.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from lemaj_core.errors import SettingsError
from lemaj_core.store import Label
from lemaj_core.types import DataPoint, Evidence, Tag

Points = tuple[DataPoint, ...]


def laid(judged: Sequence[DataPoint], mode: str) -> Points:
    """Give the points that an annotator begins with.

    From scratch: none. Pre-segmented and second reader: the judge's cut of the answer without tags, reasons and
    evidence, and without the points it calls missing, because those would tell its opinion. Pre-tagged: everything.
    """
    if mode == "scratch":
        return ()
    if mode == "tagged":
        return tuple(judged)
    return tuple(
        DataPoint(point.id, point.text, None, start=point.start, end=point.end, quote=point.quote)
        for point in judged
        if point.tag is not Tag.MISSING
    )


def tagged(points: Points, point_id: str, tag: Tag | None) -> Points:
    """Tag one point."""
    return _at(points, point_id, lambda point: [replace(point, tag=tag)])


def reworded(points: Points, point_id: str, lines: Sequence[str]) -> Points:
    """Reword one point, or split it: one point per line. A line that stands in the point's words is placed there.

    Raises
    ------
    SettingsError
        If no line says anything.
    """
    said = [line.strip() for line in lines if line.strip()]
    if not said:
        raise SettingsError("a data point needs words; remove it instead")

    def cut(point: DataPoint) -> list[DataPoint]:
        if len(said) == 1:
            # a missing point stays missing, whatever its words; any other tag was given to other words
            same = said[0] == point.text or point.tag is Tag.MISSING
            return [replace(point, text=said[0], tag=point.tag if same else None)]
        made, start = [], 0
        for number, line in enumerate(said, start=1):
            at = -1 if point.quote is None else point.quote.find(line, start)
            place: tuple[int | None, int | None, str | None] = (None, None, None)
            if at >= 0 and point.start is not None:
                place, start = (point.start + at, point.start + at + len(line), line), at + len(line)
            tag = Tag.MISSING if point.tag is Tag.MISSING else None
            made.append(DataPoint(f"{point.id}.{number}", line, tag, "", *place))
        return made

    return _at(points, point_id, cut)


def joined(points: Points, point_id: str, answer: str) -> Points:
    """Join a point with the one after it: their words in the answer from the first to the last, tagged anew."""
    place = _place(points, point_id)
    if place + 1 >= len(points):
        return points
    one, other = points[place], points[place + 1]
    span: tuple[int | None, int | None, str | None] = (None, None, None)
    text = f"{one.text} {other.text}"
    if one.start is not None and one.end is not None and other.start is not None and other.end is not None:
        start, end = min(one.start, other.start), max(one.end, other.end)
        span = (start, end, answer[start:end])
        text = answer[start:end] if (one.text, other.text) == (one.quote, other.quote) else text
    tag = Tag.MISSING if one.tag is other.tag is Tag.MISSING else None
    both = DataPoint(f"{one.id}+{other.id}", text, tag, "", *span, (*one.evidence, *other.evidence))
    return (*points[:place], both, *points[place + 2 :])


def removed(points: Points, point_id: str) -> Points:
    """Leave one point out."""
    return _at(points, point_id, lambda point: [])


def added(points: Points, text: str, tag: Tag | None, span: tuple[int, int] | None = None) -> Points:
    """Add a point: a missing one at the end, one that stands in the answer where it stands."""
    new = DataPoint(_new_id(points), text.strip(), tag)
    if span is None:
        return (*points, new)
    new = replace(new, text=text, start=span[0], end=span[1], quote=text)
    place = sum(1 for point in points if point.start is not None and point.start <= span[0])
    return (*points[:place], new, *points[place:])


def linked(points: Points, point_id: str, evidence: Evidence) -> Points:
    """Link a passage of the document to a point; the same passage is linked once."""
    return _at(
        points,
        point_id,
        lambda point: [
            point if evidence in point.evidence else replace(point, evidence=(*point.evidence, evidence)),
        ],
    )


def unlinked(points: Points, point_id: str, number: int) -> Points:
    """Take a linked passage away, by its place from 0."""

    def cut(point: DataPoint) -> list[DataPoint]:
        return [replace(point, evidence=point.evidence[:number] + point.evidence[number + 1 :])]

    return _at(points, point_id, cut)


def untagged(points: Iterable[DataPoint]) -> int:
    """Count the points that wait for a tag."""
    return sum(point.tag is None for point in points)


class Anchoring(NamedTuple):
    """How often second readers changed a tag once they saw the judge's.

    ``compared`` points have a tag of the reader before and after and one of the judge; of those, ``disagreed`` differed
    from the judge's before, ``changed`` afterwards have another tag, ``towards`` the judge's.
    """

    answers: int
    compared: int
    disagreed: int
    changed: int
    towards: int


def anchoring(labels: Iterable[Label], judged: Callable[[Label], Sequence[DataPoint]]) -> Anchoring:
    """Count over the finished labels of second readers, by points that kept their id."""
    answers = compared = disagreed = changed = towards = 0
    for label in labels:
        if label.committed is None or label.finished is None:
            continue
        answers += 1
        before = {point.id: point.tag for point in label.committed}
        after = {point.id: point.tag for point in label.points}
        for point in judged(label):
            first, last = before.get(point.id), after.get(point.id)
            if first is None or last is None or point.tag is None:
                continue
            compared += 1
            disagreed += first is not point.tag
            changed += first is not last
            towards += first is not last and last is point.tag
    return Anchoring(answers, compared, disagreed, changed, towards)


def _place(points: Points, point_id: str) -> int:
    for place, point in enumerate(points):
        if point.id == point_id:
            return place
    raise SettingsError(f"data point {point_id} is no longer there; another window changed it")


def _at(points: Points, point_id: str, change: Callable[[DataPoint], Sequence[DataPoint]]) -> Points:
    place = _place(points, point_id)
    return (*points[:place], *change(points[place]), *points[place + 1 :])


def _new_id(points: Points) -> str:
    taken = {point.id for point in points}
    return next(name for name in (f"h{number}" for number in range(1, len(points) + 2)) if name not in taken)
