"""The words that a judge is asked with, as data: the product's own, an edited copy, and the version of either.

A wording is a set of named pieces; ``data_points`` is the one that a user may rewrite. Its version is a hash of all
pieces, so that a score can be traced to the very words it came from. It asks nobody and renders nothing.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from types import MappingProxyType

from lemaj_core.errors import SettingsError

PROMPTS = Path(__file__).parent.parent / "judge" / "prompts"
MAIN = "data_points"
PIECES = (
    MAIN,
    "checking_both",
    "checking_document",
    "checking_nothing",
    "checking_reference",
    "lenient",
    "omissions_nothing",
    "omissions_source",
    "repair",
    "standard",
    "strict",
)
SLOTS = ("checking", "strictness", "omissions")
CLOSING = "Judge the ANSWER above by the rules you were given. Reply with the one JSON object."
LONGEST = 50_000

Wording = Mapping[str, str]
"""Pieces by name, ``closing`` among them."""


@cache
def template(name: str) -> str:
    """Text of one file in ``judge/prompts/``, without its last line break."""
    return (PROMPTS / f"{name}.txt").read_text(encoding="utf-8").strip()


@cache
def builtin() -> Wording:
    """Give the product's own wording."""
    return MappingProxyType({name: template(name) for name in PIECES} | {"closing": CLOSING})


def version(words: Wording) -> str:
    """Twelve hexadecimal digits that change with any character of any piece."""
    digest = hashlib.sha256()
    for name in sorted(words):
        if name != "closing":
            digest.update(f"{name}.txt\0{words[name]}\0".encode())
    digest.update(words["closing"].encode())
    return digest.hexdigest()[:12]


def edited(text: str, words: Wording | None = None) -> Wording:
    """Give a wording whose main piece is another text.

    Parameters
    ----------
    text : str
        The rules, with $checking, $strictness and $omissions where those pieces go; any other $ is written $$.
    words : Wording, optional
        What is copied; by default the product's own.

    Raises
    ------
    SettingsError
        If a slot is missing, there is a slot that nothing fills, or the text is empty or too long.
    """
    text = text.replace("\r\n", "\n").strip()
    if len(text) > LONGEST:
        raise SettingsError(f"the prompt has {len(text):,} characters; at most {LONGEST:,} are sent")
    try:
        found = set(Template(text).get_identifiers())
        valid = Template(text).is_valid()
    except ValueError:
        found, valid = set(), False
    if missing := [f"${slot}" for slot in SLOTS if slot not in found]:
        raise SettingsError(f"the prompt lacks {', '.join(missing)}: where these rules go must be said, each once")
    if unknown := sorted(found - set(SLOTS)):
        raise SettingsError(f"the prompt has the slot ${unknown[0]}, which nothing fills; write $$ for a dollar sign")
    if not valid:
        raise SettingsError("the prompt has a single $ that begins no slot; write $$ for a dollar sign")
    return MappingProxyType({**(words or builtin()), MAIN: text})
