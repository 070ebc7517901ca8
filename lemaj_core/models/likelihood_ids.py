"""From a question, passages and an answer to token ids, piece by piece.

Every piece is encoded apart and the ids are joined, so that leaving a passage out removes its ids and changes no
other one: the answer has the same ids in every pass, and what stands before the removed passage is unchanged. This
module counts and joins ids; it never cuts a text off.
"""

from dataclasses import dataclass
from typing import Any

from lemaj_core.errors import CallFailed, SettingsError
from lemaj_core.types import FailureKind

HEAD = "Question: {question}\n\nContext:\n"
PASSAGE = "{passage}\n"
TAIL = "\nAnswer:\n"


class ContextTooLong(CallFailed):
    """Context and answer together have more tokens than the proxy can read; nothing was cut off."""

    def __init__(self, context_tokens: int, answer_tokens: int, window: int):
        super().__init__(
            FailureKind.CONTEXT,
            f"the context has {context_tokens:,} tokens and the answer {answer_tokens:,}, together "
            f"{context_tokens + answer_tokens:,}, but the proxy reads at most {window:,}; leave passages out or name "
            "a proxy with a larger window",
        )
        self.context_tokens = context_tokens
        self.answer_tokens = answer_tokens
        self.window = window


@dataclass(frozen=True, slots=True)
class Pieces:
    """Token ids of a prompt: head (with the one BOS) + passages + tail, and of the answer that is to be scored."""

    head: tuple[int, ...]
    passages: tuple[tuple[int, ...], ...]
    tail: tuple[int, ...]
    answer: tuple[int, ...]

    def context(self, without: int | None = None) -> tuple[int, ...]:
        """Join everything before the answer, leaving out the passage at position ``without``."""
        kept = (piece for index, piece in enumerate(self.passages) if index != without)
        return (*self.head, *(token for piece in kept for token in piece), *self.tail)

    def span(self, index: int) -> tuple[int, int]:
        """Say where a passage lies in the whole context."""
        start = len(self.head) + sum(len(piece) for piece in self.passages[:index])
        return start, start + len(self.passages[index])


def encode(tokenizer: Any, question: str, passages: list[str], answer: str, *, window: int | None = None) -> Pieces:
    """Encode head, passages, tail and answer apart.

    Parameters
    ----------
    tokenizer : transformers tokenizer
    question, answer : str
    passages : list of str
        Claims or documents, in the order in which the proxy reads them.
    window : int, optional
        Tokens that the proxy can read; None where it has no limit.

    Raises
    ------
    SettingsError
        If the answer is empty.
    ContextTooLong
        If all pieces together do not fit the window.
    """
    if not answer.strip():
        raise SettingsError("the answer is empty: it has no likelihood")

    def ids(text: str) -> tuple[int, ...]:
        # A text that spells out a special token is text: it must not end a turn or add a second BOS.
        return tuple(tokenizer(text, add_special_tokens=False, split_special_tokens=True, verbose=False)["input_ids"])

    bos = tokenizer.bos_token_id
    pieces = Pieces(
        head=((bos,) if bos is not None else ()) + ids(HEAD.format(question=question.strip())),
        passages=tuple(ids(PASSAGE.format(passage=passage.strip())) for passage in passages),
        tail=ids(TAIL),
        answer=ids(answer.strip()),
    )
    size = len(pieces.context())
    # The last token of the answer is predicted but never read.
    if window is not None and size + len(pieces.answer) - 1 > window:
        raise ContextTooLong(size, len(pieces.answer), window)
    return pieces
