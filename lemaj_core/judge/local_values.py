"""Values that do not agree: amounts, periods, dates, percentages, section numbers, and the limits they set.

A value may come from another passage than the one that is most like the statement; which one is meant is decided by
the words around it.
"""

import re

from lemaj_core.judge.local_clauses import clause
from lemaj_core.judge.local_compare import Comparison, Conflict
from lemaj_core.judge.local_facts import Fact, Kind, facts
from lemaj_core.judge.local_parties import Parties
from lemaj_core.judge.local_same import days, limits_clash, nearness, same


def value_conflicts(
    beside: Comparison,
    parties: Parties,
    label: str,
    around: tuple[tuple[str, float], ...],
    known: str,
    document: tuple[Fact, ...],
) -> list[Conflict]:
    """Find the values of a statement that the passage has otherwise, or that the document does not have at all."""
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
    supposed = [fact for fact in facts(known) if _SUPPOSED.search(known[: fact.start])]
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
        if any(same(fact, other) for other in supposed):
            continue
        if not beside.close:
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
    return fact.kind in _MEASURED and max(rivals, default=0.0) >= here + _CLEARLY


# What a question supposes ("what if the rent is 45 days late?") is no claim about the contract.
_SUPPOSED = re.compile(r"\b(?:if|when|where|should|suppose|assuming|after)\b", re.IGNORECASE)
# Being less like the statement counts this many times against a passage that has the value.
_LESS = 3.0
_CLEARLY = 0.34
_MEASURED = (Kind.AMOUNT, Kind.PERCENT, Kind.DURATION)
_STRONG = (*_MEASURED, Kind.DATE)


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


def limit_conflicts(beside: Comparison) -> list[Conflict]:
    """Find a value that is a most in one text and a least in the other."""
    for fact in beside.statement.facts:
        equal = [other for other in beside.passage.facts if same(fact, other)]
        if equal and all(limits_clash(beside.statement, fact, beside.passage, other) for other in equal):
            return [Conflict("limit", beside.statement.limited(fact), beside.passage.limited(equal[0]))]
    return []
