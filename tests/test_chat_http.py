"""The real client against a real server on this machine that misbehaves by script.

Every answer ends scored or with a typed failure, none twice, whatever the server does.
"""

import asyncio
import collections
import json
import logging
import re
import threading
import time
from dataclasses import replace
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lemaj_core.errors import CallFailed
from lemaj_core.judge.data_points import DataPointJudge, build_request
from lemaj_core.models.chat import ChatModel, Patience
from lemaj_core.models.waiting import looking
from lemaj_core.types import Document, FailureKind, Item, RunSettings, Status, Tag

MODEL = "openai/local-judge"
KEY = "sk-test-0123456789abcdef0123"
QUICK = Patience(
    tries={FailureKind.RATE_LIMIT: 3, FailureKind.NETWORK: 2, FailureKind.TIMEOUT: 1},
    first_wait=0.02,
    longest_wait=0.05,
    longest_hold=5,
)
LEASE = Document("lease", "lease.txt", "1. Rent. The Tenant shall pay rent of EUR 2,000 each month.")
GOOD = json.dumps(
    {
        "data_points": [
            {
                "id": "1",
                "quote": "The rent is EUR 2,000",
                "text": "The rent is EUR 2,000.",
                "evidence": ["rent of EUR 2,000 each month"],
                "reason": "Clause 1.",
                "tag": "correct",
            }
        ]
    }
)


class Server(ThreadingHTTPServer):
    """Says what it was asked, in order, per answer; each answer's question names the script to follow."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = collections.defaultdict(list)
        self.lock = threading.Lock()
        self.over = threading.Event()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *args):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        script = re.search(r"script: (\w+)", body["messages"][1]["content"])[1]
        with self.server.lock:
            self.server.asked[script].append((time.monotonic(), body, self.headers))
            number = len(self.server.asked[script])
        getattr(self, f"do_{script}")(number, body)

    def send(self, status, content, **headers):
        content = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(content), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(content)

    def say(self, text, finish="stop", **more):
        message = {"role": "assistant", "content": text, **more}
        usage = {"prompt_tokens": 900, "completion_tokens": 50, "total_tokens": 950}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        self.send(
            200,
            {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage},
        )

    def error(self, status, message, **headers):
        self.send(status, {"error": {"message": message, "type": "error"}}, **headers)

    def do_good(self, number, body):
        self.say(GOOD)

    def do_rate_then_good(self, number, body):
        self.error(429, "slow down") if number < 3 else self.say(GOOD)

    def do_retry_after(self, number, body):
        self.error(429, "slow down", Retry_After="1") if number == 1 else self.say(GOOD)

    def do_retry_date(self, number, body):
        date = formatdate(time.time() + 2, usegmt=True)
        self.error(429, "slow down", Retry_After=date) if number == 1 else self.say(GOOD)

    def do_long_wait(self, number, body):
        self.error(429, "slow down", Retry_After="4")

    def do_rate_for_ever(self, number, body):
        self.error(429, "slow down")

    def do_come_back_tomorrow(self, number, body):
        self.error(429, "daily limit", Retry_After="86400")

    def do_no_money(self, number, body):
        self.error(429, "You exceeded your current quota, please check your plan and billing details.")

    def do_error_then_good(self, number, body):
        self.error(500, "boom") if number == 1 else self.say(GOOD)

    def do_error_for_ever(self, number, body):
        self.error(500, "boom")

    def do_hang(self, number, body):
        self.server.over.wait(10)

    def do_drip(self, number, body):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        try:
            while not self.server.over.wait(0.05):
                self.wfile.write(b" ")
                self.wfile.flush()
        except OSError:
            pass

    def do_cut(self, number, body):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"choices": [')
        self.close_connection = True

    def do_no_json_body(self, number, body):
        self.send(200, b"<html>a proxy says hello</html>")

    def do_malformed(self, number, body):
        self.say("The answer is right.")

    def do_malformed_then_good(self, number, body):
        self.say("The answer is right." if len(body["messages"]) == 2 else GOOD)

    def do_wrong_tag(self, number, body):
        self.say(GOOD.replace('"correct"', '"perfect"'))

    def do_wrong_ids(self, number, body):
        first = json.loads(GOOD)["data_points"][0]
        self.say(json.dumps({"data_points": [first, first]}))

    def do_empty(self, number, body):
        self.say("")

    def do_null(self, number, body):
        self.say(None)

    def do_no_choice(self, number, body):
        self.send(200, {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []})

    def do_cut_off(self, number, body):
        self.say(GOOD[:60], "length")

    def do_cut_off_then_good(self, number, body):
        self.say(GOOD[:60], "length") if body["max_tokens"] < 8000 else self.say(GOOD)

    def do_huge(self, number, body):
        self.say(GOOD + "x" * 1_100_000)

    def do_refusal(self, number, body):
        self.say(None, refusal="I will not.")

    def do_filtered(self, number, body):
        self.say("", "content_filter")

    def do_too_long(self, number, body):
        self.error(400, "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.")

    def do_bad_key(self, number, body):
        self.error(401, f"Incorrect API key provided: {self.headers['Authorization'].removeprefix('Bearer ')}")

    def do_forbidden(self, number, body):
        self.error(403, "not yours")

    def do_unknown_model(self, number, body):
        self.error(404, "no such model")

    def do_no_schema(self, number, body):
        self.error(400, "response_format is not supported") if "response_format" in body else self.say(GOOD)


@pytest.fixture(scope="module")
def server():
    running = Server()
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield running
    running.over.set()
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture(scope="module")
def loop():
    """One event loop for the module, as the pipeline has one for a run; litellm's clients live in it."""
    with asyncio.Runner() as runner:
        yield runner
        if CLIENTS:
            runner.run(CLIENTS[0].close())


