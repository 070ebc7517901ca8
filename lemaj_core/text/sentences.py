"""Sentences and list items of answers and contracts, as spans.

nupunkt decides at full stops (its model was trained on legal text and is in the package), `lemaj_core.text.lines` at
line ends; this module joins the two and repairs what both get wrong: enumerators left alone, footnote marks at the
head of the next sentence, section numbers. It does not look inside a sentence.
"""

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from lemaj_core.text.lines import is_bare_enumerator, paragraph_ends

if TYPE_CHECKING:
    from nupunkt import PunktSentenceTokenizer

# What nupunkt's 5,900 abbreviations lack.
_ABBREVIATIONS = [
    *("arts", "cls", "f.2d", "f.3d", "f.4th", "paras", "subpara", "exh", "exhs", "sched", "approx", "s.a.r.l"),
    *("w.r.t", "a.k.a", "f.k.a", "d.b.a", "n.b", "incl", "excl", "resp", "cf", "viz", "recital", "reg", "regs"),
]

# After these a full stop never ends a sentence: something always follows that belongs to them.
_NEVER_LAST = re.compile(
    r"(?:\A|[\s(\[\u201c\"'])(?:v|vs|e\.\s?g|i\.\s?e|cf|viz|approx|secs?|arts?|cls?|paras?|nos|exhs?|sched|mr|mrs|ms|dr|prof|hon|"
    r"messrs|subpara|incl|excl)\.\s*\Z",
    re.IGNORECASE,
)
_NUMBERED_NEXT = re.compile(r"[(\[]?(?:\d|[IVXLC]+\b|[A-Z]\b|\u00a7)")
_NO = re.compile(r"(?:\A|[\s(\[])(?:[Nn]o|[Pp]t|[Cc]h|[Ee]x|[Ss]|[Rr]|[Vv]ol|[Pp]p?|[Ff]ig)\.\s*\Z")
# "See Exhibit B. The seller ...": nupunkt takes the letter for an initial.
_LETTERED = re.compile(
    r"\b(?:exhibit|exh|schedule|annex|appendix|attachment|part|section|sec|clause|class|series|party|company|option|phase)\.?"
    r"\s[A-Z]\.(?=\s+[A-Z][a-z])",
    re.IGNORECASE,
)
# nupunkt leaves "[1]" before the next sentence; it belongs to the one before.
_FOOTNOTED = re.compile(r"[.!?][\"'\u201d\u2019)*_]*(?:\[\d{1,3}(?:\s*[,\u2013-]\s*\d{1,3})*\])+(?=\s)")
_WIDE_STOP = re.compile(r"[\u3002\uff01\uff1f][\u300d\u300f\u201d\u2019\uff09]*")
_TERMINATED = re.compile(r"[.!?:;][\"'\u201d\u2019)\]*_]*\s*\Z")
_LAST_WORD = re.compile(r"(?<=\s)\(?[\w.]{1,9}[.)]\Z")
# How far left and right of a cut anything is looked at.
_SEEN = 40
# "... in the contract.The buyer": a missing space; letters on both sides, so no number, initial or address is cut.
_GLUED = re.compile(r"(?<=[a-z]{3}[.!?])(?=[A-Z][a-z]+\s)")


@lru_cache(maxsize=1)
def _tokenizer() -> "PunktSentenceTokenizer":
    from nupunkt.models import load_default_model

    tokenizer = load_default_model()
    tokenizer.add_abbreviations(_ABBREVIATIONS)
    return tokenizer


def split(text: str) -> list[tuple[int, int]]:
    """Give the sentences and list items of a text as spans without surrounding white space.

    Parameters
    ----------
    text : str
        Any text; offsets are counted in it as it is.

    Returns
    -------
    list of (int, int)
        In order, without overlap, none empty. Together they hold every character that is not white space. A span
        without any letter or digit (a rule, a lone emoji) is joined to its neighbour, unless the text has nothing else.

    Examples
    --------
    >>> text = "See Acme Corp. v. Beta Inc., 123 F.3d 456 (9th Cir. 1999). It applies."
    >>> [text[start:end] for start, end in split(text)]
    ['See Acme Corp. v. Beta Inc., 123 F.3d 456 (9th Cir. 1999).', 'It applies.']
    """
    cuts: list[int] = []
    blocks = [*paragraph_ends(text), len(text)]
    for start, end in pairwise(blocks):
        cuts.append(start)
        cuts.extend(start + cut for cut in _cuts_within(text[start:end]))
    return _spans(text, [*cuts, len(text)])


def _cuts_within(block: str) -> list[int]:
    """Offsets inside a block at which a new sentence begins."""
    cuts = {start for start, _ in _tokenizer().span_tokenize(block) if start > 0}
    cuts = {cut for cut in cuts if block[cut - 1].isspace() or block[cut].isspace()}
    for stop in (_LETTERED, _FOOTNOTED, _WIDE_STOP):
        cuts.update(match.end() for match in stop.finditer(block))
    cuts.update(match.start() for match in _GLUED.finditer(block))
    cuts.update(_before_inline_items(block, cuts))
    return sorted(cut for cut in cuts if _holds(block, cut))


def _before_inline_items(block: str, cuts: set[int]) -> list[int]:
    # "They must: 1. Pay. 2. Leave." The cut after "1." is moved before it; `_spans` drops the one behind.
    found = []
    for cut in cuts:
        begin = max(0, cut - _SEEN)
        head = block[begin:cut].rstrip()
        word = _LAST_WORD.search(head)
        if word and is_bare_enumerator(word.group()) and _TERMINATED.search(head[: word.start()]):
            found.append(begin + word.start())
    return found


def _holds(block: str, cut: int) -> bool:
    """Whether a proposed cut is one, seen from what stands left and right of it."""
    left, right = block[max(0, cut - _SEEN) : cut], block[cut : cut + _SEEN].lstrip()
    if _NEVER_LAST.search(left):
        return False
    return not (_NO.search(left) and _NUMBERED_NEXT.match(right))


def _spans(text: str, cuts: list[int]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    held: int | None = None
    for left, right in pairwise(cuts):
        piece = text[left:right]
        start = left + len(piece) - len(piece.lstrip())
        end = left + len(piece.rstrip())
        if start >= end:
            continue
        if is_bare_enumerator(text[start:end]):
            held = start if held is None else held
            continue
        if any(letter.isalnum() for letter in text[start:end]):
            spans.append((start if held is None else held, end))
            held = None
        elif held is None and spans:
            spans[-1] = (spans[-1][0], end)
        else:
            held = start if held is None else held
    if held is not None:
        tail = max(held, len(text.rstrip()))
        if spans:
            spans[-1] = (spans[-1][0], tail)
        else:
            spans.append((held, tail))
    return spans
