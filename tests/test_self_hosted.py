"""Names of self-hosted and cloud models through the real client: which address is asked, how, and with which key."""

import asyncio
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lemaj_core.judge.data_points import DataPointJudge
from lemaj_core.models.chat import ChatModel, Patience
from lemaj_core.types import Document, Item, RunSettings, Status, Tag

KEY = "key-0123456789abcdef0123"
SECRET = "secret-0123456789abcdef"
LEASE = Document("lease", "lease.txt", "1. Rent. The Tenant shall pay rent of EUR 2,000 each month.")
ITEM = Item("a1", "What is the rent?", "The rent is EUR 2,000.", "lease")
GOOD = json.dumps(
    {"data_points": [{"id": "1", "quote": "The rent is EUR 2,000", "text": "The rent is EUR 2,000.", "tag": "correct"}]}
)
OPENAI = {
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": GOOD}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 900, "completion_tokens": 50, "total_tokens": 950},
}
OLLAMA = {
    "model": "m",
    "created_at": "2026-01-01T00:00:00Z",
    "message": {"role": "assistant", "content": GOOD},
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 900,
    "eval_count": 50,
}
CONVERSE = {
    "output": {"message": {"role": "assistant", "content": [{"text": GOOD}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 900, "outputTokens": 50, "totalTokens": 950},
    "metrics": {"latencyMs": 1},
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append((self.path, dict(self.headers.items()), body))
        said = OLLAMA if self.path.startswith("/api/") else CONVERSE if "/converse" in self.path else OPENAI
        if self.path == "/api/show":
            said = {"template": "", "model_info": {}}
        content = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture(scope="module")
def server():
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    running.asked = []
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def bare(monkeypatch):
    """Nobody's real keys or addresses."""
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL")) or name.startswith("AWS_"):
            monkeypatch.delenv(name)
    return monkeypatch


CASES = {
    "vLLM": ("hosted_vllm/meta/Llama-3.1-8B", "/v1", "/v1/chat/completions", "meta/Llama-3.1-8B"),
    "llama.cpp": ("openai/qwen2.5-7b-q4", "/v1", "/v1/chat/completions", "qwen2.5-7b-q4"),
    "llamafile": ("llamafile/mistral-7b", "/v1", "/v1/chat/completions", "mistral-7b"),
    "LM Studio": ("lm_studio/gemma-3", "/v1", "/v1/chat/completions", "gemma-3"),
    "any server, bare name": ("my-own-model", "/v1", "/v1/chat/completions", "my-own-model"),
    "any server, slash in the name": ("openai/org/model", "/v1", "/v1/chat/completions", "org/model"),
    "Ollama": ("ollama_chat/qwen3", "", "/api/chat", "qwen3"),
    "Azure": ("azure/my-deployment", "", "/openai/deployments/my-deployment/chat/completions", "my-deployment"),
    "Bedrock": ("bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0", "", "/converse", None),
}  # fmt: skip


def judged(server, name, suffix):
    server.asked.clear()
    settings = RunSettings(judges=(name,), base_url=f"http://127.0.0.1:{server.server_port}{suffix}", timeout=20.0)

    async def ask(request, call):
        return await call(request)

    async def everything():
        model = ChatModel(name, settings, patience=Patience(tries={}))
        try:
            return await DataPointJudge(name, settings, model=model).judge(ITEM, LEASE, ask)
        finally:
            await model.close()

    return asyncio.run(everything())


@pytest.mark.parametrize("case", CASES)
def test_a_model_is_asked_at_its_address_by_its_name(server, bare, case):
    name, suffix, path, model = CASES[case]
    if case != "Bedrock":  # signed with the secret, which is not sent
        bare.setenv("LEMAJ_KEYS", json.dumps({name: KEY}))
    bare.setenv("AZURE_API_VERSION", "2024-10-21")
    for variable, value in (
        ("ACCESS_KEY_ID", "AKIAEXAMPLE"),
        ("SECRET_ACCESS_KEY", SECRET),
        ("REGION_NAME", "eu-west-1"),
    ):
        bare.setenv(f"AWS_{variable}", value)
    judgement = judged(server, name, suffix)
    assert (judgement.status, judgement.reason) == (Status.SCORED, None)
    assert [point.tag for point in judgement.points] == [Tag.CORRECT]
    asked_path, headers, body = next(one for one in server.asked if one[0] != "/api/show")
    headers = {key.lower(): value for key, value in headers.items()}
    assert path in asked_path
    assert body.get("model") == model
    if case == "Bedrock":
        assert asked_path.startswith("/model/anthropic.claude-3-5-sonnet-20241022-v2")
        assert headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/")
        assert SECRET not in json.dumps([headers, body])
        assert body["inferenceConfig"] == {"temperature": 0, "maxTokens": 4096}
    elif case == "Ollama":
        # its window is asked for, because it would cut what does not fit without a word
        size = sum(len(message["content"].encode()) for message in body["messages"])
        assert body["options"] == {"temperature": 0, "num_predict": 4096, "seed": 0, "num_ctx": 7168}
        assert 1.25 * size / 3 + 4096 <= 7168
        assert body["format"]["required"] == ["data_points"]
    else:
        assert (body["temperature"], body["max_tokens"]) == (0, 4096)
        assert body["response_format"]["json_schema"]["name"] == "data_points"
        assert headers.get("api-key", headers.get("authorization")) == (KEY if case == "Azure" else f"Bearer {KEY}")
    if case == "Azure":
        assert asked_path.endswith("api-version=2024-10-21")


@pytest.mark.parametrize("case", ["vLLM", "Ollama", "any server, bare name"])
def test_a_server_of_ones_own_needs_no_key(server, bare, case):
    name, suffix, _, _ = CASES[case]
    assert judged(server, name, suffix).status is Status.SCORED


@pytest.mark.parametrize("case", CASES)
def test_the_readme_says_how_to_write_the_name(case):
    readme = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
    provider, slash, _ = CASES[case][0].partition("/")
    assert f"`{provider}/" in readme if slash else "any name" in readme
