"""Judges: who says which Legal Data Points an answer has and how each is tagged.

A judge gets one answer and its document and returns one :class:`~lemaj_core.types.Judgement`; it never computes a
score, never reads or writes the store, and never stops a run. Whatever it asks of a model goes through the ``ask``
it is given, which looks into the ledger first and keeps every raw reply.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

from lemaj_core.errors import SettingsError
from lemaj_core.text.wording import Wording
from lemaj_core.types import Document, Item, Judgement, Reply, Request, RunSettings, juror

if TYPE_CHECKING:
    from lemaj_core.judge.data_points import Model

Call = Callable[[Request], Awaitable[Reply]]
"""Sends one request to a model."""

Ask = Callable[[Request, Call], Awaitable[Reply]]
"""Answers a request from the ledger, or sends it with the given call and keeps the reply."""

OFFLINE = "offline"
SCRIPTED = "scripted:"


class Judge(Protocol):
    """Anything that can judge one answer.

    Attributes
    ----------
    name : str
        Under which its judgements are stored; for a model judge the name of the model.
    approximate : bool
        True for a judge whose tags are estimates of a small model and are shown as such.
    version : str
        Changes whenever the same answer could be judged differently: prompt, parameters, thresholds.
    """

    name: str
    approximate: bool
    version: str

    async def judge(self, item: Item, document: Document | None, ask: Ask, *, repeat: int = 0) -> Judgement:
        """Judge one answer; ``repeat`` is the number of earlier failed tries of this answer."""
        ...


def make(name: str, settings: RunSettings, words: Wording | None = None) -> Judge:
    """Build the judge of that name.

    Parameters
    ----------
    name : str
        "offline"; "scripted:PATH" (replies from a JSONL file, for tests and demonstrations); else a model name as
        litellm writes them, for example "openai/gpt-4o", "anthropic/claude-sonnet-4-5", "ollama_chat/qwen3".
        "MODEL#2" is the same model as a juror of its own, "MODEL#VERSION" asks with the prompt of that version.
    settings : RunSettings
        Strictness, use of reference answers, base URL, timeout and concurrency.
    words : Wording, optional
        The prompt that the name's version stands for; by default the product's own.

    Raises
    ------
    SettingsError
        If no such judge exists, the script cannot be read, or no provider is known for the model.
    """
    name = name.strip()
    if not name:
        raise SettingsError("a judge has an empty name; use 'offline' or a model name such as 'openai/gpt-4o'")
    if name == OFFLINE:
        from lemaj_core.judge.local import LocalJudge

        return LocalJudge(settings)
    if juror(name).model == OFFLINE:
        raise SettingsError(f"{name!r} would say what 'offline' says: that judge asks no model and has no prompt")

    from lemaj_core.judge.data_points import DataPointJudge

    return DataPointJudge(name, settings, model=sender(name, settings), words=words)


def sender(name: str, settings: RunSettings) -> "Model":
    """Build what sends requests to the model of that name: a script where the name says so, else litellm.

    Raises
    ------
    SettingsError
        If the script cannot be read, or no provider is known for the model.
    """
    name = juror(name).model
    if name.startswith(SCRIPTED):
        from lemaj_core.models.scripted import ScriptedModel

        return ScriptedModel.load(name.removeprefix(SCRIPTED))
    from lemaj_core.models.chat import ChatModel

    return ChatModel(name, settings)
