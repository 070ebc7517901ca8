"""A statement laid beside a passage: which words both have in the same order, and what stands where they differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from lemaj_core.judge.local_clauses import Clause, clause
from lemaj_core.judge.local_parties import Parties
from lemaj_core.judge.local_words import content

CLOSE = 0.7
"""Share of the statement's content words that stand in the passage in order, from which it counts as a repetition."""

Change = tuple[str, int, int, int, int]

_MOVED = 4
# Share of a part's words that must stand in the other text for it to count as moved.
_ALIKE = 0.6

SLOT = 5
"""Most words of a change that is still one word for another, not another sentence."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """One contradiction: what the statement says and what the passage says instead ("" if it says nothing)."""

    kind: str
    said: str
    found: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A statement beside a passage, with the words that both have in the same order."""

    statement: Clause
    passage: Clause
    pairs: tuple[tuple[int, int], ...]
    changes: tuple[Change, ...]
    overlap: float

    @property
    def close(self) -> bool:
        """Whether the statement repeats the passage."""
        return self.overlap >= CLOSE

    def slots(self) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Yield the small changes between equal words: where one text has other words than the other."""
        for _, i1, i2, j1, j2 in self.changes if self.close else ():
            if i2 - i1 <= SLOT and j2 - j1 <= SLOT:
                yield (i1, i2), (j1, j2)


def compare(statement: str, passage: str, parties: Parties) -> Comparison:
    """Lay a statement beside a passage."""
    left, right = clause(statement, parties), clause(passage, parties)
    pairs, changes = _aligned(left.keys, right.keys)
    total = sum(content(word) for word in left.words)
    shared = sum(content(left.words[index]) for index, _ in pairs)
    return Comparison(left, right, tuple(pairs), tuple(changes), shared / total if total else 0.0)


def _aligned(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[list[tuple[int, int]], list[Change]]:
    """Pair equal words in order; a part that only moved is paired within itself."""
    pairs, changes = _matched(left, right, 0, 0)
    for here in [change for change in changes if change[2] - change[1] >= _MOVED]:
        for there in [change for change in changes if change[4] - change[3] >= _MOVED and change is not here]:
            moved, inside = _matched(left[here[1] : here[2]], right[there[3] : there[4]], here[1], there[3])
            if len(moved) >= _MOVED and len(moved) >= _ALIKE * (here[2] - here[1]):
                pairs += moved
                changes += inside
                break
    return sorted(pairs), changes


def _matched(
    left: tuple[str, ...], right: tuple[str, ...], first: int, second: int
) -> tuple[list[tuple[int, int]], list[Change]]:
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    pairs = [
        (first + block.a + step, second + block.b + step)
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]
    changes = [
        (str(kind), first + i1, first + i2, second + j1, second + j2)
        for kind, i1, i2, j1, j2 in matcher.get_opcodes()
        if kind != "equal"
    ]
    return pairs, changes
