"""The real server without a browser: a cold deep link comes first, the log stays clean, no model library is loaded."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"torch", "transformers", "sentence_transformers", "litellm", "onnxruntime", "tokenizers", "nupunkt"}


class Server:
    """A server that says on its log what it imports."""

    def __init__(self, folder: Path):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url, self.log = f"http://127.0.0.1:{self.port}", folder / "server.log"
        environment = os.environ | {
            "LEMAJ_STORE": f"sqlite:///{folder / 'store.db'}",
            "PYTHONPROFILEIMPORTTIME": "1",
        }
        options = [
            "--server.port",
            str(self.port),
            "--server.enableAgentApi",
            "true",
            "--server.fileWatcherType",
            "none",
        ]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "streamlit", "run", "app.py", *options],
                cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def ask(self, body: dict) -> dict:
        """Ask the app's own description of a page, as JSON."""
        request = urllib.request.Request(
            f"{self.url}/_stcore/agent/interact", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        deadline = time.monotonic() + 90
        while True:
            try:
                with urllib.request.urlopen(request, timeout=60) as reply:
                    return json.load(reply)
            except urllib.error.HTTPError as error:
                pytest.fail(f"{body}: {error.read().decode()}")
            except OSError:
                if time.monotonic() > deadline:
                    pytest.fail(self.log.read_text())
                time.sleep(0.1)

    def lines(self) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if not line.startswith("import time:")]

    def imported(self) -> set[str]:
        lines = [line for line in self.log.read_text().splitlines() if line.startswith("import time:")]
        return {line.rsplit("|", 1)[1].strip().partition(".")[0] for line in lines}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("server"))
    yield started
    started.process.terminate()
    started.process.wait(30)


def elements(tree: dict):
    yield tree
    for child in tree.get("children", ()):
        yield from elements(child)


def test_a_cold_deep_link_is_the_whole_page_and_loads_no_model(server):
    found = server.ask({"page": "evaluate"})
    assert found["status"] == "ready", found
    kinds = [element["type"] for element in elements(found["tree"])]
    assert kinds.count("file_uploader") == 2
    assert "page_link" in kinds, "the frame with its navigation is there"

    session = found["session_id"]
    found = server.ask({"session_id": session, "trigger": {"key": "sample"}})
    assert found["status"] == "ready"
    assert "72 answers" in json.dumps(found["tree"])
    assert {action["key"] for action in found["actions"]} >= {"start", "evaluate_judges", "earlier"}

    assert "streamlit" in server.imported(), "imports are on the log"
    assert server.imported() & HEAVY == set()
    noise = [line for line in server.lines() if any(word in line.lower() for word in ("warn", "error", "traceback"))]
    assert noise == []
