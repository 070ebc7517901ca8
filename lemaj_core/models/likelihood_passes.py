"""Many nearly equal contexts through one causal model: what they share is computed once.

The trunk (whole context and answer) runs first and leaves its keys and values. A branch is another context: it keeps
some of the trunk's keys and runs only its own tokens. Branches lie end to end in one row, without padding; attention
is computed branch by branch through transformers' attention interface, so that no branch sees another. This module
knows token ids, not texts, and no formula.
"""

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch

ATTENTION = "lemaj_branches"
# Queries per call of the attention kernel: a causal block costs twice its useful half, a small one its overhead.
_BLOCK = {"cpu": 128, "cuda": 512}
# Tokens per pass and floats of logits per pass. Larger ones were no faster on two cores and take more memory.
_TOKENS = {"cpu": 1024, "cuda": 16384}
_LOGITS = {"cpu": 2**25, "cuda": 2**29}


@dataclass(frozen=True, slots=True)
class Branch:
    """Own token ids, the position of the first, and the ranges of the trunk's keys that they see besides."""

    ids: tuple[int, ...]
    position: int
    kept: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """Per context: mean log-probability of the answer's tokens and mean entropy of the predictions, in nats."""

    logprob: np.ndarray
    entropy: np.ndarray


@dataclass(slots=True)
class _Plan:
    """What the attention function must know about the pass that is running."""

    block: int
    mask: "torch.Tensor"
    trunk: "dict[int, tuple[torch.Tensor, torch.Tensor]]" = field(default_factory=dict)
    branches: list[tuple[int, int, tuple[tuple[int, int], ...]]] = field(default_factory=list)
    tokens: int = 0
    rows: "torch.Tensor | None" = None


_PLAN: ContextVar[_Plan | None] = ContextVar("plan", default=None)


def register() -> None:
    """Make the attention known to transformers under the name ``ATTENTION``."""
    from transformers import AttentionInterface

    AttentionInterface.register(ATTENTION, _attend)


def _attend(
    module: Any,
    query: "torch.Tensor",
    key: "torch.Tensor",
    value: "torch.Tensor",
    attention_mask: Any,
    scaling: float | None = None,
    dropout: float = 0.0,
    **unused: Any,
) -> "tuple[torch.Tensor, None]":
    """Attention of transformers' interface: (1, heads, tokens, width) in, (1, tokens, heads, width) out."""
    import torch

    plan = _PLAN.get()
    heads = key.shape[1]
    # Query heads that share a key head stand beside it as a view: repeating the keys would cost a copy per layer.
    grouped = query[0].unflatten(0, (heads, -1))
    groups = grouped.shape[1]

    def attend(queries: Any, keys: Any, values: Any, **how: Any) -> Any:
        shared = (keys[:, None].expand(-1, groups, -1, -1), values[:, None].expand(-1, groups, -1, -1))
        return torch.nn.functional.scaled_dot_product_attention(queries, *shared, scale=scaling, **how)

    if plan is None or not plan.branches:
        if plan is not None:
            plan.trunk[module.layer_idx] = (key[0], value[0])
        return attend(grouped, key[0], value[0], is_causal=True).flatten(0, 1).transpose(0, 1)[None], None
    out = query.new_empty((query.shape[2], heads * groups, value.shape[-1]))
    trunk_keys, trunk_values = plan.trunk[module.layer_idx]
    longest = plan.mask.shape[1] - plan.block
    for begin, end, kept in plan.branches:
        keys = torch.cat([*(trunk_keys[:, a:b] for a, b in kept), key[0, :, begin:end]], 1)
        values = torch.cat([*(trunk_values[:, a:b] for a, b in kept), value[0, :, begin:end]], 1)
        before = keys.shape[1] - (end - begin)
        for start in range(begin, end, plan.block):
            stop = min(end, start + plan.block)
            seen = before + stop - begin
            mask = plan.mask[: stop - start, longest - (seen - (stop - start)) : longest + (stop - start)]
            part = attend(grouped[:, :, start:stop], keys[:, :seen], values[:, :seen], attn_mask=mask)
            out[start:stop] = part.flatten(0, 1).transpose(0, 1)
    return out[None], None


def narrow(model: Any) -> None:
    """Let the last layer compute only what predicts the answer: nothing reads its other rows.

    Keys and values are still made for all tokens. Nothing changes outside of ``scored``.
    """
    base = model.base_model
    layers = getattr(base, "layers", None) or getattr(base, "h", None)
    if not layers:
        return
    attention = getattr(layers[-1], "self_attn", None)
    parts = (getattr(layers[-1], "mlp", None), getattr(attention, "q_proj", None), getattr(attention, "o_proj", None))
    for part in parts:
        if part is not None:
            part.register_forward_pre_hook(_take_rows)
            part.register_forward_hook(_spread_rows)


def _take_rows(module: Any, given: Any) -> Any:
    plan = _PLAN.get()
    return None if plan is None or plan.rows is None else (given[0][:, plan.rows], *given[1:])


def _spread_rows(module: Any, given: Any, output: Any) -> Any:
    plan = _PLAN.get()
    if plan is None or plan.rows is None:
        return None
    # As long as the keys of this layer: rows that nothing reads may hold anything but must be there.
    whole = output.new_zeros((1, plan.tokens, output.shape[-1]))
    whole[:, plan.rows] = output
    return whole


def branch(trunk: Sequence[int], context: Sequence[int], answer: Sequence[int]) -> Branch:
    """Give the branch of another context: the longest start that it shares with the trunk is not run again."""
    # The last token before the answer is always run: its output predicts the answer's first token.
    most = min(len(trunk), len(context) - 1)
    shared = next((index for index in range(most) if trunk[index] != context[index]), most)
    return Branch((*context[shared:], *answer[:-1]), shared, ((0, shared),))


