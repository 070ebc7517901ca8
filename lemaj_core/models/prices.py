"""What a request weighs and costs, read from the tables inside the litellm package without importing it.

A plan must be quick and ask nobody, and the import takes seconds. An unknown price or context is None, never 0:
whoever adds costs up has to see that one is missing.
"""

import importlib.metadata
import importlib.util
import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

_PIECE = re.compile(r"(?=<<<)")
_LONGEST_PIECE = 20_000
_PER_MESSAGE = 4


@cache
def _package() -> Path:
    found = importlib.util.find_spec("litellm")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("litellm is not installed; say: pip install -r requirements.txt")
    return Path(found.submodule_search_locations[0])


@cache
def _table() -> dict[str, dict[str, Any]]:
    path = _package() / "model_prices_and_context_window_backup.json"
    table: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    table.pop("sample_spec", None)
    return table


@cache
def _providers() -> frozenset[str]:
    path = _package() / "provider_endpoints_support_backup.json"
    return frozenset(json.loads(path.read_text(encoding="utf-8"))["providers"])


def is_known(model: str) -> bool:
    """Whether a name leads somewhere: it is in the table, or begins with the name of a provider."""
    provider, slash, bare = model.partition("/")
    return model in _table() or bool(slash and bare and provider in _providers())


def table_version() -> str:
    """Name of the table that prices come from, for example "litellm 1.110.2"."""
    return f"litellm {importlib.metadata.version('litellm')}"


def facts(model: str) -> Mapping[str, Any] | None:
    """Entry of a model in the table; None if it is not there under its own provider.

    A model of another provider with the same name is no match: "hosted_vllm/gpt-4o" is not OpenAI's.
    """
    table = _table()
    if model in table:
        return table[model]
    provider, slash, bare = model.partition("/")
    entry = table.get(bare) if slash else None
    return entry if entry is not None and str(entry.get("litellm_provider", "")).startswith(provider) else None


def price(model: str, tokens_in: int, tokens_out: int, *, cached: int = 0) -> float | None:
    """Price of one call in US dollars.

    Parameters
    ----------
    model : str
        Model name as litellm writes it.
    tokens_in, tokens_out : int
        Tokens sent (those from the provider's cache included) and received, n >= 0.
    cached : int
        How many of the tokens sent were billed as read from the provider's cache.

    Returns
    -------
    float or None
        >= 0; None when the table has no price for the model. A price of 0 in the table (self-hosted) is 0.
    """
    entry = facts(model)
    if entry is None:
        return None
    per_in, per_out = _rate(entry, "input_cost_per_token", tokens_in), _rate(entry, "output_cost_per_token", tokens_in)
    if per_in is None or per_out is None:
        return None
    per_cached = _rate(entry, "cache_read_input_token_cost", tokens_in)
    cached = min(cached, tokens_in)
    return (
        (tokens_in - cached) * per_in + cached * (per_in if per_cached is None else per_cached) + tokens_out * per_out
    )


def _rate(entry: Mapping[str, Any], name: str, tokens_in: int) -> float | None:
    """Price per token, from the highest tier ("..._above_200k_tokens") that the prompt reaches."""
    rate, reached = entry.get(name), 0
    for key, value in entry.items():
        tier = re.fullmatch(rf"{name}_above_(\d+)k_tokens", key)
        if tier and reached < int(tier[1]) * 1000 < tokens_in and value is not None:
            rate, reached = value, int(tier[1]) * 1000
    return None if rate is None else float(rate)


def price_of_usage(model: str, usage: Mapping[str, Any]) -> float | None:
    """Price of a call from the usage that the provider reported; None without usage or price."""
    sent, received = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if sent is None or received is None or not sent:
        return None
    details = usage.get("prompt_tokens_details") or {}
    return price(model, int(sent), int(received), cached=int(details.get("cached_tokens") or 0))


def context_window(model: str) -> int | None:
    """Tokens that the model reads and writes together; None when the table does not say."""
    entry = facts(model)
    size = entry.get("max_input_tokens") or entry.get("max_tokens") if entry else None
    return int(size) if size else None


def longest_reply(model: str) -> int | None:
    """Tokens that the model writes at most; None when the table does not say."""
    entry = facts(model)
    size = entry.get("max_output_tokens") if entry else None
    return int(size) if size else None


def reads_schema(model: str) -> bool | None:
    """Whether the model replies by a JSON schema; None when the table does not know the model."""
    entry = facts(model)
    return None if entry is None else bool(entry.get("supports_response_schema"))


def count_tokens(model: str, messages: Iterable[Mapping[str, str]]) -> int:
    """Tokens in a conversation.

    Counted with OpenAI's vocabulary, exact to a few tokens for OpenAI's models and an estimate for others (usually
    within a fifth). Repeated pieces, such as the rules and a contract that many questions are about, are counted once.

    Parameters
    ----------
    model : str
        Model name as litellm writes it; older OpenAI models have another vocabulary.
    messages : iterable of mapping
        With "role" and "content".
    """
    name = "cl100k_base" if re.search(r"gpt-4(?!o|\.|-5)|gpt-3", model) else "o200k_base"
    total = 3
    for message in messages:
        total += _PER_MESSAGE
        for piece in _PIECE.split(message["content"]):
            for start in range(0, len(piece), _LONGEST_PIECE):
                total += _tokens(name, piece[start : start + _LONGEST_PIECE])
    return total


@lru_cache(maxsize=256)
def _tokens(encoding: str, text: str) -> int:
    return len(_encoding(encoding).encode(text, disallowed_special=()))


@cache
def _encoding(name: str) -> Any:
    # tiktoken fetches its vocabularies unless they lie in this folder; the package brings them.
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(_package() / "litellm_core_utils" / "tokenizers"))
    import tiktoken

    return tiktoken.get_encoding(name)
