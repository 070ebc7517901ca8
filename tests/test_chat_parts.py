"""What the client is made of, without a server: prices, tokens, families, keys, failures, the throttle."""

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path

import pytest

from lemaj_core.errors import SettingsError
from lemaj_core.models import prices
from lemaj_core.models.chat import ChatModel
from lemaj_core.models.failures import retry_after, translate
from lemaj_core.models.family import family
from lemaj_core.models.secrets import key_for, scrubbed
from lemaj_core.models.throttle import Throttle
from lemaj_core.types import FailureKind, Request, RunSettings

ROOT = Path(__file__).parent.parent


# Prices and tokens


def test_price_is_tokens_times_table(monkeypatch):
    monkeypatch.setattr(
        prices,
        "_table",
        lambda: {
            "house/m": {
                "input_cost_per_token": 2e-6,
                "output_cost_per_token": 1e-5,
                "cache_read_input_token_cost": 5e-7,
                "input_cost_per_token_above_200k_tokens": 4e-6,
                "output_cost_per_token_above_200k_tokens": 2e-5,
            },
            "house/free": {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0},
            "house/half": {"input_cost_per_token": 1e-6},
            "bare": {"input_cost_per_token": 1e-6, "output_cost_per_token": 1e-6, "litellm_provider": "openai"},
        },
    )
    assert prices.price("house/m", 1000, 100) == pytest.approx(0.003)  # 1000*2e-6 + 100*1e-5
    assert prices.price("house/m", 1000, 100, cached=800) == pytest.approx(0.0018)  # 200*2e-6 + 800*5e-7 + 100*1e-5
    assert prices.price("house/m", 200_000, 0) == pytest.approx(0.4)  # the tier begins above 200,000
    assert prices.price("house/m", 200_001, 10) == pytest.approx(0.800204)  # 200001*4e-6 + 10*2e-5
    assert prices.price("house/free", 1000, 100) == 0.0
    assert prices.price("house/half", 1000, 100) is None
    assert prices.price("house/unknown", 1000, 100) is None
    assert prices.price("openai/bare", 10, 10) == pytest.approx(2e-5)
    assert prices.price("hosted_vllm/bare", 10, 10) is None  # the same name elsewhere is another model


def test_price_of_recorded_usage(monkeypatch):
    entry = {"input_cost_per_token": 2e-6, "output_cost_per_token": 1e-5, "cache_read_input_token_cost": 1e-6}
    monkeypatch.setattr(prices, "_table", lambda: {"m": entry})
    openai = {"prompt_tokens": 1000, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 600}}
    assert prices.price_of_usage("m", openai) == pytest.approx(0.0015)  # 400*2e-6 + 600*1e-6 + 10*1e-5
    assert prices.price_of_usage("m", {"prompt_tokens": 1000, "completion_tokens": 0}) == pytest.approx(0.002)
    assert prices.price_of_usage("m", {}) is None
    assert prices.price_of_usage("m", {"prompt_tokens": 0, "completion_tokens": 0}) is None
    assert prices.price_of_usage("x", openai) is None


def test_the_table_of_the_installed_package_is_read():
    assert prices.price("openai/gpt-4o", 1_000_000, 0) == pytest.approx(prices.price("gpt-4o", 1_000_000, 0))
    assert prices.context_window("openai/gpt-4o") == 128_000
    assert prices.reads_schema("gpt-4o") is True
    assert prices.reads_schema("openai/local-judge") is None
    assert prices.context_window("openai/local-judge") is None
    assert prices.table_version().startswith("litellm 1.")


@pytest.mark.parametrize(
    "name",
    ["gpt-4o", "openai/my-model", "ollama_chat/qwen3", "hosted_vllm/x/y", "azure/deployment", "llamafile/x",
     "bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0", "lm_studio/x", "anthropic/claude-of-tomorrow"],
)  # fmt: skip
def test_names_that_lead_somewhere(name):
    assert prices.is_known(name)


@pytest.mark.parametrize("name", ["gpt4o", "nonsense/model", "openai/", "/x", "openai"])
def test_names_that_lead_nowhere(name):
    assert not prices.is_known(name)


