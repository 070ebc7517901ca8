"""One vector for a text of any length: what is longer than the sentence model's window is embedded in chunks.

all-MiniLM-L6-v2 was trained on 256 word pieces and drops what comes after them without a word. Here a longer text is
cut at word boundaries into chunks of nearly equal length, and their vectors are averaged by the pieces they hold.
"""

from typing import NamedTuple

import numpy as np

from lemaj_core.models.embed import encoder

# 256 less the two pieces that begin and end every text.
WINDOW = 254


class Pooled(NamedTuple):
    """A vector of length 1, and of how many chunks it is the mean."""

    vector: np.ndarray
    chunks: int


def embed(texts: list[str]) -> list[Pooled]:
    """Embed texts, long ones in chunks.

    Parameters
    ----------
    texts : list of str
        Any length. An empty text has a vector too; whoever compares texts should not ask for it.

    Returns
    -------
    list of Pooled
        In the order of the texts. A text of one chunk has the very vector of the sentence model.
    """
    model = encoder()
    cut = [_chunks(text, spans) for text, spans in zip(texts, model.piece_spans(texts), strict=True)]
    encoded = iter(model.encode([chunk for chunks in cut for chunk, _ in chunks]))
    found = []
    for chunks in cut:
        vectors = np.array([next(encoded).vector for _ in chunks], dtype=float)
        mean = np.average(vectors, axis=0, weights=[pieces for _, pieces in chunks])
        found.append(Pooled(mean / np.linalg.norm(mean), len(chunks)))
    return found


def _chunks(text: str, spans: list[tuple[int, int]]) -> list[tuple[str, int]]:
    """Cut a text into pieces of nearly equal length that fit the window; each with its number of word pieces."""
    if len(spans) <= WINDOW:
        return [(text, max(1, len(spans)))]
    parts = -(-len(spans) // WINDOW)
    # Words have several pieces; a cut moved back to the beginning of a word may leave a little more for the next.
    size = -(-len(spans) // parts)
    chunks, begin = [], 0
    while begin < len(spans):
        end = min(begin + size, len(spans))
        while end < len(spans) and end > begin + 1 and spans[end][0] == spans[end - 1][1]:
            end -= 1
        chunks.append((text[spans[begin][0] : spans[end - 1][1]], end - begin))
        begin = end
    return chunks
