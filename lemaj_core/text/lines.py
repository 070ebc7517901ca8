"""Which line ends of a text are boundaries: list items, headings, paragraphs, table rows.

Answers of language models and contracts both carry much of their structure in line ends without a full stop. This
module decides line by line; it looks at no sentence inside a line.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")

_NUMBER = r"\d{1,3}(?:\.\d{1,3})*"
_ROMAN = r"(?:(?=[ivxl])(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3})|(?=[IVXL])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3}))"
_SUBS = r"(?:\((?:\d{1,3}|[A-Za-z]{1,2}|" + _ROMAN + r")\))+"
ENUMERATOR = rf"(?:\(?(?:{_NUMBER}|[A-Za-z]|{_ROMAN})[.)]|{_NUMBER}{_SUBS}\.?|{_SUBS}|\d{{1,3}}(?:\.\d{{1,3}})+)"
_BULLET = (
    r"(?:[-*+>\u2012-\u2014\u2022\u2023\u2043\u2219\u25aa\u25ab\u25cf\u25cb\u25e6\u00b7\uf0b7\u2713\u2714]|o(?=\s))"
)
_CLAUSE = (
    r"(?:section|article|clause|schedule|exhibit|annex|appendix|part|chapter)\s+"
    r"[\dIVXLC]+[\w.()]*[.:\u2013\u2014-]"
)
_ITEM = re.compile(
    r"[^\S\n]*(?:>\s*(?=\S))*(?:\*\*|__)?"
    rf"(?:{_BULLET}|{ENUMERATOR}|(?i:{_CLAUSE})|\u00a7+\s*\d)(?=\s|\*\*|__|$|\d)"
)
_BARE = re.compile(rf"[\s>*_]*(?:{ENUMERATOR}|(?i:{_CLAUSE}))[\s*_]*\Z")
_HASHES = re.compile(r"\s{0,3}#{1,6}\s+\S")
_BOLD = re.compile(r"\s*(?:\*\*|__)\S.*?(?:\*\*|__):?\s*\Z")
_TABLE_ROW = re.compile(r"\s*\|.*\|\s*\Z")
_TERMINAL = re.compile(r"[.!?:;\u2026\u3002\uff01\uff1f][\"'\u201d\u2019\u00bb)\]}*_]*(?:\[\d{1,3}\])*\s*\Z")
# A line that ends in one of these goes on, however short it is.
_GOES_ON = re.compile(
    r"(?:[,(\[/&\u201c\u00a7-]|\b(?:a|an|the|of|in|on|at|to|for|by|with|from|and|or|nor|but|as|that|which|is|are|be|not|"
    r"any|such|its|this|no|under|than|if|between|per|v|vs|mr|mrs|ms|dr)\.?)\s*\Z",
    re.IGNORECASE,
)
_HEADING_WORDS = 8
# Wrapped text is at least this wide; at more than the upper limit nobody wraps by hand.
_NARROWEST, _WIDEST = 40, 120


class Line(NamedTuple):
    """One line of a text: its span without the line end."""

    start: int
    end: int
    text: str

    @property
    def blank(self) -> bool:
        """Whether nothing but white space stands on it."""
        return not self.text.strip()


def split_lines(text: str) -> list[Line]:
    """Give every line with its offsets; ``CRLF`` is one line end."""
    lines, start = [], 0
    for end in _LINE_END.finditer(text):
        lines.append(Line(start, end.start(), text[start : end.start()]))
        start = end.end()
    lines.append(Line(start, len(text), text[start:]))
    return lines


def is_item(line: str) -> bool:
    """Whether a line begins with a bullet, a number, a letter in brackets or a clause number."""
    return _ITEM.match(line) is not None


def is_bare_enumerator(text: str) -> bool:
    """Whether a text is nothing but "1.", "(a)", "12.3.1(b)(iv)" or the like."""
    return _BARE.match(text) is not None


def is_heading(line: str) -> bool:
    """Whether a line is marked as a heading, or is short, begins large and ends without punctuation."""
    if _HASHES.match(line) or _BOLD.match(line):
        return True
    words = line.split()
    if not 0 < len(words) <= _HEADING_WORDS or _TERMINAL.search(line) or _GOES_ON.search(line):
        return False
    first = next((letter for letter in line if letter.isalnum()), "")
    return first.isupper() or first.isdigit()


def _wrapped(line: str, after: str, width: int) -> bool:
    # The next word did not fit into the width of the paragraph: the line end is mere layout.
    word = after.split(maxsplit=1)[0]
    return len(line.rstrip()) + 1 + len(word) > width


def paragraph_ends(text: str) -> Iterator[int]:
    """Yield the offsets at which a new list item, heading, table row or paragraph begins."""
    paragraph: list[Line] = []
    for line in [*split_lines(text), Line(len(text), len(text), "")]:
        if not line.blank:
            paragraph.append(line)
            continue
        if paragraph:
            yield paragraph[0].start
            yield from _breaks_within(paragraph)
            paragraph = []


def _breaks_within(paragraph: list[Line]) -> Iterator[int]:
    width = max(_NARROWEST, max(len(line.text.rstrip()) for line in paragraph))
    for line, after in pairwise(paragraph):
        if _is_break(line.text, after.text, width):
            yield after.start


def _has_word(line: str) -> bool:
    return any(letter.isalnum() for letter in line)


def _is_break(line: str, after: str, width: int) -> bool:
    if _HASHES.match(line) or _BOLD.match(line) or is_item(after) or _HASHES.match(after) or _BOLD.match(after):
        return not is_bare_enumerator(line)
    if not (_has_word(line) and _has_word(after)):
        return True
    if _TABLE_ROW.match(line) or _TABLE_ROW.match(after):
        return True
    if _TERMINAL.search(line):
        return True
    first = next((letter for letter in after if not letter.isspace()), "")
    if first.islower() or _GOES_ON.search(line) or is_bare_enumerator(line):
        return False
    return len(line) > _WIDEST or not _wrapped(line, after, min(width, _WIDEST))
