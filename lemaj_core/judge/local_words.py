"""Words of a clause with what governs them: negation and the legal force of their verb.

A light reading by cue words and their reach, without a parser. "shall not disclose", "is prohibited from disclosing"
and "no party may disclose" all forbid; "not more than", "including but not limited to" and "whether or not" negate
nothing. It finds what is written, never what is meant.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from lemaj_core.judge.local_modals import Force, asked, forces


@dataclass(frozen=True, slots=True)
class Word:
    """One word; ``bound`` is "<=", ">=", "<" or ">" for the words of a limit, which negation does not reach."""

    text: str
    stem: str
    start: int
    end: int
    negated: bool = False
    force: Force | None = None
    bound: str = ""
    cue: bool = False


_TOKEN = re.compile(r"\d[\d,.:/]*\d|\d|[^\W\d_]+(?:['\u2019\-][^\W\d_]+)*|[.;:,()]")
_STOP = frozenset(
    "a an the of to in on at by for with from as and or that this these those it its their his her such be is"
    " are was were been "
    "being has have had do does did will shall may must can could would should not no any all each every other"
    " into under upon "
    "than then there which who whom whose if when while so also only both either neither nor but more most less"
    " least up "
    "he she they them we us our you your i my me what how where within per via about between among through"
    " during before after "
    "until unless except provided however therefore hereby herein hereof thereof thereto hereunder".split()
)
_NEUTRAL = re.compile(
    r"whether or not|not only|(?:but )?(?:is |are )?not (?:be )?limited to|without limit(?:ation|ing)"
    r"|without prejudice|if not|or not\b|no\.(?=\s*\d)"
    r"|not applicable|no doubt|without (?:undue |any )?delay"
    r"|nothing (?:in|contained in) th(?:is|e) \w+ (?=(?:limits|affects|excludes))"
    r"|not (?:just|merely|simply)\b"
    r"|why not|needless|not(?=[^.;,]{0,40}\bbut\b)"
)
_LIMITS = (
    (
        "<=",
        r"(?:shall |may |must |will |does |do |can)?\s?not (?:to )?(?:exceed|surpass|go beyond)|not exceeding"
        r"|(?:no|not) (?:be )?(?:more|later|longer|greater|higher|further) than"
        r"|no (?:more|later|longer|greater|higher) than|at most|up to|maximum of|in no event (?:exceed"
        r"|more than)|at the latest|(?:limited|capped|restricted) (?:to|at)",
    ),
    (
        ">=",
        r"(?:shall |may |must |will |can)?\s?not be (?:less|fewer|lower|earlier|shorter) than|(?:no"
        r"|not) (?:less|fewer|earlier|sooner|lower|shorter) than|at least|minimum of|no fewer than",
    ),
    (
        ">",
        r"(?:more|greater|higher|longer|later) than|in excess of|exceed(?:s|ed|ing)?"
        r"|\bover(?= [\d$\u20ac\u00a3])|beyond",
    ),
    ("<", r"(?:less|fewer|lower|shorter|earlier) than|below"),
)
_LIMIT = re.compile("|".join(rf"(?P<L{index}>\b(?:{pattern})\b)" for index, (_, pattern) in enumerate(_LIMITS)))
_TURNED = {">": "<=", "<": ">="}
_LEXICAL = re.compile(
    r"\b(?:prohibit(?:s|ed)?|forbid(?:s|den)?|barred|bars|preclud(?:es?|ed)|prevent(?:s|ed)?|restrained"
    r"|refrains?|fail(?:s|ed|ing|ure)?|refus(?:es?|ed|al)"
    r"|unable|den(?:y|ies|ied)|declin(?:es?|ed)|lacks?|ceas(?:es?|ed)|disclaims?|excluded|exempt(?:ed)?"
    r"|impermissible|ineligible|instead of|rather than|free from)\b"
)
_GRAMMAR = re.compile(r"\b(?:not|no|never|neither|nor|none|nothing|nobody|cannot|without|\w+n['\u2019]t)\b")
_SUBORDINATE = frozenset(
    (
        "that but except unless provided if when because until which who where while save however whereas although "
        "though"
    ).split()
)
_MODALS = frozenset("shall may must will can cannot".split())
_NEW_CLAUSE = re.compile(
    r"\s*(?:(?:and|so|then|it|they)\s|(?:[\w'-]+\s+){1,5}(?:shall|may|must|will|can|agrees|is|are)\b)"
)
_REACH, _REACH_WITHOUT = 9, 6


_ENDINGS = ("ions", "ion", "ments", "ment", "ing", "ies", "ied", "ed", "es", "s", "y", "e")


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Cut the endings of a word that grammar adds.

    Examples
    --------
    >>> [stem(word) for word in ("Parties", "terminates", "terminated", "termination")]
    ['part', 'termin', 'termin', 'termin']
    """
    word = word.lower().replace("\u2019", "'").removesuffix("'s").removesuffix("'")
    for ending in _ENDINGS:
        rest = word.removesuffix(ending)
        if rest == word or len(rest) < (4 if len(ending) > 2 and ending[-1] in "nst" else 3) or word.endswith("ss"):
            continue
        doubled = ending in ("ing", "ed") and len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "sl"
        word = rest[:-1] if doubled else rest
        break
    # "terminate" and "termination", "oblige" and "obligation" meet here.
    return word.removesuffix("at") if len(word) > 6 else word


