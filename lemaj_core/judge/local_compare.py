"""A statement laid beside a passage: which words both have in the same order, and what stands where they differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from lemaj_core.judge.local_clauses import Clause, clause
from lemaj_core.judge.local_parties import Parties
from lemaj_core.judge.local_words import content

CLOSE = 0.7
"""Share of the statement's content words that stand in the passage in order, from which it counts as a repetition."""

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
    changes: tuple[tuple[str, int, int, int, int], ...]
    overlap: float

    @property
    def close(self) -> bool:
        """Whether the statement repeats the passage."""
        return self.overlap >= CLOSE

    def reach(self) -> range:
        """Give the words of the passage from the first to the last that the statement repeats."""
        return range(self.pairs[0][1], self.pairs[-1][1] + 1) if self.pairs else range(0)

    def slots(self) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Yield the small changes between equal words: where one text has other words than the other."""
        for _, i1, i2, j1, j2 in self.changes if self.close else ():
            if i2 - i1 <= SLOT and j2 - j1 <= SLOT:
                yield (i1, i2), (j1, j2)


def compare(statement: str, passage: str, parties: Parties) -> Comparison:
    """Lay a statement beside a passage."""
    left, right = clause(statement, parties), clause(passage, parties)
    matcher = SequenceMatcher(None, left.keys, right.keys, autojunk=False)
    pairs = [(block.a + step, block.b + step) for block in matcher.get_matching_blocks() for step in range(block.size)]
    total = sum(content(word) for word in left.words)
    shared = sum(content(left.words[index]) for index, _ in pairs)
    changes = tuple(change for change in matcher.get_opcodes() if change[0] != "equal")
    return Comparison(left, right, tuple(pairs), changes, shared / total if total else 0.0)