CLIENTS: list[ChatModel] = []


@pytest.fixture
def client(server, monkeypatch):
    """Build a client of the server; without anybody's real key."""
    monkeypatch.setenv("LEMAJ_KEYS", json.dumps({MODEL: KEY}))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def build(**more):
        settings = RunSettings(
            judges=(MODEL,), base_url=f"http://127.0.0.1:{server.server_port}/v1", timeout=more.pop("timeout", 5.0),
            concurrency=more.pop("concurrency", 8),
        )  # fmt: skip
        model = ChatModel(MODEL, settings, **{"patience": QUICK, **more})
        CLIENTS.append(model)
        return DataPointJudge(MODEL, settings, model=model)

    return build


def item(script):
    return Item(script, f"What is the rent? (script: {script})", "The rent is EUR 2,000.", "lease")


class Ledger:
    """Keeps replies as the pipeline does: before they are used, one per key."""

    def __init__(self):
        self.replies, self.failed = {}, {}

    async def __call__(self, request, call):
        assert request.key() not in self.replies, "asked twice"
        try:
            self.replies[request.key()] = await call(request)
        except CallFailed as failure:
            self.failed[request.key()] = failure
            raise
        return self.replies[request.key()]


SCORED = ["good", "rate_then_good", "error_then_good", "malformed_then_good", "cut_off_then_good", "no_schema"]
FAILED = {
    "rate_for_ever": (FailureKind.RATE_LIMIT, 3),
    "come_back_tomorrow": (FailureKind.QUOTA, 1),
    "no_money": (FailureKind.QUOTA, 1),
    "error_for_ever": (FailureKind.NETWORK, 2),
    "cut": (FailureKind.NETWORK, 2),
    "no_json_body": (FailureKind.NETWORK, 2),
    "malformed": (FailureKind.MALFORMED, 2),
    "wrong_tag": (FailureKind.MALFORMED, 2),
    "wrong_ids": (FailureKind.MALFORMED, 2),
    "huge": (FailureKind.MALFORMED, 2),
    "empty": (FailureKind.EMPTY, 2),
    "null": (FailureKind.EMPTY, 2),
    "no_choice": (FailureKind.EMPTY, 2),
    "cut_off": (FailureKind.TRUNCATED, 2),
    "refusal": (FailureKind.REFUSED, 1),
    "filtered": (FailureKind.REFUSED, 1),
    "too_long": (FailureKind.CONTEXT, 1),
    "bad_key": (FailureKind.AUTH, 1),
    "forbidden": (FailureKind.AUTH, 1),
    "unknown_model": (FailureKind.NETWORK, 1),
}


