"""How well a passage answers a question, by the packaged ms-marco-MiniLM-L-12 cross-encoder (int8 ONNX).

The model was trained on search questions: it measures whether a passage is about the question, not whether a
statement is true.
"""

import threading
from functools import lru_cache
from typing import Any

import numpy as np

from lemaj_core.models.offline import CROSS_ENCODER, THREADS, folder

LENGTH = 320
LONGEST = 512  # word pieces that the model can read at all
_BATCH = 16


class CrossEncoder:
    """The packaged cross-encoder; safe to share between threads, which wait for each other.

    Parameters
    ----------
    length : int
        Word pieces of question and passage together that are read, at most 512; the rest of a passage is cut off.
    """

    def __init__(self, length: int = LENGTH) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        place = folder(CROSS_ENCODER)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        # Waiting threads would otherwise burn a core that the rest of the run needs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            str(place / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer: Any = Tokenizer.from_file(str(place / "tokenizer.json"))
        self._tokenizer.enable_truncation(length)
        self._tokenizer.no_padding()
        self._lock = threading.Lock()

    def scores(self, question: str, passages: list[str]) -> np.ndarray:
        """Give one logit per passage; above 0 means more likely an answer than not."""
        encodings = self._tokenizer.encode_batch([(question, passage) for passage in passages])
        order = sorted(range(len(passages)), key=lambda index: len(encodings[index].ids))
        result = np.zeros(len(passages), dtype=np.float64)
        with self._lock:
            for begin in range(0, len(order), _BATCH):
                batch = order[begin : begin + _BATCH]
                result[batch] = self._forward([encodings[index] for index in batch])
        return result

    def read_of(self, question: str, passage: str) -> int:
        """Give how many characters of a passage are read."""
        encoding = self._tokenizer.encode(question, passage)
        if not encoding.overflowing:
            return len(passage)
        return max((end for (_, end), part in zip(encoding.offsets, encoding.sequence_ids, strict=True) if part == 1),
                   default=0)  # fmt: skip

    def _forward(self, batch: list[Any]) -> np.ndarray:
        length = max(len(encoding.ids) for encoding in batch)
        feed = {name: np.zeros((len(batch), length), dtype=np.int64) for name in _INPUTS}
        for row, encoding in enumerate(batch):
            used = slice(0, len(encoding.ids))
            feed["input_ids"][row, used] = encoding.ids
            feed["attention_mask"][row, used] = 1
            feed["token_type_ids"][row, used] = encoding.type_ids
        return np.asarray(self._session.run(None, feed)[0]).reshape(-1)


_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@lru_cache(maxsize=2)
def cross_encoder(length: int = LENGTH) -> CrossEncoder:
    """Load the model once per process and length: half a second."""
    return CrossEncoder(length)
