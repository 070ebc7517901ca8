"""Text to vectors with the packaged all-MiniLM-L6-v2: one vector per text and one per word piece.

The word pieces are taken from the middle layers, which keep more of what a word says than the last one does. This
module compares nothing and remembers no text.
"""

import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from lemaj_core.models.offline import MINILM, THREADS, folder

LENGTH = 384
# Measured on claims and clauses: the mean of these two layers separates supported from unsupported best.
LAYERS = (3, 4)
_BATCH = 16


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text as the model sees it; spans are offsets into the text, all vectors have length 1."""

    pieces: np.ndarray
    spans: np.ndarray
    tokens: np.ndarray
    vector: np.ndarray


class Encoder:
    """The packaged sentence model; safe to share between threads, which wait for each other."""

    def __init__(self) -> None:
        import torch
        from tokenizers import Tokenizer
        from transformers import AutoModel
        from transformers.utils import logging

        place = folder(MINILM)
        logging.disable_progress_bar()
        torch.set_num_threads(THREADS)
        self._torch = torch
        self._lock = threading.Lock()
        self._tokenizer: Any = Tokenizer.from_file(str(place / "tokenizer.json"))
        self._tokenizer.enable_truncation(LENGTH)
        self._tokenizer.no_padding()
        # Reads any length: the limit belongs to a tokenizer, and other threads count on it.
        self._whole: Any = Tokenizer.from_file(str(place / "tokenizer.json"))
        self._whole.no_truncation()
        self._whole.no_padding()
        self._model = AutoModel.from_pretrained(str(place), local_files_only=True).eval()

    def encode(self, texts: list[str]) -> list[Encoded]:
        """Encode texts; what goes beyond 382 word pieces of one text is cut off."""
        encodings = self._tokenizer.encode_batch(texts)
        order = sorted(range(len(texts)), key=lambda index: len(encodings[index].ids))
        found: dict[int, Encoded] = {}
        with self._lock, self._torch.inference_mode():
            for begin in range(0, len(order), _BATCH):
                batch = order[begin : begin + _BATCH]
                found.update(zip(batch, self._forward([encodings[index] for index in batch]), strict=True))
        return [found[index] for index in range(len(texts))]

    def _forward(self, batch: list[Any]) -> list[Encoded]:
        torch = self._torch
        length = max(len(encoding.ids) for encoding in batch)
        ids = torch.zeros((len(batch), length), dtype=torch.long)
        mask = torch.zeros((len(batch), length), dtype=torch.long)
        for row, encoding in enumerate(batch):
            ids[row, : len(encoding.ids)] = torch.tensor(encoding.ids)
            mask[row, : len(encoding.ids)] = 1
        states = self._model(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
        normal = torch.nn.functional.normalize
        middle = normal(sum(normal(states[layer], dim=-1) for layer in LAYERS), dim=-1).numpy()
        weights = mask.unsqueeze(-1)
        pooled = normal((states[-1] * weights).sum(1) / weights.sum(1), dim=-1).numpy()
        result = []
        for row, encoding in enumerate(batch):
            # The first and the last piece are [CLS] and [SEP].
            inner = slice(1, len(encoding.ids) - 1)
            result.append(
                Encoded(
                    np.array(encoding.ids[inner], dtype=np.int64),
                    np.array(encoding.offsets[inner], dtype=np.int64).reshape(-1, 2),
                    middle[row, inner].copy(),
                    pooled[row].copy(),
                )
            )
        return result

    def piece_spans(self, texts: list[str]) -> list[list[tuple[int, int]]]:
        """Say where the word pieces of texts lie, without the limit of :meth:`encode`."""
        return [encoding.offsets[1:-1] for encoding in self._whole.encode_batch(texts)]

    def piece(self, identifier: int) -> str:
        """Give the word piece of an id, with ``##`` before a continuation."""
        return str(self._tokenizer.id_to_token(identifier))


@lru_cache(maxsize=1)
def encoder() -> Encoder:
    """Load the model once per process: about 5 s, most of it the import of torch."""
    return Encoder()
