"""The one place that says which colour, sign and word stand for a tag, a status, a model or a judge.

Colours are Okabe and Ito's, which colour-blind readers tell apart; a colour never stands alone: every tag also has a
sign, a word, an underline (in text) and a pattern (in bars). Holds facts only: no Streamlit, no plotly, no text markup.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from lemaj_core.types import Status, Tag

GREEN = "#009E73"
VERMILION = "#D55E00"
ORANGE = "#E69F00"
BLUE = "#0072B2"
SKY = "#56B4E9"
PURPLE = "#CC79A7"
GREY = "#8A8F98"
ACCENT = "#2B5C9E"


@dataclass(frozen=True, slots=True)
class TagStyle:
    """How a tag looks: ``underline`` is a CSS text-decoration-style, ``pattern`` a plotly bar pattern."""

    colour: str
    icon: str
    word: str
    underline: str
    pattern: str
    badge: str


TAGS: dict[Tag, TagStyle] = {
    Tag.CORRECT: TagStyle(GREEN, "✔", "correct", "solid", "", "green"),
    Tag.INCORRECT: TagStyle(VERMILION, "✖", "incorrect", "wavy", "x", "red"),
    Tag.IRRELEVANT: TagStyle(ORANGE, "◐", "irrelevant", "dotted", ".", "orange"),
    Tag.MISSING: TagStyle(BLUE, "✚", "missing", "dashed", "/", "blue"),
}
UNTAGGED = TagStyle(GREY, "○", "not checked", "double", "-", "gray")

STATUS_ICONS: dict[Status, str] = {Status.SCORED: "✔", Status.UNDEFINED: "—", Status.FAILED: "✖"}

# The tags' own colours come last, so that two or three models never look like tags.
SERIES = (SKY, PURPLE, "#7A5C00", "#5E4FA2", GREY, ORANGE, BLUE, VERMILION, GREEN)


def style(tag: Tag | str | None) -> TagStyle:
    """Style of a tag; None (a point that could not be checked) has its own."""
    return UNTAGGED if tag is None else TAGS[Tag(tag)]


def badge_text(tag: Tag | str | None) -> str:
    """Sign and word of a tag, for labels and tables."""
    look = style(tag)
    return f"{look.icon} {look.word}"


def colours(names: Iterable[str]) -> dict[str, str]:
    """One colour per model or judge, the same for the same set of names on every page and in every order.

    Give it all the names of the run, not those that a filter left: names take the colours in alphabetical order, and
    share them only when there are more names than colours.
    """
    return {name: SERIES[place % len(SERIES)] for place, name in enumerate(sorted(set(names)))}


def colour_for(name: str, among: Iterable[str] = ()) -> str:
    """Colour of one model or judge; ``among`` are all the names that may stand beside it."""
    return colours({name, *among})[name]


@dataclass(frozen=True, slots=True)
class EffectStyle:
    """How the effect of a claim on an answer looks, and what it means."""

    colour: str
    icon: str
    meaning: str


EFFECTS: dict[str, EffectStyle] = {
    "necessary": EffectStyle("#4C86C6", "▲", "the answer gets less likely without it"),
    "neutral": EffectStyle(GREY, "●", "hardly any change without it"),
    "distracting": EffectStyle(PURPLE, "▼", "the answer gets more likely without it"),
}
