"""Which clause of a contract a passage stands in, as its own numbering and headings name it.

Reads lines upwards from a position and believes only what is written there; knows no contract type. Where a text has
neither numbers nor headings there is no name, and none is made up.
"""

import re

NUMBERED = re.compile(
    r"\s{0,8}(?:(?P<word>section|article|clause|schedule|exhibit|annex|§)\s*)?(?P<number>\d{1,3}(?:\.\d{1,3})*|[IVXL]{1,6}(?=[.:]))"
    r"(?P<after>[.):]?)(?:\s+(?P<rest>\S.*))?$",
    re.IGNORECASE,
)
REACH = 30_000
HEADING = 80
WORDS = 9
SMALL = frozenset("a an and by for in of on or the to with".split())


def clause_at(text: str, position: int) -> str | None:
    """Name of the clause at this position, such as ``10.2 Term and termination``; None where nothing names it.

    Parameters
    ----------
    text : str
        The document.
    position : int
        Offset of a character in it.

    Returns
    -------
    str or None
        Number of the nearest numbered line at or above the position, with the heading above it.
    """
    number = heading = None
    line_end = text.find("\n", position)
    above = text[max(0, position - REACH) : line_end if line_end >= 0 else len(text)].splitlines()
    for line in reversed(above):
        found = NUMBERED.match(line)
        if number is None:
            if found:
                number = found["number"]
                if title := _title(found["rest"]):
                    heading = title
                    break
            elif line is not above[-1] and (title := _heading(line)):
                heading = title
                break
        elif found and _holds(found["number"], number):
            if title := _title(found["rest"]):
                heading = title
                break
        elif not found and (title := _heading(line)):
            heading = title
            break
    return " ".join(part for part in (number, heading) if part) or None


def _holds(outer: str, inner: str) -> bool:
    return outer == inner or inner.startswith(outer + ".")


def _title(rest: str | None) -> str | None:
    """Heading that stands on the line of its number: short, and not a sentence."""
    if rest is None:
        return None
    rest = rest.strip()
    lead = re.match(r"(?P<lead>[A-Z][\w’',&/ -]{2,60}?)[.:]\s+[A-Z“\"]", rest)
    if lead and len(lead["lead"].split()) <= 6:
        return _tidy(lead["lead"])
    sentence = rest.endswith((".", ";", ",", ":")) or ". " in rest or len(rest.split()) > WORDS
    return None if sentence else _tidy(rest)


def _heading(line: str) -> str | None:
    """Unnumbered line that can only be a heading: short, and all capitals or without a sentence's end."""
    line = line.strip()
    if not line or len(line) > HEADING or line.endswith((".", ";", ",", ":")):
        return None
    return _tidy(line) if line.isupper() or (line[0].isupper() and len(line.split()) <= 6 and ":" not in line) else None


def _tidy(heading: str) -> str:
    heading = heading.strip().rstrip(".:")
    if not heading.isupper():
        return heading
    words = heading.lower().split()
    return " ".join(word if at and word in SMALL else word.capitalize() for at, word in enumerate(words))
