"""How likely an answer is to a language model, given a question and passages, and with each passage left out.

The answer is fixed and read token by token (teacher forcing); f = exp(mean log-probability of its tokens). Two ways:
exact, which agrees with one pass per context to 1e-4, and a fast approximation that is never the default and says so.
Formulas over these confidences stand in ``lemaj_core.metrics.context_utilization``.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from lemaj_core.errors import CallFailed
from lemaj_core.models.likelihood_ids import ContextTooLong, Pieces, encode
from lemaj_core.models.likelihood_load import PACKAGED, Loaded, load
from lemaj_core.models.likelihood_passes import ATTENTION, Branch, Scored, branch, narrow, plain, register, scored
from lemaj_core.models.offline import THREADS
from lemaj_core.types import FailureKind

__all__ = ["PACKAGED", "Agreement", "Confidences", "ContextTooLong", "Proxy", "agreement", "proxy"]

_TOLERANCE = 1e-4
# Rotations whose frequencies depend on the length of the pass: a shared start would not be the same start.
_BY_LENGTH = {"dynamic", "longrope"}


@dataclass(frozen=True, slots=True)
class Confidences:
    """What a proxy gives an answer: with all passages, and without each in turn.

    Attributes
    ----------
    full : float
        exp(mean log P) over the answer's tokens, in [0, 1].
    without : array of float, shape (n,)
        The same without passage i.
    entropy_full, entropy_without : float, array of float
        Minus the mean entropy of the predictions at the answer's tokens, in nats (<= 0).
    context_tokens, answer_tokens : int
    approximate : bool
        True for the fast way: ``without`` and ``entropy_without`` are approximations then.
    """

    full: float
    without: np.ndarray
    entropy_full: float
    entropy_without: np.ndarray
    context_tokens: int
    answer_tokens: int
    approximate: bool


@dataclass(frozen=True, slots=True)
class Agreement:
    """The fast way measured against the exact one on one answer.

    ``pearson`` is over the effects full - without; None where all effects of one way are equal or there are fewer
    than three. ``same_strongest``: the three largest effects belong to the same passages.
    """

    exact: Confidences
    fast: Confidences
    pearson: float | None
    same_strongest: bool


class Proxy:
    """A causal language model that scores answers; safe to share between threads, which wait for each other.

    Parameters
    ----------
    name : str
        ``PACKAGED``, a folder, a GGUF file or a name on a hub.
    device : str, optional
        A torch device; a GPU where there is one by default.
    tokens_at_once : int, optional
        Tokens of shortened contexts in one pass. Changes speed and memory, not results.
    """

    def __init__(self, name: str = PACKAGED, *, device: str | None = None, tokens_at_once: int | None = None) -> None:
        import torch

        torch.set_num_threads(THREADS)
        self.name = name
        self._loaded: Loaded = load(name, device=device)
        self._tokens_at_once = tokens_at_once
        self._lock = threading.Lock()
        self.shares_prefixes = _shares_prefixes(self._loaded.model)

    @property
    def window(self) -> int | None:
        """Tokens that the proxy can read; None where it has no limit."""
        return self._loaded.window

    def confidences(self, question: str, claims: Sequence[str], answer: str, *, fast: bool = False) -> Confidences:
        """Score an answer given all claims, and without each claim in turn.

        Parameters
        ----------
        question, answer : str
        claims : sequence of str
            In the order in which the proxy reads them; documents work the same.
        fast : bool
            Approximate: the context is read once, and one claim at a time is hidden from the answer only. What the
            other claims took from the hidden one stays. A proxy whose prefixes cannot be shared scores exactly all
            the same.

        Returns
        -------
        Confidences

        Raises
        ------
        SettingsError
            If the answer is empty.
        ContextTooLong
            If context and answer do not fit the proxy's window; nothing is cut off.
        CallFailed
            If the proxy gives something that is no number.
        """
        pieces = self._encode(question, claims, answer)
        context = pieces.context()
        with self._lock:
            if not self.shares_prefixes:
                contexts = [context, *(pieces.context(index) for index in range(len(claims)))]
                found = plain(self._loaded.model, contexts, pieces.answer)
            else:
                make = _hiding if fast else _leaving_out
                branches = [make(pieces, context, index) for index in range(len(claims))]
                found = scored(
                    self._loaded.model, context, pieces.answer, branches, tokens_at_once=self._tokens_at_once
                )
        return _confidences(found, pieces, approximate=fast and self.shares_prefixes)

    def confidence(self, question: str, passages: Sequence[str], answer: str) -> Confidences:
        """Score an answer given passages, without leaving any out: ``without`` is empty."""
        pieces = self._encode(question, passages, answer)
        with self._lock:
            found = plain(self._loaded.model, [pieces.context()], pieces.answer)
        return _confidences(found, pieces, approximate=False)

    def _encode(self, question: str, passages: Sequence[str], answer: str) -> Pieces:
        return encode(self._loaded.tokenizer, question, list(passages), answer, window=self.window)


@lru_cache(maxsize=8)
def proxy(name: str = PACKAGED) -> Proxy:
    """Load a proxy once per process."""
    return Proxy(name)


def agreement(model: Proxy, question: str, claims: Sequence[str], answer: str) -> Agreement:
    """Score an answer in both ways and say how well the fast one agrees with the exact one."""
    exact = model.confidences(question, claims, answer)
    fast = model.confidences(question, claims, answer, fast=True)
    effects = [found.full - found.without for found in (exact, fast)]
    varied = len(claims) > 2 and all(np.ptp(effect) > 0 for effect in effects)
    strongest = [set(np.argsort(-effect, kind="stable")[:3].tolist()) for effect in effects]
    return Agreement(
        exact, fast, float(np.corrcoef(effects[0], effects[1])[0, 1]) if varied else None, strongest[0] == strongest[1]
    )


def _leaving_out(pieces: Pieces, context: Sequence[int], index: int) -> Branch:
    return branch(context, pieces.context(index), pieces.answer)


def _hiding(pieces: Pieces, context: Sequence[int], index: int) -> Branch:
    begin, end = pieces.span(index)
    position = len(context) - len(pieces.tail)
    return Branch((*pieces.tail, *pieces.answer[:-1]), position, ((0, begin), (end, position)))


def _confidences(found: Scored, pieces: Pieces, *, approximate: bool) -> Confidences:
    if not (np.isfinite(found.logprob).all() and np.isfinite(found.entropy).all()):
        raise CallFailed(FailureKind.INTERNAL, "the proxy gave a log-probability that is no number")
    values = np.exp(found.logprob)
    return Confidences(
        full=float(values[0]),
        without=values[1:],
        entropy_full=float(-found.entropy[0]),
        entropy_without=-found.entropy[1:],
        context_tokens=len(pieces.context()),
        answer_tokens=len(pieces.answer),
        approximate=approximate,
    )


def _shares_prefixes(model: Any) -> bool:
    """Switch a model to branches and say whether it then agrees with plain passes; if not, switch it back.

    Tried on a few tokens rather than looked up in a list of architectures: windows and rotations that depend on
    the length cannot be seen on few tokens and are read from the configuration.
    """
    config = model.config.get_text_config()
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    rope = getattr(config, "rope_parameters", None) or {}
    if kinds != {"full_attention"} or str(rope.get("rope_type")) in _BY_LENGTH:
        return False
    # Mistral's configuration has a window for all layers, Qwen2's one that is switched off.
    if getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True):
        return False
    some = [token * 7 % config.vocab_size for token in range(1, 17)]
    trunk, answer = some[:12], some[12:]
    shorter = [trunk[:3] + trunk[6:], trunk[:5] + trunk[9:]]
    expected = plain(model, [trunk, *shorter], answer)
    before = config._attn_implementation
    try:
        register()
        model.set_attn_implementation(ATTENTION)
        narrow(model)
        found = scored(model, trunk, answer, [branch(trunk, one, answer) for one in shorter])
        if np.allclose(found.logprob, expected.logprob, rtol=0, atol=_TOLERANCE):
            return True
    except (TypeError, ValueError, RuntimeError, AttributeError, NotImplementedError, LookupError):
        pass
    model.set_attn_implementation(before)
    return False
