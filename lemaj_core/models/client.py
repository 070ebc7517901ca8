"""Loads litellm once, quietly: no telemetry, no price download, no logging, and nothing computed that is thrown away.

Importing this file loads nothing; :func:`litellm` takes seconds the first time, so whoever waits for it does so in a
thread. It sends nothing itself.
"""

import gc
import logging
import os
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

_NOISY = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "openai")


@cache
def litellm() -> Any:
    """Give the library, set up so that it asks nobody but the model."""
    # Without the first, the import fetches a price table from the network.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_TELEMETRY_GROUPS"] = ""
    import litellm as library
    from litellm.litellm_core_utils.litellm_logging import Logging

    library.suppress_debug_info = True
    library.drop_params = True
    library.disable_hf_tokenizer_download = True
    # A fifth of the time of a call goes into a price that nobody reads: prices.py prices the reported usage, later too.
    setattr(Logging, "response_cost_calculator", _no_price)  # noqa: B010  (the type checker knows no other way)
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # The library's tables are hundreds of thousands of objects that never go; looking through them again and again
    # for garbage takes a tenth of the time of a run.
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    return library


def loaded() -> bool:
    """Whether :func:`litellm` returns at once."""
    return bool(litellm.cache_info().currsize)


def unrecorded() -> AbstractContextManager[None]:
    """Make calls inside that litellm prepares no record of for its logging services; there are none."""
    from litellm._internal_context import internal_sub_call

    quiet: AbstractContextManager[None] = internal_sub_call()
    return quiet


def _no_price(*args: object, **named: object) -> None:
    return None