def test_tokens_are_counted_as_openai_counts():
    # "hello world" is two tokens in o200k_base and cl100k_base; four for the frame of a message, three for the reply.
    assert prices.count_tokens("gpt-4o", [{"role": "user", "content": "hello world"}]) == 9
    assert prices.count_tokens("gpt-4", [{"role": "user", "content": "hello world"}]) == 9
    assert prices.count_tokens("x", [{"role": "user", "content": "<|endoftext|>"}]) > 8  # text, not a control token


def test_a_plan_needs_no_network_and_no_model_library():
    code = (
        "import socket, sys\n"
        "def deny(*a, **k): raise OSError('no network in this test')\n"
        "socket.socket.connect = deny; socket.getaddrinfo = deny\n"
        "from lemaj_core.models.chat import price, count_tokens, family, context_window\n"
        "from lemaj_core.judge import make\n"
        "from lemaj_core.judge.data_points import build_request\n"
        "from lemaj_core.types import Item, RunSettings\n"
        "s = RunSettings(judges=('openai/gpt-4o',))\n"
        "make('openai/gpt-4o', s)\n"
        "r = build_request(Item('1', 'q', 'a'), None, s)\n"
        "n = count_tokens(r.model, r.messages)\n"
        "assert 1000 < n < 4000, n\n"
        "assert price(r.model, n, 100) > 0 and family(r.model) == 'openai'\n"
        "print(sorted({'litellm', 'openai', 'torch', 'transformers', 'streamlit'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "house"),
    [
        ("openai/gpt-4o", "openai"), ("o3-mini", "openai"), ("azure/my-gpt", "openai"),
        ("bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0", "anthropic"), ("Claude 3.5 Haiku", "anthropic"),
        ("gemini/gemini-2.5-pro", "google"), ("ollama_chat/qwen3:8b", "qwen"), ("groq/llama-3.3-70b", "meta"),
        ("mistral/mixtral-8x7b", "mistral"), ("deepseek/deepseek-chat", "deepseek"),
        ("system A", None), ("offline", None), ("scripted:gpt.jsonl", None), ("openai/local-judge", None), ("", None),
    ],
)  # fmt: skip
def test_family(name, house):
    assert family(name) == house


# Too long for the model


def test_a_request_that_does_not_fit_is_refused_with_both_counts(monkeypatch):
    monkeypatch.setattr(
        prices, "_table", lambda: {"openai/small": {"max_input_tokens": 100, "litellm_provider": "openai"}}
    )
    model = ChatModel("openai/small", RunSettings())
    request = Request("openai/small", ({"role": "user", "content": "word " * 300},), {"max_tokens": 4096})
    with pytest.raises(Exception, match=r"the request has \d+ tokens and openai/small reads 100") as caught:
        asyncio.run(model.complete(request))
    assert caught.value.kind is FailureKind.CONTEXT


def test_the_reply_gets_the_room_that_is_left(monkeypatch):
    table = {"openai/small": {"max_input_tokens": 2000, "max_output_tokens": 4000, "litellm_provider": "openai"}}
    monkeypatch.setattr(prices, "_table", lambda: table)
    model = ChatModel("openai/small", RunSettings())
    request = Request("openai/small", ({"role": "user", "content": "hello world"},), {"max_tokens": 8192})
    # 9 tokens are sent (see above), so 1991 are left.
    assert model._arguments(request)["max_tokens"] == 1991
    table["openai/small"]["max_input_tokens"] = 100_000
    assert model._arguments(request)["max_tokens"] == 4000


def test_ollama_is_asked_for_a_window_that_holds_everything():
    model = ChatModel("ollama_chat/qwen3", RunSettings())
    request = Request("ollama_chat/qwen3", ({"role": "user", "content": "a" * 30_000},), {"max_tokens": 4096})
    # 30000/3 = 10000 tokens at most as English goes, a quarter more to be safe, and the reply: 16596; next 1024: 17408
    assert model._arguments(request)["num_ctx"] == 17408


