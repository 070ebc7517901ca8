"""Evaluate legal answers by their Legal Data Points (LeMAJ).

Two names make up the short way in; they are loaded when first used, so that importing a part of the core never loads
the whole.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lemaj_core.ingest import load_dataset as load_dataset
    from lemaj_core.pipeline import evaluate as evaluate

_HOMES = {"load_dataset": "lemaj_core.ingest", "evaluate": "lemaj_core.pipeline"}
__all__ = ["evaluate", "load_dataset"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'lemaj_core' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
