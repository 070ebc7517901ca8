"""Text of others inside Streamlit's Markdown: file names, messages, model names, names of runs.

Labels, captions, alerts and progress texts of Streamlit read Markdown: images would be fetched, links drawn, ``$``
read as mathematics. Whatever a user, a file or a model wrote goes through `plain` before it stands in one of them.
No Streamlit here, and no HTML: highlighted text is the business of `components.markup`.
"""

import re

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:^=&])")
_BREAKS = re.compile(r"\s+")


def plain(text: object, limit: int = 300) -> str:
    """Return one line of text that Markdown shows as it is, cut at ``limit`` characters."""
    line = _BREAKS.sub(" ", str(text)).strip()
    if len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    return _SPECIAL.sub(r"\\\1", line)


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Return ``1 answer``, ``2 answers``, ``20,000 answers``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(number: int) -> str:
    """Return a file size as people read it, for example ``1.5 MB``."""
    for unit, step in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if number >= step:
            return f"{number / step:.1f} {unit}"
    return f"{number} bytes"


def duration(seconds: float) -> str:
    """Return a time span as people say it, for example ``2 min 5 s``."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
