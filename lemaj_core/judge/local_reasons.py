"""Conflicts in words that a lawyer reads: what the answer says and what the contract says instead."""

from lemaj_core.judge.local_conflicts import Conflict
from lemaj_core.judge.local_passages import Unit

_LONGEST = 90


def contradiction(conflicts: tuple[Conflict, ...], unit: Unit | None, where: str = "the document") -> str:
    """Say what contradicts, at most two conflicts.

    Examples
    --------
    >>> contradiction((Conflict("period", "60 days", "thirty (30) days"),), None)
    'the answer says "60 days"; the document says "thirty (30) days"'
    """
    place = unit.label if unit is not None and unit.label and where == "the document" else where
    return "; ".join(_one(conflict, place, where) for conflict in conflicts[:2])


def _one(conflict: Conflict, place: str, where: str) -> str:
    said = _short(conflict.said)
    if conflict.kind == "date" and not conflict.found:
        return f'the answer says "{said}"; {where} has no such date'
    if not conflict.found:
        return f'the answer says "{said}"; {where} names no such {conflict.kind}'
    return f'the answer says "{said}"; {place} says "{_short(conflict.found)}"'


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "\u2026"
