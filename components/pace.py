"""How fast a run goes and how long it still takes. Pure; the page brings the looks it took at the store."""

from collections.abc import Sequence
from typing import NamedTuple

WINDOW = 30.0
"""Seconds that the rate looks back: long enough to be calm, short enough to notice that a provider slows down."""


class Pace(NamedTuple):
    """Answers per second and seconds left; None where nothing can be said yet."""

    rate: float | None
    left: float | None


def remember(looks: Sequence[tuple[float, int]], now: float, done: int) -> list[tuple[float, int]]:
    """Return the looks of the last `WINDOW` seconds and the newest one before them, with this one added.

    A count that went down (failed answers were made due again) starts afresh.
    """
    if looks and done < looks[-1][1]:
        looks = []
    recent = [look for look in looks if now - look[0] <= WINDOW]
    older = [look for look in looks if now - look[0] > WINDOW]
    return [*older[-1:], *recent, (now, done)]


def pace(looks: Sequence[tuple[float, int]], total: int) -> Pace:
    """Answers per second between the first and the last look, and the time that the rest takes at that rate."""
    if len(looks) < 2:
        return Pace(None, None)
    (began, before), (now, done) = looks[0], looks[-1]
    if now <= began or done <= before:
        return Pace(None, None)
    rate = (done - before) / (now - began)
    return Pace(rate, max(0, total - done) / rate)
