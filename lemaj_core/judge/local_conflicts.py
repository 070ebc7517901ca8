"""Where a statement says something else than a passage: values, limits, negation, force, parties, opposites.

Both texts are read by the small readers beside this module and compared fact by fact. Two modes: a statement that
repeats most of a passage is compared word by word, so that every changed word counts; a free one is compared only
where both speak of the same verb or the same kind of value. What is merely left out is no conflict.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from lemaj_core.judge.local_clauses import Clause, agent, clause, effect
from lemaj_core.judge.local_facts import Fact, Kind
from lemaj_core.judge.local_opposites import opposite
from lemaj_core.judge.local_parties import EVERYBODY, Parties
from lemaj_core.judge.local_same import days, limits_clash, nearness, same
from lemaj_core.judge.local_words import Force, Word, content, modal

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
    found = _values(beside, parties, label, around, known, document)
    found += _limits(beside)
    found += _force(beside)
    found += _parties(beside, parties)
    found += _opposites(beside)
    return found


def _values(
    beside: Comparison,
    parties: Parties,
    label: str,
    around: tuple[tuple[str, float], ...],
    known: str,
    document: tuple[Fact, ...],
) -> list[Conflict]:
    found = []
    free = list(beside.passage.facts)
    unmatched: list[Fact] = []
    for fact in beside.statement.facts:
        equal = [other for other in free if same(fact, other)]
        if equal and not _better_elsewhere(beside, fact, equal, free):
            # Only a repetition must name each value as often as the passage does.
            if beside.close:
                free.remove(equal[0])
        elif equal or beside.close or not any(same(fact, other) for other in beside.passage.facts):
            unmatched.append(fact)
    asked = clause(known, parties).facts if known else ()
    for fact in unmatched:
        twin = next(
            (own for own in beside.statement.facts if own.start == fact.start and own.value != fact.value), None
        )
        if twin is not None and (other := next((own for own in beside.passage.facts if same(twin, own)), None)):
            # "thirty (15) days": the words agree with the passage, the figures do not, or the other way round.
            found.append(Conflict(fact.kind, fact.text, other.text))
            continue
        if fact.kind is Kind.SECTION and _is_label(fact, label):
            continue
        rivals = [other for other in free if other.kind is fact.kind and _comparable(fact, other)]
        if not beside.close:
            # A value that the statement has too is not what it puts this one in place of.
            rivals = [other for other in rivals if not any(same(own, other) for own in beside.statement.facts)]
            if fact.kind is Kind.COUNT:
                rivals = [other for other in rivals if beside.statement.counted(fact) == beside.passage.counted(other)]
        elsewhere = [
            (text, less, other) for text, less in around for other in clause(text, parties).facts if same(fact, other)
        ]
        if not beside.close:
            if any(same(fact, other) for other in asked):
                continue
            here = max((nearness(beside.statement, fact, beside.passage, rival) for rival in rivals), default=-1.0)
            there = max(
                (
                    nearness(beside.statement, fact, clause(text, parties), other) - _LESS * less
                    for text, less, other in elsewhere
                ),
                default=-1.0,
            )
            if there >= here and elsewhere:
                continue
        if rivals:
            rival = max(rivals, key=lambda other: nearness(beside.statement, fact, beside.passage, other))
            found.append(Conflict(fact.kind, fact.text, rival.text))
        elif not elsewhere and not any(same(fact, other) for other in document):
            if fact.kind in _STRONG or (beside.close and fact.kind is Kind.COUNT):
                found.append(Conflict(fact.kind, fact.text))
    return found


def _better_elsewhere(beside: Comparison, fact: Fact, equal: list[Fact], free: list[Fact]) -> bool:
    """Whether the passage has the value, but of something else, and another value where this one stands."""
    here = max(nearness(beside.statement, fact, beside.passage, other) for other in equal)
    rivals = [
        nearness(beside.statement, fact, beside.passage, other)
        for other in free
        if other.kind is fact.kind
        and other not in equal
        and _comparable(fact, other)
        and not any(same(own, other) for own in beside.statement.facts)
    ]
    return fact.kind in _STRONG and max(rivals, default=0.0) >= here + _CLEARLY


# Being less like the statement counts this many times against a passage that has the value.
_LESS = 3.0
_CLEARLY = 0.34
_STRONG = (Kind.AMOUNT, Kind.PERCENT, Kind.DURATION, Kind.DATE)


def _is_label(fact: Fact, label: str) -> bool:
    number = label.lower().rpartition(" ")[2]
    value = str(fact.value)
    return bool(number) and (number.startswith(value) or value.startswith(number))


def _comparable(left: Fact, right: Fact) -> bool:
    if left.kind is Kind.DURATION:
        shorter, longer = sorted((days(left), days(right)))
        return (left.unit in _CLOCK) == (right.unit in _CLOCK) and longer <= _FARTHEST * shorter
    return left.kind not in (Kind.COUNT, Kind.SECTION) or left.unit == right.unit


# "ten years" is not said in place of "fifteen business days".
_FARTHEST = 40
_CLOCK = ("second", "minute", "hour")


def _limits(beside: Comparison) -> list[Conflict]:
    for fact in beside.statement.facts:
        equal = [other for other in beside.passage.facts if same(fact, other)]
        if equal and all(limits_clash(beside.statement, fact, beside.passage, other) for other in equal):
            return [Conflict("limit", beside.statement.limited(fact), beside.passage.limited(equal[0]))]
    return []


def _force(beside: Comparison) -> list[Conflict]:
    left, right = beside.statement, beside.passage
    # "has been no default" for "has not been in default": a negation that moved is none that changed.
    odd = sum(word.cue for word in left.words) % 2 != sum(right.words[at].cue for at in beside.reach()) % 2
    for one, two in beside.slots():
        mine, its = left.words[slice(*one)], right.words[slice(*two)]
        if (
            any(word.cue for word in mine) != any(word.cue for word in its)
            and odd
            and _only_grammar(mine)
            and _only_grammar(its)
        ):
            return [Conflict("negation", left.span(*one), right.span(*two))]
    for one, two in beside.slots():
        if _only_grammar(left.words[slice(*one)]) and _only_grammar(right.words[slice(*two)]):
            said, held = left.span(*one), right.span(*two)
            kinds = modal(said), modal(held)
            if None not in kinds and kinds[0] is not kinds[1] and not (left.not_at(one[1]) and right.not_at(two[1])):
                return [Conflict("force", said, held)]
    excepted = _EXCEPTION.search(left.text) and _EXCEPTION.search(right.text)
    for index, word in enumerate(left.words):
        if not content(word) or (excepted and not beside.close):
            continue
        twins = [other for other, twin in enumerate(right.words) if twin.stem == word.stem and content(twin)]
        if beside.close:
            twins = [other for mine_at, other in beside.pairs if mine_at == index] or twins
        if twins and all(_clash(left, index, right, other) for other in twins):
            return [Conflict("force", left.phrase(index), right.phrase(twins[0]))]
    if (
        (always := _ALWAYS.search(left.text))
        and (found := _EXCEPTION.search(right.text))
        and not _EXCEPTION.search(left.text)
    ):
        return [Conflict("exception", always.group(), right.text[found.start() : found.start() + 60])]
    return []


_EXCEPTION = re.compile(
    r"\b(?:unless|except(?:ed|ing|ion|ions)?|save (?:that|as|for|where)|only (?:if|where|when|with|after|upon)"
    r"|provided(?:,? however,?)? that|other than|"
    r"(?:does|do|shall|will) not apply|if|where|when|while|until|without)\b",
    re.IGNORECASE,
)
_ALWAYS = re.compile(
    r"\b(?:in (?:all|any|every) (?:case|cases|event|events|circumstances?)|under (?:all|any) circumstances"
    r"|always|without (?:any )?exceptions?|no matter|"
    r"regardless of|irrespective of|whether or not|unconditionally|for any reason|equally)\b",
    re.IGNORECASE,
)


def _only_grammar(words: tuple[Word, ...]) -> bool:
    return all(not content(word) or word.force is not None for word in words)


def _clash(left: Clause, index: int, right: Clause, other: int) -> bool:
    mine, its = effect(left.words[index]), effect(right.words[other])
    if mine is not None and its is not None:
        return mine is not its and (mine, its) != (Force.RIGHT, Force.FREE)
    # Without a modal on both sides only a plain "does not apply" against "applies" is sure.
    one, two = left.denied(index), right.denied(other)
    if mine is None and its is None:
        return (one and _finite(right, other)) or (two and _finite(left, index))
    if mine is None:
        return (one and its in (Force.DUTY, Force.RIGHT)) or (its is Force.BAN and _finite(left, index))
    return (two and mine in (Force.DUTY, Force.RIGHT)) or (mine is Force.BAN and _finite(right, other))


def _finite(text: Clause, index: int) -> bool:
    """Whether a word is surely an affirmed verb: "applies", and no noun or denied verb."""
    word = text.words[index]
    before = text.words[index - 1].text if index else ""
    return (
        word.text.endswith("s") and not word.negated and before not in _NOUN_BEFORE and text.text[word.start].islower()
    )


_NOUN_BEFORE = frozenset(
    "the a an its their his her such any all of for and or no this these other these more two three".split()
)


def _parties(beside: Comparison, parties: Parties) -> list[Conflict]:
    left, right = beside.statement, beside.passage
    if beside.close:
        for one, two in beside.slots():
            mine, its = left.parties_in(*one), right.parties_in(*two)
            if mine and its and not set(mine) & set(its):
                return [Conflict("party", mine[min(mine)], its[min(its)])]
            said, held = left.capitals(*one), right.capitals(*two)
            if said and held and not {word.lower() for word in said} & {word.lower() for word in held}:
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
        return []
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
