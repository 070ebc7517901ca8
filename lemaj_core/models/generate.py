"""Questions that a text could be the answer to, written by the packaged SmolLM2-135M-Instruct.

A small model writes plain and sometimes odd questions: they are good for comparing texts, not for reading. It is
deterministic (no sampling): every question begins with another of the model's most probable question words, so that
no two are the same. This module judges and compares nothing.
"""

import threading
from functools import lru_cache
from typing import Any, NamedTuple

from lemaj_core.models.likelihood_load import PACKAGED, Loaded, load
from lemaj_core.models.offline import THREADS

VERSION = "smollm2-135m-instruct, first words, 4"
# More are begun than are wanted, because some lead nowhere.
BEGUN = 8
LENGTH = 32
READ = 400
_STARTS = (
    *("What", "How", "Which", "Why", "When", "Where", "Who", "Can", "Does", "Is", "Do", "Are", "Should", "May"),
    *("Must", "Under"),
)
# Words of the request rather than of the text: questions with them are about the wording of the request.
_FRAME = (
    *("text", "texts", "answer", "answers", "question", "questions", "article", "passage", "paragraph", "sentence"),
    *("author", "writer"),
)
_SYSTEM = "You write questions. Reply with one question only."
_REQUEST = "\n\nWrite one question that this text answers."


class Written(NamedTuple):
    """Questions, the most probable beginning first, and whether the text was longer than what was read of it."""

    questions: tuple[str, ...]
    cut: bool


class Writer:
    """The packaged model as a writer of questions; safe to share between threads, which wait for each other."""

    def __init__(self) -> None:
        import torch

        torch.set_num_threads(THREADS)
        self._torch = torch
        self._lock = threading.Lock()
        self._loaded: Loaded = load(PACKAGED)
        tokenizer = self._loaded.tokenizer
        self._starts = [self._ids(word)[0] for word in _STARTS]
        spaced = {f" {word}" for word in _FRAME} | {f" {word.capitalize()}" for word in _FRAME}
        self._banned = [ids[0] for word in spaced if len(ids := self._ids(word)) == 1]
        self._banned += [token for token in range(len(tokenizer)) if '"' in tokenizer.decode([token])]

    def questions(self, texts: list[str], wanted: int = 5) -> list[Written]:
        """Write different questions for each text.

        Parameters
        ----------
        texts : list of str
            Of each, the first 400 tokens are read.
        wanted : int
            At most so many per text; fewer where the model found fewer that end with a question mark.
        """
        read = [self._ids(text) for text in texts]
        with self._lock, self._torch.inference_mode():
            # Products this small: beside other work, threads wait for each other longer than they compute.
            self._torch.set_num_threads(1)
            try:
                rows = self._continued([self._prompt(ids[:READ]) for ids in read], wanted)
            finally:
                self._torch.set_num_threads(THREADS)
        return [
            Written(tuple(self._usable(begun)[:wanted]), len(ids) > READ) for ids, begun in zip(read, rows, strict=True)
        ]

    def _ids(self, text: str, *, special: bool = False) -> list[int]:
        # A text that spells out a special token is text: it must not end a turn.
        found = self._loaded.tokenizer(text, add_special_tokens=False, split_special_tokens=not special, verbose=False)
        return list(found["input_ids"])

    def _prompt(self, text: list[int]) -> list[int]:
        begin = self._ids("<|im_start|>system\n", special=True) + self._ids(_SYSTEM)
        middle = self._ids("<|im_end|>\n<|im_start|>user\n", special=True) + self._ids("Text:\n") + text
        end = self._ids("<|im_end|>\n<|im_start|>assistant\n", special=True)
        return begin + middle + self._ids(_REQUEST) + end

    def _continued(self, prompts: list[list[int]], wanted: int) -> list[list[list[int]]]:
        """Begin each prompt's reply with several first words and go on greedily, all in one batch."""
        torch, model = self._torch, self._loaded.model
        device = model.device
        longest = max(map(len, prompts))
        ids = torch.zeros((len(prompts), longest), dtype=torch.long, device=device)
        mask = torch.zeros((len(prompts), longest), dtype=torch.long, device=device)
        for row, prompt in enumerate(prompts):
            ids[row, longest - len(prompt) :] = torch.tensor(prompt)
            mask[row, longest - len(prompt) :] = 1
        positions = (mask.cumsum(-1) - 1).clamp(min=0)
        out = model(input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=True, logits_to_keep=1)
        starts = torch.tensor(self._starts, device=device)
        chosen = starts[out.logits[:, -1].float()[:, starts].topk(BEGUN, dim=-1).indices]
        cache: Any = out.cache
        cache.batch_repeat_interleave(BEGUN)
        mask, at = mask.repeat_interleave(BEGUN, 0), positions[:, -1].repeat_interleave(BEGUN, 0)
        last = chosen.reshape(-1)
        made = [[token] for token in last.tolist()]
        live = list(range(len(made)))
        replies: list[list[list[int]]] = []
        for _ in range(LENGTH):
            mask = torch.cat([mask, mask.new_ones((len(live), 1))], dim=-1)
            at = at + 1
            out = model(
                input_ids=last[:, None], attention_mask=mask, position_ids=at[:, None], cache=cache, use_cache=True
            )
            scores = out.logits[:, -1].float()
            scores[:, self._banned] = -torch.inf
            for row, one in enumerate(live):
                scores[row, _repeating(made[one])] = -torch.inf
            last = scores.argmax(-1)
            for one, token in zip(live, last.tolist(), strict=True):
                made[one].append(token)
            kept = [row for row, one in enumerate(live) if not self._ended(made[one][-1])]
            replies = [made[row * BEGUN : (row + 1) * BEGUN] for row in range(len(prompts))]
            if not kept or all(len(self._usable(reply)) >= wanted for reply in replies):
                break
            if len(kept) < len(live):
                rest = torch.tensor(kept, device=device)
                cache.batch_select_indices(rest)
                mask, at, last, live = mask[rest], at[rest], last[rest], [live[row] for row in kept]
        return replies

    def _ended(self, token: int) -> bool:
        return token == self._loaded.tokenizer.eos_token_id or "?" in self._said([token])

    def _said(self, tokens: list[int]) -> str:
        return str(self._loaded.tokenizer.decode(tokens, skip_special_tokens=True))

    def _usable(self, begun: list[list[int]]) -> list[str]:
        """Keep what is one whole question of at least four words, once each."""
        said = (" ".join(self._said(tokens).split()) for tokens in begun)
        return list(dict.fromkeys(one for one in said if one.endswith("?") and len(one.split()) >= 4))


def _repeating(said: list[int]) -> list[int]:
    """Tokens that would make three in a row that were said before."""
    pair = tuple(said[-2:])
    return [said[index + 2] for index in range(len(said) - 2) if tuple(said[index : index + 2]) == pair]


@lru_cache(maxsize=1)
def writer() -> Writer:
    """Load the model once per process: about 3 s after it was converted the first time."""
    return Writer()
