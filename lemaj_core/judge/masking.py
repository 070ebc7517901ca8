"""Hides the specific words of an answer behind placeholders, so that a question written back must come from its sense.

Without masking a question repeats the names and numbers of the answer, which are those of the question, and any answer
on the topic seems relevant. What is specific is found by ``lemaj_core.judge.extract``; here it is only replaced. SCORE
masks hazard, profession, concern and infrastructure and leaves places and times; the legal set is ours.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lemaj_core.judge.extract import spans

# Dimension to placeholder; what a preset does not name stays as it is.
PLACEHOLDERS: dict[str, dict[str, str]] = {
    "hazard": {
        "hazard": "[HAZARD]",
        "profession": "[PROFESSION]",
        "concern": "[CONCERN]",
        "infrastructure": "[INFRASTRUCTURE]",
    },
    "legal": {
        "party or obligation": "[PARTY]",
        "clause reference": "[CLAUSE]",
        "date or term": "[DATE]",
        "amount or threshold": "[AMOUNT]",
        "jurisdiction": "[JURISDICTION]",
    },
}
PLACEHOLDERS["own"] = PLACEHOLDERS["legal"] | PLACEHOLDERS["hazard"]


class Masked(NamedTuple):
    """A masked text, and the places of the original that were hidden: (start, end, placeholder), in order."""

    text: str
    hidden: tuple[tuple[int, int, str], ...]


def mask(text: str, preset: str, source: str = "") -> Masked:
    """Replace what is specific by placeholders.

    Parameters
    ----------
    text : str
        An answer.
    preset : {"hazard", "legal", "own"}
        Which placeholders; "own" has those of both presets.
    source : str
        The document or the contexts; the names of the parties are read from it.

    Returns
    -------
    Masked
        The text with placeholders; equal to the original where nothing specific was found.

    Raises
    ------
    SettingsError
        If there is no such preset.

    Examples
    --------
    >>> mask("Heat waves wear out substations.", "hazard").text
    '[HAZARD] wear out [INFRASTRUCTURE].'
    """
    names = PLACEHOLDERS.get(preset, {})
    hidden = tuple(
        (start, end, names[dimension]) for start, end, dimension in spans(text, preset, source) if dimension in names
    )
    return Masked(replaced(text, hidden), hidden)


def replaced(text: str, hidden: Sequence[tuple[int, int, str]]) -> str:
    """Put a placeholder in each of some places, given in order and apart."""
    parts, at = [], 0
    for start, end, placeholder in hidden:
        parts += [text[at:start], placeholder]
        at = end
    return "".join([*parts, text[at:]])
