"""What a user should know of a judge before a run: where the text goes, which key it wants, what it can score.

Pure: reads the environment's names when asked and asks no model. The table of variables is the one that litellm
documents for each provider; the library itself is not imported here because it would load the web process.
"""

import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from lemaj_core.metrics.table import Metric

OFFLINE = "offline"

VARIABLES: dict[str, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "azure": ("AZURE_API_KEY", "AZURE_API_BASE", "AZURE_API_VERSION"),
    "azure_ai": ("AZURE_AI_API_KEY", "AZURE_AI_API_BASE"),
    "bedrock": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    "vertex_ai": ("GOOGLE_APPLICATION_CREDENTIALS",),
    "gemini": ("GEMINI_API_KEY",),
    "together_ai": ("TOGETHERAI_API_KEY",),
    "perplexity": ("PERPLEXITYAI_API_KEY",),
    "huggingface": ("HUGGINGFACE_API_KEY",),
    "datarobot": ("DATAROBOT_API_TOKEN",),
    "dashscope": ("DASHSCOPE_API_KEY",),
    "ollama": (),
    "ollama_chat": (),
    "lm_studio": (),
    "llamafile": (),
    "hosted_vllm": (),
}
"""Provider -> variables that must be set. Any other provider wants ``PROVIDER_API_KEY``."""

BARE = (("gpt-", "openai"), ("o1", "openai"), ("o3", "openai"), ("o4", "openai"), ("chatgpt-", "openai"),
        ("claude-", "anthropic"), ("gemini-", "vertex_ai"), ("command-", "cohere"))  # fmt: skip
"""Beginnings of model names that litellm accepts without a provider."""

OWN_SERVER = ("ollama", "ollama_chat", "lm_studio", "llamafile", "hosted_vllm")
"""Providers that are a server of the user's own, on this machine unless a base URL says otherwise."""


class Place(StrEnum):
    """Where the text of a run goes."""

    MACHINE = "this machine"
    NETWORK = "your own network"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Destination:
    """Who receives the questions, answers and documents."""

    place: Place
    receiver: str

    @property
    def sentence(self) -> str:
        """What to tell the user."""
        if self.place is Place.OUTSIDE:
            return f"Text leaves this machine and goes to {self.receiver}."
        return f"Text stays on {self.place} ({self.receiver})."


@dataclass(frozen=True, slots=True)
class Ability:
    """Whether a metric can be computed for the chosen data and judges, and what to say about it."""

    metric: Metric
    possible: bool
    note: str = ""


def is_local(model: str) -> bool:
    """Whether a judge runs inside this program and sends nothing anywhere."""
    return model == OFFLINE or model.startswith("scripted:")


def provider(model: str) -> str | None:
    """Return the provider part of a model name, or None where the name does not tell."""
    if "/" in model:
        return model.split("/", 1)[0].lower()
    return next((name for beginning, name in BARE if model.lower().startswith(beginning)), None)


def variables(model: str) -> tuple[str, ...] | None:
    """Return the environment variables that a model wants; None where the name does not tell the provider."""
    if is_local(model):
        return ()
    name = provider(model)
    if name is None:
        return None
    return VARIABLES.get(name, (f"{name.upper().replace('-', '_')}_API_KEY",))


def unset(model: str) -> tuple[str, ...]:
    """Return the variables that a model wants and that are not set. Looks at names, never shows a value."""
    return tuple(name for name in variables(model) or () if not os.environ.get(name))


def destination(model: str, base_url: str | None = None) -> Destination:
    """Say where the text of a run with this judge goes."""
    if is_local(model):
        return Destination(Place.MACHINE, "this program")
    name = provider(model)
    if not base_url:
        if name in OWN_SERVER:
            return Destination(Place.MACHINE, name or "")
        return Destination(Place.OUTSIDE, name or "the provider of " + model)
    host = urlsplit(base_url if "//" in base_url else f"//{base_url}").hostname or base_url
    return Destination(_place(host), host)


def _place(host: str) -> Place:
    if host == "localhost" or host.endswith(".localhost"):
        return Place.MACHINE
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        own = "." not in host or host.endswith((".local", ".lan", ".internal", ".home.arpa"))
        return Place.NETWORK if own else Place.OUTSIDE
    if address.is_loopback:
        return Place.MACHINE
    return Place.NETWORK if address.is_private else Place.OUTSIDE


def abilities(metrics: Sequence[Metric], judges: Sequence[str], *, checkable: bool, reference: bool) -> list[Ability]:
    """Say for each metric whether it can be computed.

    Parameters
    ----------
    metrics : sequence of Metric
        What is asked for.
    judges : sequence of str
        Chosen judges.
    checkable : bool
        Whether the answers come with documents or contexts.
    reference : bool
        Whether the answers come with a reference answer.
    """
    remote = [judge for judge in judges if not is_local(judge)]
    return [_ability(metric, judges, remote, checkable, reference) for metric in metrics]


def _ability(metric: Metric, judges: Sequence[str], remote: Sequence[str], checkable: bool, reference: bool) -> Ability:
    if not judges:
        return Ability(metric, False, "No judge chosen.")
    if "reference" in metric.needs and not reference:
        return Ability(metric, False, "Undefined: no answer has a reference answer to be compared with.")
    if not checkable and any("contexts" in need for need in metric.needs):
        return Ability(metric, False, "Undefined: no answer has a document or contexts.")
    if "data_points" not in metric.needs or checkable:
        return Ability(metric, True)
    if not remote:
        return Ability(
            metric, False, "Undefined: no answer has a document, so the offline judge has nothing to check against."
        )
    against = "its own knowledge and the reference answer" if reference else "its own knowledge"
    note = f"No answer has a document: a model judges by {against}."
    if OFFLINE in judges:
        note += " For the offline judge the scores are undefined."
    return Ability(metric, True, note)
