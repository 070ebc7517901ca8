"""Sends a request to a language model through litellm, which is imported when the first call is made (client.py).

One try has a deadline, tries are repeated by kind of failure, ``Retry-After`` is honoured, and the number of calls in
flight adapts. Keys are handed over and never kept. Replies come back raw; reading them is not done here.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from lemaj_core.errors import SettingsError
from lemaj_core.models import client, prices
from lemaj_core.models.failures import ProviderFailed, translate
from lemaj_core.models.family import family
from lemaj_core.models.prices import context_window, count_tokens, price
from lemaj_core.models.secrets import check_base_url, key_for, own_address
from lemaj_core.models.throttle import Throttle
from lemaj_core.models.waiting import pause
from lemaj_core.types import FailureKind, Reply, Request, RunSettings

__all__ = ["ChatModel", "Patience", "context_window", "count_tokens", "family", "price"]

_LEAST_REPLY = 512
_NO_KEY = "no-key"
_SIGNED = ("bedrock", "sagemaker", "sagemaker_chat")  # sign a request with the secret and do not send it


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a call is tried. Seconds; ``tries`` counts per kind of the last failure, the first try included."""

    tries: Mapping[FailureKind, int] = field(
        default_factory=lambda: {FailureKind.RATE_LIMIT: 8, FailureKind.NETWORK: 4, FailureKind.TIMEOUT: 2}
    )
    first_wait: float = 1.0
    longest_wait: float = 60.0
    longest_hold: float = 300.0
    total: float = 1800.0


