"""The legal force of verbs: duties, permissions and their absence, by the words that mark them.

Reads small letters only; negation is applied by :mod:`lemaj_core.judge.local_words`.
"""

import re
from enum import StrEnum


class Force(StrEnum):
    """What a clause does to its verb; the words are used in reasons."""

    DUTY = "an obligation"
    RIGHT = "a permission"
    BAN = "a prohibition"
    FREE = "no obligation"


_RIGHTS = (
    r"(?:the |a |any |sole |exclusive |absolute |full )*(?:right|option|power|discretion|ability|authority|liberty)"
)
_BE = r"(?:is|are|be|was|were|remains?|being)"
_FREE = re.compile(
    rf"\b(?:need not|needn't|(?:{_BE}|shall|will|may|can|does|do)(?: be)? not (?:be )?(?:required|obliged"
    rf"|obligated|bound|compelled|necessary)(?: for \w+)? to"
    rf"|(?:does|do|did|shall|will) not (?:have|need) to|(?:has|have|had|{_BE}) (?:under )?no (?:obligation|duty"
    rf"|requirement)(?: whatsoever)? to"
    rf"|not (?:be )?(?:required|obliged|obligated) to|without (?:any )?(?:obligation|duty) to)\b"
)
_DUTY = re.compile(
    rf"\b(?:hereby|shall(?: be(?: required| obliged| obligated| bound) to)?|must|will(?: be (?:required|obliged) to)?"
    rf"|{_BE} (?:required|obliged|obligated|bound|liable|expected) to"
    rf"|(?:agree|undertake|covenant|promise|need|commit)s? to|(?:has|have|had) to|has (?:an|the) (?:obligation"
    rf"|duty) to|(?:is|are) to(?= be\b))(?= |$)"
)
_ASKED = re.compile(rf"\b{_BE} (?:required|obliged|obligated|bound|liable|expected) to\b|\b(?:needs?|ha(?:s|ve)) to\b")
_RIGHT = re.compile(
    rf"\b(?:may|can|(?:shall be |will be |{_BE} )?(?:entitled|permitted|allowed|free|authori[sz]ed|able"
    rf"|at liberty|eligible) to"
    rf"|(?:shall |will )?(?:has|have|had|reserves?|retains?|gives?|grants?"
    rf"|enjoys?) (?:\w+ ){{0,2}}?{_RIGHTS} (?:to|of)|at (?:its|his|her|their|the) (?:sole )?(?:option|discretion))\b"
)


def modal(text: str) -> Force | None:
    """Give the force that a few words carry, if they carry exactly one: "may", "is not required to"."""
    low = text.lower()
    found = [
        force
        for pattern, force in ((_FREE, Force.FREE), (_RIGHT, Force.RIGHT), (_DUTY, Force.DUTY))
        if pattern.search(low)
    ]
    return found[0] if found and (len(found) == 1 or found[0] is Force.FREE) else None


def asked(low: str) -> set[int]:
    """Give the verbs (their first offset) of "is required to": negated, they are free and not forbidden."""
    return {verb for match in _ASKED.finditer(low) if (verb := _verb_after(low, match.end())) is not None}


def forces(low: str, neutral: list[tuple[int, int]]) -> list[tuple[int, Force]]:
    """Give the verbs that a modal governs (their first offset) with its force, before negation is applied."""
    found: list[tuple[int, Force]] = []
    taken: list[tuple[int, int]] = []
    for pattern, force in ((_FREE, Force.FREE), (_RIGHT, Force.RIGHT), (_DUTY, Force.DUTY)):
        for match in pattern.finditer(low):
            clash = any(match.start() < end and match.end() > start for start, end in taken)
            if clash or any(start <= match.start() < end for start, end in neutral):
                continue
            taken.append(match.span())
            verb = _verb_after(low, match.end())
            if verb is not None:
                found.append((verb, force))
    return found


_BETWEEN = re.compile(
    r"\s*(?:,[^,.;]{1,80},|\b(?:not|never|only|also|then|be|been|have|immediately|at any time|at all times"
    r"|without (?:undue |any )?delay|at once"
    r"|in good faith|from time to time|in writing|thereafter|hereby|further|either|both|to|\w+ly)\b)"
)
_VERB = re.compile(r"\s*([a-z][a-z'-]*)")


def _verb_after(low: str, at: int) -> int | None:
    while match := _BETWEEN.match(low, at):
        at = match.end()
    verb = _VERB.match(low, at)
    return verb.start(1) if verb else None
