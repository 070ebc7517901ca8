"""Find where a quote stands in a text, although the one who quoted changed spaces, quotes, case or a few words.

Three steps, each only where the one before found nothing: letter for letter; folded; alike (rapidfuzz). Finding a
passage says nothing about its truth: "shall" and "shall not" are alike, so callers look at ``similarity``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from lemaj_core.text.folding import Folded, fold

_ELLIPSIS = re.compile(r"\s*(?:[\[(<]\s*(?:\.(?:\s?\.){2,}|\u2026)\s*[\])>]|\.(?:\s?\.){2,}|\u2026)\s*")
_OUTER = " \t\n\"'.,;:()[]-"
# The parts of one quotation stand near each other; otherwise only the longest part is shown.
_WIDEST_GAP = 3000
_SHORTEST_ALIKE = 8
_LONG = 300
# So many passages are compared closely, if they are so close to the best.
_CANDIDATES, _CLOSE = 6, 0.04


@dataclass(frozen=True, slots=True)
class Match:
    """Where a quote stands: ``text[start:end]``, how alike it is (0 to 1) and whether it is so letter for letter."""

    start: int
    end: int
    similarity: float
    exact: bool


def locate(quote: str, text: str, *, near: int = 0, least: float = 0.85) -> Match | None:
    """Find a quote in a text.

    Parameters
    ----------
    quote : str
        What is sought. Parts joined by an ellipsis ("..." or "[...]") are sought one by one, in order.
    text : str
        Where it is sought; offsets are counted in it as it is.
    near : int
        Where the quote is expected: of several equal places the nearest wins.
    least : float
        How alike a passage must be, in [0, 1], when the quote stands there neither exactly nor folded.

    Returns
    -------
    Match or None
        None for a blank quote and where nothing is alike enough.

    Examples
    --------
    >>> text = "The Seller shall pay within thirty days."
    >>> found = locate("seller  shall pay", text)
    >>> found, text[found.start:found.end]
    (Match(start=4, end=20, similarity=1.0, exact=False), 'Seller shall pay')
    """
    if not quote.strip() or not text:
        return None
    for sought in (quote, quote.strip()):
        if (start := _nearest(sought, text, near)) is not None:
            return Match(start, start + len(sought), 1.0, True)
    folded = fold(text)
    found = _folded(quote, folded, near, least)
    if found is None:
        parts = [part for part in _ELLIPSIS.split(quote) if any(letter.isalnum() for letter in part)]
        if len(parts) > 1:
            return _joined(parts, text, near, least)
        if parts and parts[0].strip() != quote.strip():
            whole = locate(parts[0], text, near=near, least=least)
            return whole and replace(whole, exact=False)
        found = _alike(quote, folded, near, least)
    if found is None:
        return None
    start, end, similarity = found
    return Match(*folded.original(start, end), similarity, False)


def _occurrences(sought: str, text: str) -> Iterator[int]:
    at = text.find(sought)
    while at >= 0:
        yield at
        at = text.find(sought, at + 1)


def _bounded(text: str, start: int, end: int) -> bool:
    """Whether a span cuts no word at its ends."""
    return not (start > 0 and text[start - 1].isalnum() and text[start].isalnum()) and not (
        end < len(text) and text[end - 1].isalnum() and text[end].isalnum()
    )


def _nearest(sought: str, text: str, near: int) -> int | None:
    # Whole words before pieces of words: "no" is sought, "notice" comes first.
    best: tuple[bool, int, int] | None = None
    for at in _occurrences(sought, text):
        rank = (not _bounded(text, at, at + len(sought)), abs(at - near), at)
        best = rank if best is None else min(best, rank)
        if near <= 0 and not rank[0]:
            break
    return None if best is None else best[2]


def _folded(quote: str, folded: Folded, near: int, least: float) -> tuple[int, int, float] | None:
    whole = fold(quote).text.strip()
    bare = whole.strip(_OUTER)
    # In folded text only whole words count: there is no letter for letter promise to keep.
    for sought in dict.fromkeys((whole, bare)):
        if not any(letter.isalnum() for letter in sought) or len(sought) < least * len(whole):
            continue
        start = _nearest(sought, folded.text, near)
        if start is not None and _bounded(folded.text, start, start + len(sought)):
            return start, start + len(sought), len(sought) / len(whole)
    return None


def _joined(parts: list[str], text: str, near: int, least: float) -> Match | None:
    """Locate the longest part first, the others before and behind it in order, and join what is close together."""
    anchor = max(range(len(parts)), key=lambda index: len(parts[index]))
    middle = locate(parts[anchor], text, near=near, least=least)
    if middle is None:
        return None
    similarity, start, end = middle.similarity, middle.start, middle.end
    edge = start
    for part in reversed(parts[:anchor]):
        match = locate(part, text[:edge], near=edge, least=least)
        if match is None:
            return None
        similarity = min(similarity, match.similarity)
        edge = match.start
        start = edge if start - match.end <= _WIDEST_GAP else start
    edge = end
    for part in parts[anchor + 1 :]:
        match = locate(part, text[edge:], least=least)
        if match is None:
            return None
        similarity = min(similarity, match.similarity)
        end = edge + match.end if edge + match.start - end <= _WIDEST_GAP else end
        edge += match.end
    return Match(start, end, similarity, False)


def _alike(quote: str, folded: Folded, near: int, least: float) -> tuple[int, int, float] | None:
    sought, text = fold(quote).text.strip(), folded.text
    if len(sought) < _SHORTEST_ALIKE:
        return None
    roughs = [(0, len(text))] if len(sought) > len(text) else _roughs(sought, text, least - 0.15)
    refined = [_refined(sought, text, start, end) for start, end in roughs]
    fits = [found for found in refined if found[2] >= least and found[0] < found[1]]
    return max(fits, key=lambda found: (found[2], -abs(folded.original(*found[:2])[0] - near)), default=None)


def _roughs(sought: str, text: str, least: float) -> list[tuple[int, int]]:
    """Find the few windows that are most alike.

    Contracts repeat themselves, and a window as long as the quote counts words put in or left out more than the
    refinement does: the best window need not be the best passage.
    """
    # The head and the tail of a long quote find its ends, because the time grows with the square of the length.
    head = _windows(sought[:_LONG], text, least, _CANDIDATES)
    if len(sought) <= _LONG:
        return head
    roughs = []
    for start, _ in head:
        reach = text[start + len(sought) // 2 : start + 2 * len(sought)]
        tail = _windows(sought[-_LONG:], reach, least, 1)
        roughs.append((start, start + len(sought) // 2 + tail[0][1] if tail else min(start + len(sought), len(text))))
    if not head:
        ends = [end for _, end in _windows(sought[-_LONG:], text, least, _CANDIDATES)]
        roughs = [(max(0, end - len(sought)), end) for end in ends]
    return roughs


def _windows(sought: str, text: str, least: float, most: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    parts, least = [(0, len(text))], max(0.0, least)
    while parts and len(found) < most:
        left, right = parts.pop(0)
        if right - left < len(sought) // 2:
            continue
        window = fuzz.partial_ratio_alignment(sought, text[left:right], score_cutoff=least * 100)
        if window is None or window.dest_end - window.dest_start < len(sought) // 2:
            continue
        start, end = left + window.dest_start, left + window.dest_end
        found.append((start, end))
        least = max(least, window.score / 100 - _CLOSE)
        parts += [(left, start), (end, right)]
    return found


def _refined(sought: str, text: str, start: int, end: int) -> tuple[int, int, float]:
    """Move the ends of a rough span to the word ends that make it most alike."""
    reach = max(12, min(len(sought), _LONG) // 6)
    similarity = 0.0
    for _ in range(2):
        starts = [at for at in range(max(0, start - reach), min(end, start + reach)) if _begins(text, at)]
        if starts:
            similarity, start = max((fuzz.ratio(sought, text[at:end]) / 100, at) for at in starts)
        ends = [at for at in range(max(start + 1, end - reach), min(len(text), end + reach) + 1) if _ends(text, at)]
        if ends:
            similarity, end = max((fuzz.ratio(sought, text[start:at]) / 100, at) for at in ends)
    return start, end, similarity


def _begins(text: str, at: int) -> bool:
    return not text[at].isspace() and not (at > 0 and text[at - 1].isalnum() and text[at].isalnum())


def _ends(text: str, at: int) -> bool:
    return not text[at - 1].isspace() and not (at < len(text) and text[at - 1].isalnum() and text[at].isalnum())
