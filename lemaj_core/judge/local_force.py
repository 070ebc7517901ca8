"""Negation, legal force and exceptions that do not agree: "shall" for "shall not", "always" for "unless"."""

import re

from lemaj_core.judge.local_clauses import Clause, effect
from lemaj_core.judge.local_compare import Comparison, Conflict
from lemaj_core.judge.local_modals import Force, modal
from lemaj_core.judge.local_words import Word, content


def force_conflicts(beside: Comparison) -> list[Conflict]:
    """Find a negation, a force or an exception that one text has and the other has not."""
    left, right = beside.statement, beside.passage
    if (found := _in_slots(beside)) is not None:
        return [found]
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
        and (exception := _EXCEPTION.search(right.text))
        and not _EXCEPTION.search(left.text)
    ):
        return [Conflict("exception", always.group(), right.text[exception.start() : exception.start() + 60])]
    return []


def _in_slots(beside: Comparison) -> Conflict | None:
    """Compare what stands in the same place of two texts that are otherwise the same."""
    left, right = beside.statement, beside.passage
    slots = list(beside.slots())
    # "has been no default" for "has not been in default": a negation that moved is none that changed.
    odd = sum(_cues(left, one) - _cues(right, two) for one, two in slots) % 2 == 1
    for one, two in slots:
        grammar = _only_grammar(left.words[slice(*one)]) and _only_grammar(right.words[slice(*two)])
        if grammar and odd and bool(_cues(left, one)) != bool(_cues(right, two)):
            return Conflict("negation", left.span(*one), right.span(*two))
    for one, two in slots:
        if _only_grammar(left.words[slice(*one)]) and _only_grammar(right.words[slice(*two)]):
            said, held = left.span(*one), right.span(*two)
            kinds = modal(said), modal(held)
            if None not in kinds and kinds[0] is not kinds[1] and not (left.not_at(one[1]) and right.not_at(two[1])):
                return Conflict("force", said, held)
        # Another verb in the same place: "must not end" for "shall terminate".
        mine = [at for at in range(*one) if left.words[at].force is not None]
        its = [at for at in range(*two) if right.words[at].force is not None]
        if len(mine) == len(its) == 1 and _differ(left, mine[0], right, its[0]):
            return Conflict("force", left.phrase(mine[0]), right.phrase(its[0]))
    return None


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


def _cues(text: Clause, span: tuple[int, int]) -> int:
    return sum(word.cue for word in text.words[slice(*span)])


def _only_grammar(words: tuple[Word, ...]) -> bool:
    return all(not content(word) or word.force is not None or word.text in _GRANTING for word in words)


_GRANTING = frozenset("required obliged obligated bound entitled permitted allowed need".split())


def _differ(left: Clause, index: int, right: Clause, other: int) -> bool:
    mine, its = effect(left.words[index]), effect(right.words[other])
    return mine is not its and (mine, its) != (Force.RIGHT, Force.FREE)


def _clash(left: Clause, index: int, right: Clause, other: int) -> bool:
    mine, its = effect(left.words[index]), effect(right.words[other])
    if mine is not None and its is not None:
        return _differ(left, index, right, other)
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
