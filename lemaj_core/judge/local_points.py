"""What in an answer is a Legal Data Point: its sentences and list items, less greetings, headings and lead-ins.

Pure and quick; it judges nothing.
"""

import re
from dataclasses import dataclass

from lemaj_core.text.sentences import split

_BOILERPLATE = re.compile(
    r"\W*(?:(?:i )?hope (?:this|that)|let me know|please (?:let me know|feel free|note that i am not)"
    r"|feel free to|if you (?:have|need) "
    r"(?:any )?(?:further|more|other|additional|questions)|thank you|thanks\b|(?:sure|certainly|of course"
    r"|absolutely)[,!.]|(?:great|good) question"
    r"|you(?:'|\u2019)re welcome|i(?:(?:'|\u2019)m| am) (?:glad|happy|sorry|an ai)|as an ai|hello|hi\b[,!.]|dear\b"
    r"|this (?:is|does) not (?:constitute )?legal advice|(?:here|below) (?:is|are) (?:the|a|some|an)\b.{0,80}:\W*\Z)",
    re.IGNORECASE,
)
_ANSWER_WORD = re.compile(r"\W*(yes|no)\b\W*", re.IGNORECASE)
_MARKS = re.compile(r"(?:[\s>#*_\-\u2022\u2013\u2014\u00b7\u25cf]|\(?\d{1,2}[.)]\s|\(?[a-z]{1,2}[.)]\s)+")
_TRAILING = re.compile(r"[\s*_]+\Z")
_MARKED = re.compile(r"#{1,6}\s+\S.*|(\*\*|__)[^*_]+\1:?")
_SHORTEST = 4
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Statement:
    """A part of the answer that can be right or wrong.

    ``lead`` is the line that a list item completes; ``yes`` is set for an answer that is nothing but yes or no.
    """

    start: int
    end: int
    text: str
    lead: str = ""
    yes: bool | None = None


def statements(answer: str) -> list[Statement]:
    """Give the statements of an answer in order, with their spans in it."""
    found: list[Statement] = []
    opening: Statement | None = None
    lead = ""
    for start, end in split(answer):
        start, end = _trimmed(answer, start, end)
        text = answer[start:end]
        if not any(letter.isalnum() for letter in text) or _BOILERPLATE.match(text):
            continue
        said = _ANSWER_WORD.match(text)
        if not found and said and len(_WORD.findall(text[said.end() :])) < _SHORTEST:
            opening = Statement(start, end, text, "", said.group(1).lower() == "yes")
            continue
        if _is_lead(text) or _is_heading(answer, start, end):
            lead = text
            continue
        if len(_WORD.findall(text)) < 2 and not re.search(r"\d", text):
            continue
        marks = _MARKS.match(answer, answer.rfind("\n", 0, start) + 1)
        listed = marks is not None and bool(marks.group().strip())
        found.append(Statement(start, end, text, lead if listed else ""))
        if not listed:
            lead = ""
    if found:
        return found
    # "Yes." before its reasons is judged by them; alone it is the whole answer, and so is "Ohio".
    return [opening] if opening else _whole(answer)


def _whole(answer: str) -> list[Statement]:
    start, end = _trimmed(answer, len(answer) - len(answer.lstrip()), len(answer.rstrip()))
    text = answer[start:end]
    short = len(text.split()) <= _SHORTEST and any(letter.isalnum() for letter in text)
    return [Statement(start, end, text)] if short and not _BOILERPLATE.match(text) else []


def _trimmed(answer: str, start: int, end: int) -> tuple[int, int]:
    text = answer[start:end]
    if marks := _MARKS.match(text):
        start += marks.end()
        text = answer[start:end]
    if trailing := _TRAILING.search(text):
        end = start + trailing.start()
    return start, end


def _is_lead(text: str) -> bool:
    bare = text.rstrip("*_ ")
    if bare.endswith(":"):
        return True
    # A heading: a few words without a verb's full stop.
    return not re.search(r"[.!?;\d]", bare) and len(bare.split()) <= 4 and bare.istitle()


def _is_heading(answer: str, start: int, end: int) -> bool:
    """Whether a statement is a whole line that is marked as a heading: "## Term", "**Term**"."""
    first, last = answer.rfind("\n", 0, start) + 1, answer.find("\n", end)
    line = answer[first : last if last >= 0 else len(answer)].strip()
    return bool(_MARKED.fullmatch(line)) and line.strip("#*_: ") == answer[start:end].strip("#*_: ")
