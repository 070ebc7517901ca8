"""Flesch Reading Ease and Flesch-Kincaid Grade Level of an answer, counted as a lawyer would count.

textstat counts words and syllables; sentences come from ``lemaj_core.text.sentences``, because a splitter that stops
at every full stop makes four sentences of a citation and moves six grades with the full stops of a list. Works
offline. It says nothing of texts that are short or not English: those are undefined, with the reason.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lemaj_core.text import sentences as splitter
from lemaj_core.types import RunSettings, Score

LEAST_WORDS = 30
LONGEST = 3  # sentences that are kept to be shown
FRE_BANDS = (
    (90.0, "very easy"),
    (80.0, "easy"),
    (70.0, "fairly easy"),
    (60.0, "plain English"),
    (50.0, "fairly difficult"),
    (30.0, "difficult (college)"),
)
FKGL_BANDS = ((5.0, "elementary school"), (9.0, "middle school"), (12.0, "high school"), (16.0, "undergraduate"))

# Enumerators and section numbers are read past, not read as words: "1.", "(a)", "12.3.1(b)(iv)", bullets, [2].
_ENUMERATOR = re.compile(
    r"^\s*(?:[-*\u2022\u2013\u25e6]|\(?(?:\d{1,3}|[a-z]|[ivxlc]{1,5})[.)])\s+", re.MULTILINE | re.IGNORECASE
)
_SECTION = re.compile(
    r"(?<![\w.])\d+(?:\.\d+)*(?:\([a-z0-9]{1,5}\))*(?![\w%])|\[\d{1,3}\]|\([a-z0-9]{1,4}\)", re.IGNORECASE
)
_WORD = re.compile(r"\w", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Readability:
    """Both scores, the counts that they come from, and the band of each (None where undefined)."""

    fre: Score
    fkgl: Score
    sentences: int
    words: int
    syllables: int
    fre_band: str | None
    fkgl_band: str | None


def readability(text: str) -> Readability:
    """FRE = 206.835 - 1.015 W/S - 84.6 Y/W and FKGL = .39 W/S + 11.8 Y/W - 15.59.

    Parameters
    ----------
    text : str
        An answer, any length. W, S, Y are its words, sentences (list items count as one each) and syllables;
        enumerators and section numbers are not words.

    Returns
    -------
    Readability
        FRE is unbounded, in practice -50 to 120, higher is easier; FKGL is a US school grade, in practice 0 to 30.
        Undefined under 30 words and for texts that are not English; the counts are given all the same.

    References
    ----------
    Flesch 1948; Kincaid et al. 1975; SCORE, B.3. The 30 words are ours.

    Examples
    --------
    >>> readability("The tenant pays rent.").fre.reason
    'too short: 4 words, at least 30 are needed'
    """
    import textstat

    spans = splitter.split(text)
    cleaned = [_SECTION.sub(" ", _ENUMERATOR.sub("", text[start:end])) for start, end in spans]
    worded = [part for part in cleaned if _WORD.search(part)]
    plain = "\n".join(worded)
    words, found = textstat.lexicon_count(plain), len(worded)
    syllables = textstat.syllable_count(plain)
    reason = _why_not(plain, words)
    if reason:
        nothing = Score.undefined(reason)
        return Readability(nothing, nothing, found, words, syllables, None, None)
    fre, fkgl = _formulas(words, found, syllables)
    return Readability(Score(fre), Score(fkgl), found, words, syllables, fre_band(fre), fkgl_band(fkgl))


def counted(text: str) -> dict[str, Any]:
    """Give what a text is made of, as JSON: counts, both scores or the reason they do not exist, longest sentences."""
    found = readability(text)
    longest = sorted(splitter.split(text), key=lambda span: -len(text[span[0] : span[1]].split()))[:LONGEST]
    return {
        "sentences": found.sentences,
        "words": found.words,
        "syllables": found.syllables,
        "reason": found.fre.reason,
        "longest": [[start, end] for start, end in longest],
    }


def scores(detail: Mapping[str, Any], settings: RunSettings) -> dict[str, Score]:
    """Compute both scores from the counts that :func:`counted` gave."""
    if detail.get("reason"):
        return {key: Score.undefined(str(detail["reason"])) for key in ("fre", "fkgl")}
    fre, fkgl = _formulas(int(detail["words"]), int(detail["sentences"]), int(detail["syllables"]))
    return {"fre": Score(fre), "fkgl": Score(fkgl)}


def _formulas(words: int, sentences: int, syllables: int) -> tuple[float, float]:
    length, weight = words / sentences, syllables / words
    return 206.835 - 1.015 * length - 84.6 * weight, 0.39 * length + 11.8 * weight - 15.59


def _why_not(text: str, words: int) -> str | None:
    """Why the formulas would mean nothing for this text."""
    if words < LEAST_WORDS:
        return f"too short: {words} words, at least {LEAST_WORDS} are needed"
    import py3langid

    language, _ = py3langid.classify(text)
    return None if language == "en" else f"not English (looks like {language!r})"


def fre_band(value: float) -> str:
    """Name the band of a Flesch Reading Ease, as in SCORE's appendix."""
    return next((name for least, name in FRE_BANDS if value >= least), "very difficult")


def fkgl_band(value: float) -> str:
    """Name the school level of a Flesch-Kincaid grade."""
    return next((name for below, name in FKGL_BANDS if value < below), "graduate")