def test_arguments_say_everything_once():
    settings = RunSettings(base_url="http://localhost:8000/v1", timeout=7.0)
    request = Request("my-model", ({"role": "user", "content": "?"},), {"temperature": 0}, base_url=settings.base_url)
    assert ChatModel("my-model", settings)._arguments(request) == {
        "temperature": 0,
        "model": "openai/my-model",
        "messages": [{"role": "user", "content": "?"}],
        "timeout": 7.0,
        "max_retries": 0,
        "drop_params": True,
        "api_base": "http://localhost:8000/v1",
        "api_key": "no-key",
    }


# Keys


@pytest.fixture
def keys(monkeypatch):
    monkeypatch.setenv("LEMAJ_KEYS", json.dumps({"openai/gpt-4o": "first-secret", "anthropic": " second-secret "}))


def test_keys_belong_to_a_model_or_to_its_provider(keys):
    assert key_for("openai/gpt-4o") == "first-secret"
    assert key_for("anthropic/claude-sonnet-4-5") == "second-secret"
    assert key_for("openai/gpt-4o-mini") is None


@pytest.mark.parametrize("raw", ["sk-naked-key-1234567890", '["list"]', '{"m": 1}'])
def test_broken_keys_are_refused_without_showing_them(monkeypatch, raw):
    monkeypatch.setenv("LEMAJ_KEYS", raw)
    with pytest.raises(SettingsError, match="LEMAJ_KEYS is not a JSON object") as caught:
        key_for("m")
    assert raw not in str(caught.value)


@pytest.mark.parametrize(
    ("message", "clean"),
    [
        ("key first-secret is wrong", "key [key] is wrong"),
        ("env-secret-42 leaked", "[key] leaked"),
        ("Incorrect API key provided: sk-proj-abcDEF0123456789xyz.", "Incorrect API key provided: [key]"),
        ("Authorization: Bearer eyJhbGciOi.abc.def", "Authorization: [key]"),
        ("GET https://host/v1?key=AbC123&x=1", "GET https://host/v1?key=[key]&x=1"),
        ("https://me:pass@host/v1", "https://[key]@host/v1"),
        ("the task is a risk: ask-me", "the task is a risk: ask-me"),
    ],
)
def test_no_key_survives_in_a_message(keys, monkeypatch, message, clean):
    monkeypatch.setenv("SOME_API_KEY", "env-secret-42")
    assert scrubbed(message) == clean


# Failures


class Odd(Exception):
    """An exception as a client library raises it."""

    def __init__(self, message="", status=None, headers=None):
        super().__init__(message)
        self.message = message
        self.status_code = status
        self.headers = headers


@pytest.mark.parametrize(
    ("error", "kind", "again", "wait"),
    [
        (Odd("slow down", 429), FailureKind.RATE_LIMIT, True, None),
        (Odd("slow down", 429, {"Retry-After": "7"}), FailureKind.RATE_LIMIT, True, 7.0),
        (Odd("Please try again in 1m30s.", 429), FailureKind.RATE_LIMIT, True, 90.0),
        (Odd("Please try again in 350ms.", 429), FailureKind.RATE_LIMIT, True, 0.35),
        (Odd('You exceeded your current quota. {"retryDelay": "34s"}', 429), FailureKind.RATE_LIMIT, True, 34.0),
        (Odd("You exceeded your current quota", 429), FailureKind.QUOTA, False, None),
        (Odd("Insufficient balance", 402), FailureKind.QUOTA, False, None),
        (Odd("bad", 401), FailureKind.AUTH, False, None),
        (Odd("API key not valid", 400), FailureKind.AUTH, False, None),
        (Odd("prompt is too long: 300000 tokens", 400), FailureKind.CONTEXT, False, None),
        (Odd("flagged by moderation", 400), FailureKind.REFUSED, False, None),
        (Odd("what?", 400), FailureKind.NETWORK, False, None),
        (Odd("gone", 404), FailureKind.NETWORK, False, None),
        (Odd("overloaded", 529), FailureKind.NETWORK, True, None),
        (Odd("boom", 503, {"retry-after-ms": "1500"}), FailureKind.NETWORK, True, 1.5),
        (Odd("late", 408), FailureKind.TIMEOUT, True, None),
        (TimeoutError(), FailureKind.TIMEOUT, True, None),
        (ConnectionResetError("reset"), FailureKind.NETWORK, True, None),
        (KeyError("choices"), FailureKind.INTERNAL, False, None),
    ],
    ids=lambda value: str(value)[:30],
)
def test_every_error_has_a_kind(error, kind, again, wait):
    failure = translate(error)
    assert (failure.kind, failure.again, failure.wait) == (kind, again, wait)