class ChatModel:
    """A language model behind litellm.

    Parameters
    ----------
    name : str
        As litellm writes it: "openai/gpt-4o", "anthropic/claude-sonnet-4-5", "ollama_chat/qwen3", "azure/DEPLOYMENT",
        "hosted_vllm/NAME". With a base URL a bare name is taken for an OpenAI-compatible server's.
    settings : RunSettings
        Base URL, deadline of one try, calls in flight.
    patience : Patience
        Tries and waits.
    throttle : Throttle, optional
        By default one of its own that allows the calls in flight of the settings.

    Raises
    ------
    SettingsError
        If no provider is known for the name, or the base URL is no address or holds a password.
    """

    def __init__(
        self,
        name: str,
        settings: RunSettings,
        *,
        patience: Patience | None = None,
        throttle: Throttle | None = None,
        sleep: Callable[[float], Awaitable[None]] = pause,
    ):
        check_base_url(settings.base_url)
        if not prices.is_known(name) and settings.base_url is None:
            raise SettingsError(
                f"no provider is known for the model {name!r}; write PROVIDER/MODEL, such as openai/gpt-4o or "
                "ollama_chat/qwen3, or give a base URL"
            )
        self.name = name
        self.timeout = settings.timeout
        self.patience = patience or Patience()
        self.throttle = throttle or Throttle(settings.concurrency)
        self._sleep = sleep
        self._takes_schema = prices.reads_schema(name) is not False
        self._ever_replied = False
        self._dead_calls = 0
        self._own: dict[str, bool] = {}

    async def complete(self, request: Request) -> Reply:
        """Send a request and return the raw reply.

        Raises
        ------
        CallFailed
            With the kind of failure, once trying again cannot help or the patience is used up.
        """
        arguments = self._arguments(request)
        if not client.loaded():
            await asyncio.to_thread(client.litellm)  # seconds, in which the other answers and the heartbeat go on
        try:
            reply = await self._patiently(request, arguments)
        except ProviderFailed as failure:
            self._dead_calls += failure.kind in (FailureKind.NETWORK, FailureKind.TIMEOUT)
            if failure.kind is FailureKind.AUTH and arguments.get("api_key") == _NO_KEY:
                raise ProviderFailed(
                    FailureKind.AUTH,
                    f"{failure} (no key was given for {self.name}; the keys in the environment are "
                    "not sent to another base URL)",
                ) from None
            raise
        self._ever_replied = True
        return reply

    async def _patiently(self, request: Request, arguments: Mapping[str, Any]) -> Reply:
        """Try, and after a failure try again by its kind; most calls succeed at once and pay for nothing else."""
        try:
            return await self._try(request, arguments)
        except ProviderFailed as failure:
            failures = [failure]

        async def attempt() -> Reply:
            if failures:
                raise failures.pop()
            return await self._try(request, arguments)

        from tenacity import AsyncRetrying, retry_if_exception, stop_before_delay

        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda error: isinstance(error, ProviderFailed) and error.again),
            stop=lambda state: self._enough(state) or stop_before_delay(self.patience.total)(state),
            wait=self._wait,
            sleep=self._sleep,
            reraise=True,
        )
        reply: Reply = await retrying(attempt)
        return reply

    async def close(self) -> None:
        """Close the connections that litellm keeps open in this event loop."""
        if client.loaded():
            await client.litellm().close_litellm_async_clients()

    def _enough(self, state: Any) -> bool:
        failure = state.outcome.exception()
        # A server that never answered gets one try per answer: a wrong address must not cost minutes each time.
        if not self._ever_replied and self._dead_calls >= 3 and failure.kind is not FailureKind.RATE_LIMIT:
            return True
        too_long = failure.wait is not None and failure.wait > self.patience.longest_hold
        return bool(too_long or state.attempt_number >= self.patience.tries.get(failure.kind, 1))

    def _wait(self, state: Any) -> float:
        from tenacity import wait_random_exponential

        failure = state.outcome.exception()
        jitter = wait_random_exponential(multiplier=self.patience.first_wait, max=self.patience.longest_wait)(state)
        return float(jitter if failure.wait is None else failure.wait + jitter / 10)

    async def _try(self, request: Request, arguments: Mapping[str, Any]) -> Reply:
        async with self.throttle.slot() as started:
            try:
                reply = await self._send(request, arguments)
            except ProviderFailed as failure:
                if failure.kind is FailureKind.RATE_LIMIT:
                    self._hold(failure, started)
                raise
            self.throttle.succeeded()
            return reply

    def _hold(self, failure: ProviderFailed, started: float) -> None:
        """Slow down; give up at once if the provider asks for a pause that nobody would wait for."""
        if failure.wait is not None and failure.wait > self.patience.longest_hold:
            again = datetime.now(UTC) + timedelta(seconds=failure.wait)
            raise ProviderFailed(
                FailureKind.QUOTA,
                f"the quota is used up and comes back at {again:%Y-%m-%d %H:%M} UTC ({failure.wait:.0f} s): {failure}",
            ) from None
        self.throttle.complained(started, failure.wait)

    async def _send(self, request: Request, arguments: Mapping[str, Any]) -> Reply:
        """Send once, by schema where the provider takes it; on its refusal, and only then, without."""
        if request.schema is None or not self._takes_schema:
            return await self._post(arguments)
        shaped = {**arguments, "response_format": {"type": "json_schema", "json_schema": dict(request.schema)}}
        try:
            return await self._post(shaped)
        except ProviderFailed as failure:
            if not failure.refused_request:
                raise
        reply = await self._post(arguments)
        self._takes_schema = False
        return reply

    async def _post(self, arguments: Mapping[str, Any]) -> Reply:
        started = time.monotonic()
        try:
            # litellm's own limit is per read, and a server that drips never reaches it.
            async with asyncio.timeout(self.timeout):
                with client.unrecorded():
                    response = await client.litellm().acompletion(**arguments)
        except TimeoutError:
            raise ProviderFailed(
                FailureKind.TIMEOUT, f"no complete reply within {self.timeout:g} s", again=True
            ) from None
        except Exception as error:  # providers raise whatever they like; each becomes a kind, none escapes with a key
            raise translate(error) from None
        return _reply(self.name, response, time.monotonic() - started)

    def _arguments(self, request: Request) -> dict[str, Any]:
        """Everything that litellm is called with, except the schema."""
        parameters = dict(request.parameters)
        provider, slash, _ = request.model.partition("/")
        model = request.model if prices.is_known(request.model) else f"openai/{request.model}"
        sent = self._check_length(request, parameters)
        if slash and provider in ("ollama", "ollama_chat"):
            # Ollama cuts what does not fit into its window, without a word; so the window is asked for.
            needed = int(1.25 * sent) + parameters.get("max_tokens", _LEAST_REPLY)
            parameters["num_ctx"] = -(-needed // 1024) * 1024
        key = key_for(request.model)
        if key is None and request.base_url and provider not in _SIGNED and not self._is_own(request.base_url):
            # Whoever may type an address must not be able to have the operator's key sent to it. A word is needed all
            # the same: without one the client takes the key from the environment, or refuses to start.
            key = _NO_KEY
        return {
            **parameters,
            "model": model,
            "messages": [dict(message) for message in request.messages],
            "timeout": self.timeout,
            "max_retries": 0,
            "drop_params": True,
            **({"api_base": request.base_url} if request.base_url else {}),
            **({"api_key": key} if key else {}),
        }

    def _is_own(self, base_url: str) -> bool:
        if base_url not in self._own:
            self._own[base_url] = own_address(base_url)
        return self._own[base_url]

    def _check_length(self, request: Request, parameters: dict[str, Any]) -> int:
        """Tokens of the request; lowers ``max_tokens`` to what the model has left, and refuses what cannot fit.

        Raises
        ------
        CallFailed
            Of kind CONTEXT, with both counts, instead of a text that the model would see only a part of.
        """
        window, longest = context_window(request.model), prices.longest_reply(request.model)
        if longest is not None and "max_tokens" in parameters:
            parameters["max_tokens"] = min(parameters["max_tokens"], longest)
        size = sum(len(message["content"].encode()) for message in request.messages)
        if window is not None and size + parameters.get("max_tokens", _LEAST_REPLY) <= window:
            return size // 3  # a token has at least one byte, so there is no need to count
        sent = count_tokens(request.model, request.messages) if window is not None else size // 3
        if window is None:
            return sent
        if sent + _LEAST_REPLY > window:
            raise ProviderFailed(
                FailureKind.CONTEXT,
                f"the request has {sent:,} tokens and {request.model} reads {window:,}, the reply of at least "
                f"{_LEAST_REPLY} included; use a model with a larger context or shorter documents",
            )
        if "max_tokens" in parameters:
            parameters["max_tokens"] = min(parameters["max_tokens"], window - sent)
        return sent


def _reply(name: str, response: Any, seconds: float) -> Reply:
    choice = response.choices[0] if getattr(response, "choices", None) else None
    message = getattr(choice, "message", None)
    text, finish = getattr(message, "content", None) or "", getattr(choice, "finish_reason", None)
    refusal = getattr(message, "refusal", None)
    if refusal and not text:
        text, finish = str(refusal), "refusal"
    usage = getattr(response, "usage", None)
    counted = usage.model_dump(mode="json", exclude_none=True) if usage is not None else {}
    # litellm puts zeros where the server reported nothing; nothing is what was reported.
    counted = counted if counted.get("total_tokens") or counted.get("prompt_tokens") else {}
    return Reply(
        # A lone surrogate is no text and no store takes it.
        text=text.encode("utf-8", "replace").decode(),
        finish_reason=finish,
        usage=counted,
        cost=prices.price_of_usage(name, counted),
        seconds=seconds,
        model=getattr(response, "model", None),
    )
