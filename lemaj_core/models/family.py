"""Which house a model comes from, by its name alone: judges tend to favour answers of their own family."""

import re

_FAMILIES = {
    "openai": r"gpt|chatgpt|davinci|\bo[134](?:-|$)|^openai/o\d",
    "anthropic": r"claude|anthropic",
    "google": r"gemini|gemma|palm|bison",
    "meta": r"(?<!o)llama(?!file|.?cpp)",  # not Ollama, llamafile or llama.cpp, which run any model
    "mistral": r"mi[sx]tral|ministral|magistral|codestral",
    "qwen": r"qwen|qwq",
    "deepseek": r"deepseek",
    "microsoft": r"\bphi-?\d",
    "cohere": r"command|cohere|aya",
    "xai": r"grok",
    "amazon": r"\bnova-|titan",
    "moonshot": r"kimi|moonshot",
    "zhipu": r"\bglm",
    "huggingface": r"smollm",
}
_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _FAMILIES.items()}


def family(model: str) -> str | None:
    """House of a model.

    Parameters
    ----------
    model : str
        A model name as litellm writes them, or whatever a data set calls the system that wrote an answer.

    Returns
    -------
    str or None
        Name of the house; None for what is not recognised, for the offline judge and for scripts.

    Examples
    --------
    >>> family("bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0"), family("system A")
    ('anthropic', None)
    """
    if model == "offline" or model.startswith("scripted:"):
        return None
    # A distilled model ("DeepSeek-R1-Distill-Llama") answers like both; the first house named counts.
    found = {name: match.start() for name, pattern in _PATTERNS.items() if (match := pattern.search(model))}
    return min(found, key=found.__getitem__) if found else None