@pytest.fixture(scope="module")
def outcome(server, loop):
    """Judge every script at once, good ones among bad ones, and keep what came out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEMAJ_KEYS", json.dumps({MODEL: KEY}))
        patch.delenv("OPENAI_API_KEY", raising=False)
        settings = RunSettings(
            judges=(MODEL,), base_url=f"http://127.0.0.1:{server.server_port}/v1", timeout=5.0, concurrency=8
        )
        model = ChatModel(MODEL, settings, patience=QUICK)
        CLIENTS.append(model)
        judge, ledger = DataPointJudge(MODEL, settings, model=model), Ledger()
        scripts = [*FAILED, *SCORED]

        async def everything():
            await judge.judge(item("good"), LEASE, Ledger())
            server.asked.clear()
            return await asyncio.gather(*(judge.judge(item(script), LEASE, ledger) for script in scripts))

        judgements = loop.run(everything())
    return dict(zip(scripts, judgements, strict=True)), ledger, model


@pytest.mark.parametrize("script", SCORED)
def test_an_answer_that_can_be_scored_is(outcome, script):
    judgement = outcome[0][script]
    assert (judgement.status, judgement.failure, judgement.reason) == (Status.SCORED, None, None)
    assert [point.tag for point in judgement.points] == [Tag.CORRECT]
    assert judgement.points[0].evidence[0].found


@pytest.mark.parametrize("script", FAILED)
def test_an_answer_that_cannot_has_its_kind_of_failure(outcome, server, script):
    judgement = outcome[0][script]
    kind, calls = FAILED[script]
    assert (judgement.status, judgement.failure) == (Status.FAILED, kind), judgement.reason
    assert judgement.points == ()
    assert judgement.reason
    asked = [body for _, body, _ in server.asked[script]]
    assert len(asked) == calls


def test_no_answer_is_counted_twice_and_none_is_lost(outcome):
    judgements, ledger, _ = outcome
    assert {judgement.item_id for judgement in judgements.values()} == {*SCORED, *FAILED}
    calls = [key for judgement in judgements.values() for key in judgement.calls]
    assert len(calls) == len(set(calls)) == len(ledger.replies) + len(ledger.failed)


def test_raw_replies_are_kept_even_when_they_are_useless(outcome):
    judgements, ledger, _ = outcome
    texts = [ledger.replies[key].text for key in judgements["malformed"].calls]
    assert texts == ["The answer is right.", "The answer is right."]


def test_usage_is_raw_and_an_unknown_price_is_none(outcome):
    judgements, ledger, _ = outcome
    (key,) = judgements["good"].calls
    reply = ledger.replies[key]
    assert reply.usage["prompt_tokens"] == 900
    assert reply.usage["completion_tokens"] == 50
    assert (reply.cost, reply.finish_reason, reply.model) == (None, "stop", "m")
    assert 0 < reply.seconds < 5


def test_no_key_is_in_any_message(outcome):
    judgements, ledger, _ = outcome
    said = " ".join(str(failure) for failure in ledger.failed.values())
    said += " ".join(judgement.reason or "" for judgement in judgements.values())
    assert "Incorrect API key provided: [key]" in said
    assert KEY not in said


def test_what_is_sent_is_what_was_planned(outcome, server):
    _, body, headers = server.asked["good"][0]
    planned = build_request(item("good"), LEASE, RunSettings(judges=(MODEL,)))
    assert body["messages"] == [dict(message) for message in planned.messages]
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0, 0, 4096)
    assert headers["Authorization"] == f"Bearer {KEY}"


def test_a_schema_is_dropped_only_after_a_refusal_and_not_sent_again(outcome, server, client, loop):
    bodies = [body for _, body, _ in server.asked["no_schema"]]
    assert ["response_format" in body for body in bodies] == [True, False]
    judge = client()
    for _ in range(2):
        server.asked["no_schema"].clear()
        assert loop.run(judge.judge(item("no_schema"), LEASE, Ledger())).status is Status.SCORED
    assert ["response_format" in body for _, body, _ in server.asked["no_schema"]] == [False]


def test_too_many_requests_are_no_reason_to_drop_the_schema(server, client, loop):
    server.asked["rate_then_good"].clear()
    assert loop.run(client().judge(item("rate_then_good"), LEASE, Ledger())).status is Status.SCORED
    assert ["response_format" in body for _, body, _ in server.asked["rate_then_good"]] == [True, True, True]


@pytest.mark.parametrize(("script", "least"), [("retry_after", 1.0), ("retry_date", 0.5)])
def test_retry_after_is_honoured(server, client, loop, script, least):
    judgement = loop.run(client().judge(item(script), LEASE, Ledger()))
    assert judgement.status is Status.SCORED
    (first, _, _), (second, _, _) = server.asked[script]
    assert least <= second - first < 4


def test_a_cancelled_run_does_not_sit_out_the_wait(client, loop):
    class Stop(Exception):
        pass

    def check():
        raise Stop

    async def ask(request, call):
        with looking(check):
            return await call(request)

    started = time.monotonic()
    with pytest.raises(Stop):
        loop.run(client().judge(item("long_wait"), LEASE, ask))
    assert time.monotonic() - started < 2  # the server asks for four seconds; the check comes after half a second


@pytest.mark.parametrize("script", ["hang", "drip"])
def test_a_server_that_hangs_or_drips_meets_a_deadline(server, client, loop, script):
    started = time.monotonic()
    judgement = loop.run(client(timeout=0.4).judge(item(script), LEASE, Ledger()))
    assert time.monotonic() - started < 3
    assert judgement.failure is FailureKind.TIMEOUT
    assert judgement.reason == "no complete reply within 0.4 s"


def test_a_refused_pace_halves_the_calls_in_flight(outcome):
    assert outcome[2].throttle.allowed < 8


def test_nobody_there_is_a_network_failure_and_soon_costs_one_try(client, loop, monkeypatch):
    judge = client()
    nowhere = replace(judge.settings, base_url="http://127.0.0.1:9/v1")
    judge = DataPointJudge(MODEL, nowhere, model=ChatModel(MODEL, nowhere, patience=QUICK))
    posts = []
    send = judge.model._post
    monkeypatch.setattr(ChatModel, "_post", lambda self, arguments: (posts.append(1), send(arguments))[1])
    counts = []
    for number in range(4):
        posts.clear()
        judgement = loop.run(judge.judge(item(f"nowhere{number}"), LEASE, Ledger()))
        assert judgement.failure is FailureKind.NETWORK
        counts.append(len(posts))
    assert counts == [2, 2, 2, 1]


def test_the_key_of_the_environment_is_not_sent_to_an_address_that_a_user_typed(server, client, loop, monkeypatch):
    judge = client()
    monkeypatch.delenv("LEMAJ_KEYS")
    monkeypatch.setenv("OPENAI_API_KEY", "the-operators-own-key")
    server.asked["good"].clear()
    assert loop.run(judge.judge(item("good"), LEASE, Ledger())).status is Status.SCORED
    assert server.asked["good"][0][2]["Authorization"] == "Bearer no-key"
    refused = loop.run(judge.judge(item("bad_key"), LEASE, Ledger()))
    assert "the keys in the environment are not sent to another base URL" in refused.reason


def test_the_key_of_the_environment_is_sent_to_the_address_of_the_environment(server, client, loop, monkeypatch):
    judge = client()
    monkeypatch.delenv("LEMAJ_KEYS")
    monkeypatch.setenv("OPENAI_API_KEY", "the-operators-own-key")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{judge.settings.base_url}/")
    server.asked["good"].clear()
    assert loop.run(judge.judge(item("good"), LEASE, Ledger())).status is Status.SCORED
    assert server.asked["good"][0][2]["Authorization"] == "Bearer the-operators-own-key"


def test_nothing_is_logged(server, client, loop, caplog, capfd):
    with caplog.at_level(logging.INFO):
        loop.run(client().judge(item("bad_key"), LEASE, Ledger()))
    assert KEY not in caplog.text
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
