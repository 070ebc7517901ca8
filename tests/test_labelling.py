"""What can be done to data points, point by point; and how far a second reader moved."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lemaj_core.analysis.labelling import (
    added,
    anchoring,
    joined,
    laid,
    linked,
    removed,
    reworded,
    tagged,
    unlinked,
    untagged,
)
from lemaj_core.errors import SettingsError
from lemaj_core.store import Label
from lemaj_core.types import DataPoint, Evidence, Tag

ANSWER = "Rent is due, rent is high. It is blue."
EVIDENCE = Evidence("x", "d", 1, 2)
FIRST = DataPoint("p1", ANSWER[:26], Tag.CORRECT, "why", 0, 26, ANSWER[:26], (EVIDENCE,), 0.9)
SECOND = DataPoint("p2", ANSWER[27:], Tag.INCORRECT, "why", 27, 38, ANSWER[27:])
LOST = DataPoint("p3", "The notice is 30 days.", Tag.MISSING, "left out")
ALL = (FIRST, SECOND, LOST)


def test_every_mode_lays_its_own_points():
    assert laid(ALL, "scratch") == ()
    assert laid(ALL, "tagged") == ALL
    for mode in ("segmented", "second"):
        points = laid(ALL, mode)
        assert [point.id for point in points] == ["p1", "p2"]
        assert {(point.tag, point.reason, point.evidence, point.confidence) for point in points} == {
            (None, "", (), None)
        }
        assert [ANSWER[point.start : point.end] for point in points] == [point.quote for point in points]


def test_tags_touch_one_point_only():
    assert tagged(ALL, "p2", Tag.CORRECT) == (FIRST, replace(SECOND, tag=Tag.CORRECT), LOST)
    assert untagged(tagged(ALL, "p2", None)) == 1
    with pytest.raises(SettingsError, match="p9"):
        tagged(ALL, "p9", Tag.CORRECT)


def test_a_split_finds_each_line_after_the_one_before_and_takes_the_tag_away():
    points = reworded(ALL, "p1", ["Rent is due,", " ", "rent is high.", "Rent is due,"])
    assert [(point.id, point.start, point.end, point.tag) for point in points[:3]] == [
        ("p1.1", 0, 12, None),
        ("p1.2", 13, 26, None),
        ("p1.3", None, None, None),  # these words do not stand there once more
    ]
    assert points[3:] == (SECOND, LOST)
    with pytest.raises(SettingsError, match="words"):
        reworded(ALL, "p1", [" "])


def test_new_words_lose_their_tag_but_a_missing_point_stays_missing():
    assert reworded(ALL, "p1", [FIRST.text]) == ALL
    assert reworded(ALL, "p1", ["Rent is low."])[0] == replace(FIRST, text="Rent is low.", tag=None)
    assert reworded(ALL, "p3", ["Notice: 60 days."])[2].tag is Tag.MISSING


def test_joining_covers_both_and_the_last_point_has_no_next():
    both = joined(ALL, "p1", ANSWER)[0]
    assert (both.text, both.start, both.end, both.quote, both.tag) == (ANSWER, 0, 38, ANSWER, None)
    assert both.evidence == (EVIDENCE,)
    assert joined(ALL, "p2", ANSWER)[1].start is None  # a missing point stands nowhere
    assert joined(ALL, "p3", ANSWER) == ALL


def test_added_points_stand_where_their_words_stand_and_have_ids_of_their_own():
    points = added((FIRST, LOST), "It is", None, (27, 32))
    assert [point.id for point in points] == ["p1", "h1", "p3"]
    assert ANSWER[points[1].start : points[1].end] == points[1].quote == "It is"
    again = added(points, "More", Tag.MISSING)
    assert (again[-1].id, again[-1].tag) == ("h2", Tag.MISSING)
    assert removed(again, "h1")[1] == LOST
    assert added(removed(again, "h1"), "Again", Tag.MISSING)[-1].id == "h1"


def test_evidence_is_linked_once_and_taken_away_by_place():
    other = Evidence("y", "d", 4, 5)
    points = linked(linked(ALL, "p1", other), "p1", other)
    assert points[0].evidence == (EVIDENCE, other)
    assert unlinked(points, "p1", 0)[0].evidence == (other,)


def test_anchoring_counts_by_hand():
    now = datetime(2026, 1, 1, tzinfo=UTC)

    def label(before, after, **more):
        first, last = (
            tuple(replace(point, tag=tag) for point, tag in zip(ALL, tags, strict=False)) for tags in (before, after)
        )
        return Label("a", "x", "second", last, committed=first, **{"finished": now, **more})

    c, i, r = Tag.CORRECT, Tag.INCORRECT, Tag.IRRELEVANT
    labels = [
        label([i, i], [c, i]),  # the judge says c, i: one differed, one changed, to the judge's
        label([c, c], [c, r]),  # one differed, one changed, elsewhere
        label([i, i], [c, c], finished=None),  # not finished: does not count
        replace(label([i, i], [c, c]), committed=None),  # never committed: does not count
    ]
    # the judge's third point is in nobody's list; answers 2, compared 4, disagreed 2, changed 2, towards 1
    assert anchoring(labels, lambda one: ALL) == (2, 4, 2, 2, 1)
    assert anchoring([], lambda one: ALL) == (0, 0, 0, 0, 0)