def test_only_a_refused_form_is_asked_without_a_schema():
    assert translate(Odd("response_format", 400)).refused_request
    assert translate(Odd("response_format", 422)).refused_request
    assert not any(translate(Odd("x", status)).refused_request for status in (401, 404, 429, 500))


def test_long_messages_are_cut():
    assert len(str(translate(Odd("x " * 5000, 500)))) < 600


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({}, None), ({"retry-after": "2.5"}, 2.5), ({"retry-after": "soon"}, None), ({"retry-after": "-3"}, None),
     ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0)],
)  # fmt: skip
def test_retry_after(headers, seconds):
    assert retry_after(headers) == seconds


def test_retry_after_as_a_date_to_come():
    assert 7 < retry_after({"retry-after": formatdate(__import__("time").time() + 10, usegmt=True)}) <= 10


# The throttle


class Clock:
    """Time that passes only by waiting."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        self.now += seconds
        await asyncio.sleep(0)


def throttled(most, **more):
    clock = Clock()
    return Throttle(most, clock=clock, sleep=clock.sleep, **{"gap": 0.0, **more}), clock


def test_no_more_than_allowed_are_in_flight():
    throttle, _ = throttled(3)
    peak = []

    async def call():
        async with throttle.slot():
            peak.append(throttle.in_flight)
            await asyncio.sleep(0.001)
            throttle.succeeded()

    async def many():
        await asyncio.gather(*(call() for _ in range(20)))

    asyncio.run(many())
    assert max(peak) == 3
    assert len(peak) == 20
    assert throttle.in_flight == 0


def test_a_complaint_halves_and_replies_bring_it_back_one_by_one():
    throttle, clock = throttled(8)
    throttle.complained(clock())
    assert throttle.allowed == 4
    for _ in range(4):
        throttle.succeeded()
    # 4 + 1/4 + 1/4.25 + 1/4.49 + 1/4.71 = 4.92
    assert throttle.allowed == 4
    throttle.succeeded()
    assert throttle.allowed == 5
    for _ in range(100):
        throttle.succeeded()
    assert throttle.allowed == 8


def test_one_burst_of_complaints_is_one_cut():
    throttle, clock = throttled(16)
    started = clock()
    clock.now += 1
    for _ in range(10):
        throttle.complained(started)
    assert throttle.allowed == 8
    throttle.complained(clock() + 0.5)  # a call that started after the cut
    assert throttle.allowed == 4


def test_it_never_falls_below_one():
    throttle, clock = throttled(2)
    for _ in range(5):
        clock.now += 1
        throttle.complained(clock())
    assert throttle.allowed == 1


def test_a_pause_that_the_provider_asks_for_holds_every_start():
    throttle, clock = throttled(4)
    throttle.complained(clock(), wait=7.0)

    async def start():
        async with throttle.slot() as started:
            return started

    assert asyncio.run(start()) == 107.0


def test_starts_are_spread():
    throttle, _ = throttled(4, gap=0.5)

    async def start():
        async with throttle.slot() as started:
            return started

    async def four():
        return [await start() for _ in range(4)]

    assert asyncio.run(four()) == [100.0, 100.5, 101.0, 101.5]


def test_a_cancelled_wait_passes_its_place_on():
    throttle, _ = throttled(1)
    done = []

    async def call(name):
        async with throttle.slot():
            await asyncio.sleep(0.01)
            done.append(name)

    async def scene():
        first, second, third = (asyncio.create_task(call(name)) for name in ("first", "second", "third"))
        await asyncio.sleep(0.001)
        second.cancel()
        await asyncio.gather(first, second, third, return_exceptions=True)

    asyncio.run(scene())
    assert done == ["first", "third"]


def test_at_least_one_call_must_be_allowed():
    with pytest.raises(SettingsError, match="at least 1"):
        Throttle(0)
    with pytest.raises(SettingsError, match="at least 1"):
        ChatModel("gpt-4o", replace(RunSettings(), concurrency=0))