def content(word: Word) -> bool:
    """Whether a word carries content: no function word, no punctuation, no part of a limit."""
    return word.text[0].isalnum() and word.text not in _STOP and not word.cue and not word.bound


@lru_cache(maxsize=4096)
def read(text: str) -> tuple[Word, ...]:
    """Read a clause: its words with negation, force and limits."""
    low = text.lower().replace("\u2019", "'") if len(text.lower()) == len(text) else text
    spans = [match.span() for match in _TOKEN.finditer(low)]
    neutral = [match.span() for match in _NEUTRAL.finditer(low)]
    limits = [limit for limit in _limits(low) if not _inside(limit[0], neutral)]
    governed = forces(low, neutral)
    requested = asked(low)
    cues = [m for m in _GRAMMAR.finditer(low) if not _inside(m.start(), neutral) and not _in_limit(m.start(), limits)]
    lexical = [m for m in _LEXICAL.finditer(low) if not _inside(m.start(), neutral)]
    grammar_reach = _reached(low, spans, [(m.start(), m.group()) for m in cues])
    lexical_reach = _reached(low, spans, [(m.start(), "") for m in lexical])
    _turn(limits, grammar_reach, spans)
    turned = _covered_by_turned(limits, spans)
    words = []
    for index, (start, end) in enumerate(spans):
        bound = next((sign for left, right, sign, _ in limits if left <= start < right), "")
        negated = ((index in grammar_reach) != (index in lexical_reach)) and index not in turned
        cue = index not in turned and any(m.start() <= start < m.end() for m in (*cues, *lexical))
        force = next((kind for at, kind in governed if at == start), None)
        if force in (Force.DUTY, Force.RIGHT) and index in turned:
            negated = False
        if negated and force is Force.DUTY and start in requested:
            # "neither party is required to purge" forbids nothing.
            negated, force = False, Force.FREE
        word = low[start:end]
        denied = negated and not bound and force is not Force.FREE
        words.append(Word(word, stem(word), start, end, denied, force, bound, cue))
    return tuple(words)


def _inside(at: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in spans)


def _limits(low: str) -> list[tuple[int, int, str, bool]]:
    return [
        (match.start(), match.end(), next(_LIMITS[index][0] for index in range(4) if match[f"L{index}"]), False)
        for match in _LIMIT.finditer(low)
    ]


def _in_limit(at: int, limits: list[tuple[int, int, str, bool]]) -> bool:
    return any(start <= at < end for start, end, *_ in limits)


def _turn(limits: list[tuple[int, int, str, bool]], reach: dict[int, int], spans: list[tuple[int, int]]) -> None:
    """Read "may not increase by more than 5 %" as "may increase by at most 5 %"."""
    for number, (start, end, sign, _) in enumerate(limits):
        first = next((index for index, span in enumerate(spans) if span[0] >= start), None)
        if first is not None and first in reach and sign in _TURNED:
            limits[number] = (start, end, _TURNED[sign], True)


def _covered_by_turned(limits: list[tuple[int, int, str, bool]], spans: list[tuple[int, int]]) -> set[int]:
    covered: set[int] = set()
    for start, _end, _sign, turned in limits:
        if turned:
            at = next(index for index, span in enumerate(spans) if span[0] >= start)
            covered.update(range(max(0, at - _REACH), min(len(spans), at + _REACH)))
    return covered


def _reached(low: str, spans: list[tuple[int, int]], cues: list[tuple[int, str]]) -> dict[int, int]:
    """Give the words that negation cues reach, with the index of the cue."""
    reached: dict[int, int] = {}
    for at, cue in cues:
        first = next((index for index, span in enumerate(spans) if span[0] >= at), len(spans))
        limit = _REACH_WITHOUT if cue == "without" else _REACH
        subject = cue in ("no", "neither", "none", "nothing", "nobody", "nor")
        count = 0
        for index in range(_after_aside(low, spans, first + 1), len(spans)):
            word = low[slice(*spans[index])]
            if word in ".;:(" or word in _SUBORDINATE or (word == "," and cue == "without") or count >= limit:
                break
            if word == "," and _NEW_CLAUSE.match(low, spans[index][1]):
                break
            if word in _MODALS:
                if not subject or low[slice(*spans[index - 1])] in ("and", "or", "but", "nor"):
                    break
                subject, count = False, 0
            if word[0].isalnum() and word not in _STOP:
                count += 1
            reached.setdefault(index, first)
    return reached


def _after_aside(low: str, spans: list[tuple[int, int]], first: int) -> int:
    """Step over an aside: "shall not, except as required by law, be disclosed"."""
    if first < len(spans) and low[spans[first][0]] == ",":
        for index in range(first + 1, min(len(spans), first + 25)):
            if low[spans[index][0]] == ",":
                return index + 1
    return first
