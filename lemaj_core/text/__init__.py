"""Text as the whole project sees it: normalised once on entry, cut into sentences, searched for quotes.

Everything here is pure and quick. It judges nothing, loads no language model and never rewrites a text that is
already inside: every span is a pair of code point offsets, and ``text[start:end]`` is what is meant.
"""

import re
import unicodedata

_REMOVED = re.compile("[\x00\ud800-\udfff]")


def normalise(text: str) -> str:
    r"""Bring a text into the one form in which it is stored: NFC, ``\n`` line ends, no NUL, no lone surrogates.

    Done once, on entry; offsets are counted in the result. Normalising twice changes nothing.
    """
    if text.isascii() and "\r" not in text and "\x00" not in text:
        return text
    text = _REMOVED.sub("", text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", text)