def scored(
    model: Any,
    context: Sequence[int],
    answer: Sequence[int],
    branches: Sequence[Branch],
    *,
    tokens_at_once: int | None = None,
) -> Scored:
    """Score the answer after the whole context, and after the context of each branch.

    Parameters
    ----------
    model : transformers causal model whose attention is ``ATTENTION``
    context, answer : sequence of int
        Token ids; the trunk is both, joined.
    branches : sequence of Branch
        Their ids end with the answer's ids but the last.
    tokens_at_once : int, optional
        Tokens of branches in one pass; at least one branch is always run. Results do not depend on it.

    Returns
    -------
    Scored
        Arrays of shape (1 + branches,), the whole context first.
    """
    import torch

    kind = "cuda" if model.device.type == "cuda" else "cpu"
    limit = tokens_at_once or _TOKENS[kind]
    rows = max(1, _LOGITS[kind] // model.config.get_text_config().vocab_size)
    block = _BLOCK[kind]
    whole = Branch((*context, *answer[:-1]), 0, ())
    longest = max(len(one.ids) + sum(b - a for a, b in one.kept) for one in (whole, *branches))
    # Row r sees every column up to longest + r: any slice that ends in the diagonal block is a causal mask.
    mask = torch.full((block, longest + block), float("-inf"), device=model.device, dtype=model.dtype).triu(longest + 1)
    plan = _Plan(block, mask)
    token = _PLAN.set(plan)
    try:
        with torch.inference_mode():
            results = [_run(model, plan, [whole], answer)]
            for batch in _batches(branches, limit, rows // len(answer)):
                ends = np.cumsum([len(one.ids) for one in batch]).tolist()
                plan.branches = [(end - len(one.ids), end, one.kept) for one, end in zip(batch, ends, strict=True)]
                results.append(_run(model, plan, batch, answer))
    finally:
        _PLAN.reset(token)
    return Scored(np.concatenate([r.logprob for r in results]), np.concatenate([r.entropy for r in results]))


def _batches(branches: Sequence[Branch], tokens: int, most: int) -> list[list[Branch]]:
    """Fill batches in order, up to so many tokens and branches."""
    batches: list[list[Branch]] = []
    used = 0
    for one in branches:
        if not batches or used + len(one.ids) > tokens or len(batches[-1]) >= most:
            batches.append([])
            used = 0
        batches[-1].append(one)
        used += len(one.ids)
    return batches


def _run(model: Any, plan: _Plan, batch: Sequence[Branch], answer: Sequence[int]) -> Scored:
    import torch

    ids = [token for one in batch for token in one.ids]
    positions = [one.position + step for one in batch for step in range(len(one.ids))]
    ends = np.cumsum([len(one.ids) for one in batch])
    wanted = np.concatenate([np.arange(end - len(answer), end) for end in ends])
    tensor = {"device": model.device, "dtype": torch.long}
    plan.tokens, plan.rows = len(ids), torch.tensor(wanted, **tensor)
    logits = model(
        input_ids=torch.tensor([ids], **tensor),
        position_ids=torch.tensor([positions], **tensor),
        use_cache=False,
        logits_to_keep=plan.rows,
    ).logits[0]
    targets = torch.tensor([*answer] * len(batch), **tensor)
    logprob, entropy = summarised(logits, targets)
    shape = (len(batch), len(answer))
    return Scored(logprob.reshape(shape).mean(1), entropy.reshape(shape).mean(1))


def summarised(logits: "torch.Tensor", targets: "torch.Tensor") -> tuple[np.ndarray, np.ndarray]:
    """Give per row, from a softmax in float32, the target's log-probability and the entropy of the prediction."""
    import torch

    logprobs, entropies = [], []
    # In slices that stay in the processor's cache.
    for part, target in zip(logits.split(64), targets.split(64), strict=True):
        values = part.float()
        logprob, entropy = _softmax(values, target)
        if not torch.isfinite(entropy).all():
            # Tokens that a model rules out have -inf: 0 times that is no number.
            logprob, entropy = _softmax(values.clamp(min=-1e4), target)
        logprobs.append(logprob)
        entropies.append(entropy)
    return torch.cat(logprobs).double().cpu().numpy(), torch.cat(entropies).double().cpu().numpy()


def _softmax(values: "torch.Tensor", target: "torch.Tensor") -> "tuple[torch.Tensor, torch.Tensor]":
    """Give log P(target) and the entropy: with z = log of the sum of exp, x_t - z and z - mean of x under P."""
    import torch

    shares = torch.softmax(values, -1)
    largest, where = shares.max(-1, keepdim=True)
    z = values.gather(1, where) - largest.log()
    mean = torch.bmm(shares[:, None], values[:, :, None])[:, 0]
    return (values.gather(1, target[:, None]) - z)[:, 0], (z - mean)[:, 0]


def plain(model: Any, contexts: Sequence[Sequence[int]], answer: Sequence[int]) -> Scored:
    """Score the answer after each context in a pass of its own: what every other way must agree with."""
    import torch

    logprobs, entropies = [], []
    targets = torch.tensor([*answer], device=model.device)
    with torch.inference_mode():
        for context in contexts:
            ids = torch.tensor([[*context, *answer[:-1]]], device=model.device)
            logits = model(input_ids=ids, use_cache=False).logits[0, -len(answer) :]
            logprob, entropy = summarised(logits, targets)
            logprobs.append(logprob.mean())
            entropies.append(entropy.mean())
    return Scored(np.array(logprobs), np.array(entropies))
