"""Where a statement says something else than a passage: values, limits, negation, force, parties, opposites.

Both texts are read by the small readers beside this module and compared fact by fact. Two modes: a statement that
repeats most of a passage is compared word by word, so that every changed word counts; a free one is compared only
where both speak of the same verb or the same kind of value. What is merely left out is no conflict.
"""

from lemaj_core.judge.local_clauses import agent
from lemaj_core.judge.local_compare import Comparison, Conflict, compare
from lemaj_core.judge.local_facts import Fact
from lemaj_core.judge.local_force import force_conflicts
from lemaj_core.judge.local_opposites import opposite
from lemaj_core.judge.local_parties import EVERYBODY, Parties
from lemaj_core.judge.local_values import limit_conflicts, value_conflicts
from lemaj_core.judge.local_words import Word, content

__all__ = ["Conflict", "conflicts"]


def conflicts(
    statement: str,
    passage: str,
    parties: Parties,
    *,
    label: str = "",
    around: tuple[tuple[str, float], ...] = (),
    known: str = "",
    document: tuple[Fact, ...] = (),
) -> list[Conflict]:
    """Find where a statement contradicts a passage.

    Parameters
    ----------
    statement : str
        One sentence of an answer.
    passage : str
        The sentence of the document that it is held against.
    parties : Parties
        The parties of the document.
    label : str
        The number under which the passage stands, for example "Section 9.2".
    around : tuple of (str, float)
        Other passages that the statement may draw on, for values that the passage itself does not have, each with how
        much less it is like the statement (0: as much as the passage).
    known : str
        The question: what it states itself is not held against the answer.
    document : tuple of Fact
        All facts of the document: a value that stands somewhere in it was not made up.

    Returns
    -------
    list of Conflict
        The plainest first; empty when nothing contradicts.
    """
    beside = compare(statement, passage, parties)
    found = value_conflicts(beside, parties, label, around, known, document)
    found += limit_conflicts(beside)
    found += force_conflicts(beside)
    found += _parties(beside, parties)
    found += _opposites(beside)
    return found


def _parties(beside: Comparison, parties: Parties) -> list[Conflict]:
    left, right = beside.statement, beside.passage
    if beside.close:
        for one, two in beside.slots():
            mine, its = left.parties_in(*one), right.parties_in(*two)
            if mine and its and not set(mine) & set(its):
                return [Conflict("party", mine[min(mine)], its[min(its)])]
            said, held = left.capitals(*one), right.capitals(*two)
            # A name that only moved is none that changed.
            moved = any(word in right.text for word in said) or any(word in left.text for word in held)
            if said and held and (its or not moved):
                return [Conflict("name", " ".join(said), " ".join(held))]
    for index, word in enumerate(left.words):
        if word.force is None:
            continue
        who = agent(left, index)
        twins = [other for other, twin in enumerate(right.words) if twin.stem == word.stem and twin.force is not None]
        whom = [found for other in twins if (found := agent(right, other)) is not None]
        if who is None or not whom or who.party == EVERYBODY:
            continue
        if all(found.party not in (EVERYBODY, who.party) for found in whom):
            return [Conflict("party", who.text, whom[0].text)]
    return []


def _opposites(beside: Comparison) -> list[Conflict]:
    left, right = beside.statement, beside.passage
    if beside.close:
        for one, two in beside.slots():
            for mine in left.words[slice(*one)]:
                for its in right.words[slice(*two)]:
                    if mine.negated == its.negated and opposite(mine.text, its.text, strict=False):
                        return [Conflict("opposite", mine.text, its.text)]
    here, there = {word.text for word in left.words}, {word.text for word in right.words}
    for index, mine in enumerate(left.words):
        if mine.text in there:
            continue
        for other, its in enumerate(right.words):
            if (
                its.text not in here
                and mine.negated == its.negated
                and opposite(mine.text, its.text)
                and _neighbours(left.words, index, right.words, other)
            ):
                return [Conflict("opposite", mine.text, its.text)]
    return []


_BESIDE = 12


def _neighbours(left: tuple[Word, ...], index: int, right: tuple[Word, ...], other: int) -> bool:
    """Whether both words stand beside a content word that the other text has there too."""
    mine = {word.stem for word in left[max(0, index - _BESIDE) : index + _BESIDE + 1] if content(word)} - {
        left[index].stem
    }
    its = {word.stem for word in right[max(0, other - _BESIDE) : other + _BESIDE + 1] if content(word)} - {
        right[other].stem
    }
    return bool(mine & its)
