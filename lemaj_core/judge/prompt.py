"""The words that a model is asked with: templates from ``prompts/*.txt``, the material fenced off from them.

Pure: same answer, document and settings give the same messages, letter for letter, so that the cache key holds. The
rules stand in the system message and the document comes first in the user's message, because providers bill a
repeated beginning at a fraction. This room sends nothing and parses nothing.
"""

import hashlib
import re
from string import Template

from lemaj_core.text import wording
from lemaj_core.text.wording import Wording, template
from lemaj_core.types import Document, Item, RunSettings

__all__ = ["fenced", "messages", "reference", "repair", "rules", "source", "template", "version", "visible"]

_HIDDEN = re.compile("[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


def version(words: Wording | None = None) -> str:
    """Twelve hexadecimal digits that change with any word that this judge may be asked with."""
    return wording.version(words or wording.builtin())


def source(item: Item, document: Document | None) -> str | None:
    """Text that the answer is checked against: the document, else the item's contexts, else None."""
    if document is not None and document.text.strip():
        return document.text
    contexts = [context for context in item.contexts if context.strip()]
    return "\n\n".join(contexts) if contexts else None


def reference(item: Item, settings: RunSettings) -> str | None:
    """Reference answer, where there is one and the run uses it."""
    if settings.use_reference and item.reference and item.reference.strip():
        return item.reference
    return None


def rules(settings: RunSettings, *, has_source: bool, has_reference: bool, words: Wording | None = None) -> str:
    """Build the system message: LeMAJ's one prompt for this strictness and for what there is to check against."""
    pieces = words or wording.builtin()
    if has_source:
        checking = "checking_both" if has_reference else "checking_document"
    else:
        checking = "checking_reference" if has_reference else "checking_nothing"
    omissions = "omissions_source" if has_source or has_reference else "omissions_nothing"
    return Template(pieces[wording.MAIN]).substitute(
        checking=pieces[checking], strictness=pieces[str(settings.strictness)], omissions=pieces[omissions]
    )


def messages(
    item: Item, document: Document | None, settings: RunSettings, words: Wording | None = None
) -> tuple[dict[str, str], ...]:
    """Build the system and the user message for one answer.

    Characters that a reader cannot see (zero-width spaces, direction overrides, tag characters) are taken out of the
    material, so that the model reads what a person reads.
    """
    checked, model_answer = source(item, document), reference(item, settings)
    pieces = {"DOCUMENT": checked, "QUESTION": item.question, "REFERENCE ANSWER": model_answer, "ANSWER": item.answer}
    shown = {name: visible(text) for name, text in pieces.items() if text is not None}
    everything = "\n".join(shown.values())
    body = [fenced(name, text, everything) for name, text in shown.items()]
    system = rules(settings, has_source=checked is not None, has_reference=model_answer is not None, words=words)
    closing = (words or wording.builtin())["closing"]
    return ({"role": "system", "content": system}, {"role": "user", "content": "\n\n".join([*body, closing])})


def repair(problem: str, words: Wording | None = None) -> str:
    """Build the message that asks for a usable reply and says what was wrong with the last one."""
    return Template((words or wording.builtin())["repair"]).substitute(problem=problem)


def visible(text: str) -> str:
    """Text without the characters that only a machine reads."""
    return _HIDDEN.sub("", text)


def fenced(name: str, text: str, everything: str) -> str:
    """Put a text between two fence lines whose code occurs nowhere in ``everything``.

    The code is derived from the text, so it is the same in every run and cannot be foreseen by whoever wrote the text.
    """
    attempt = 0
    while True:
        code = hashlib.sha256(f"{attempt}\0{name}\0{text}".encode()).hexdigest()[:16]
        if code not in everything:
            return f"<<<{name} {code}>>>\n{text}\n<<<END {name} {code}>>>"
        attempt += 1
