"""Whole journeys in Debian's Chromium against a real server with its own store.

Nobody sleeps here: every step waits for something that can be seen. Where Chromium is absent the tests are skipped,
unless LEMAJ_REQUIRE_BROWSER is set: then its absence is a failure.
"""

import contextlib
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from components.filters import CORRECTNESS_KEY, RELEVANCE_KEY
from lemaj_core.store import open_store
from lemaj_core.types import FailureKind, RunState

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
IDLE = "document.querySelector('[data-testid=stApp]')?.getAttribute('data-test-script-state') === 'notRunning'"
PATIENCE = 180_000
LEASE = """LEASE AGREEMENT

1. Rent. The Tenant shall pay rent of EUR 2,000 on the first day of each month.

2. Term. The term of this lease is five years from 1 January 2025.

3. Termination. The Landlord may terminate this lease on sixty (60) days' written notice to the Tenant.

4. Deposit. The Tenant shall pay a deposit of EUR 6,000 before moving in.
"""
NDA = """NON-DISCLOSURE AGREEMENT

1. Secrecy. Each party shall keep Confidential Information secret for three years after disclosure.

2. Disclosure by law. A party may disclose Confidential Information where the law requires it, after written notice.
"""
RENT, NOTICE, SECRET = (
    "What is the rent and when is it due?",
    "On what notice may the Landlord terminate?",
    "How long must information be kept secret?",
)
ROWS = [
    (RENT, "The rent is EUR 2,000. It is due on the first day of each month.", "lease.txt", "system-a"),
    (RENT, "The rent is EUR 2,000. The deposit is EUR 9,000.", "lease.txt", "system-b"),
    (NOTICE, "On sixty (60) days' written notice.", "lease.txt", "system-a"),
    (NOTICE, "On thirty (30) days' written notice.", "lease.txt", "system-b"),
    (SECRET, "It must be kept secret for three years after disclosure.", "nda.txt", "system-a"),
    (SECRET, "For ten years.", "nda.txt", "system-b"),
]


class Server:
    """A server of the app with its own store, on its own port."""

    def __init__(self, folder: Path):
        self.folder, self.store_url = folder, f"sqlite:///{folder / 'store.db'}"
        self.log = folder / "server.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        environment = os.environ | {"LEMAJ_STORE": self.store_url}
        options = [
            "--server.port",
            str(self.port),
            "--server.fileWatcherType",
            "none",
            "--browser.gatherUsageStats",
            "false",
        ]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "streamlit", "run", "app.py", *options],
                cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
        until(self.healthy, 60, "the server did not start: " + str(self.log))

    def healthy(self) -> bool:
        with contextlib.suppress(OSError):
            return urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5).read() == b"ok"
        return False

    def kill(self) -> None:
        """As the kernel would: no goodbye."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)

    def runs(self):
        with open_store(self.store_url) as store:
            return store.runs()


def until(true, seconds: float, said: str) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            pytest.fail(said)
        time.sleep(0.1)


@pytest.fixture
def server(tmp_path):
    started = Server(tmp_path)
    yield started
    started.kill()
    with open_store(started.store_url) as store:
        for run in store.runs():
            store.request_cancel(run.id)
        until(lambda: all(run.state is not RunState.RUNNING for run in store.runs()), 60, "a child did not stop")


@pytest.fixture(scope="module")
def chromium():
    if not Path(CHROMIUM).exists():
        said = f"{CHROMIUM} is absent; on Debian: apt-get install chromium"
        if os.environ.get("LEMAJ_REQUIRE_BROWSER"):
            pytest.fail(said)
        pytest.skip(said)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium):
    context = chromium.new_context(viewport={"width": 1440, "height": 1000})
    context.set_default_timeout(PATIENCE)
    opened = context.new_page()
    yield opened
    context.close()


def settle(page) -> None:
    """Wait until the script has taken notice of the last step and has run."""
    page.wait_for_timeout(250)
    page.wait_for_function(IDLE, timeout=PATIENCE)
    assert page.locator("[data-testid=stException]").count() == 0


def visit(page, address: str) -> None:
    page.goto(address, wait_until="domcontentloaded")
    page.wait_for_function(IDLE, timeout=PATIENCE)
    settle(page)


def see(page, text: str | re.Pattern) -> None:
    page.get_by_text(text).first.wait_for(timeout=PATIENCE)


def press(page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).first.click()
    settle(page)


def follow(page, name: str) -> None:
    """Follow a link of the navigation."""
    page.get_by_test_id("stSidebar").get_by_role("link", name=name).click()
    page.get_by_role("heading", name=name, exact=True).wait_for()
    settle(page)


def drop(page, zone: str, *files: tuple[str, bytes]) -> None:
    payload = [{"name": name, "mimeType": "application/octet-stream", "buffer": body} for name, body in files]
    page.get_by_test_id("stFileUploader").filter(has_text=zone).locator("input[type=file]").set_input_files(payload)
    see(page, files[0][0])
    settle(page)


def select(page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=re.compile(rf"^.*{re.escape(label)}")).click()
    page.get_by_role("option", name=option, exact=True).click()
    settle(page)


def csv_of(rows, head: str) -> bytes:
    lines = [";".join(f'"{cell}"' for cell in row) for row in rows]
    return "\n".join([head, *lines]).encode("cp1252")


def zip_of(**documents: str) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for name, text in documents.items():
            archive.writestr(f"contracts/{name}.txt", text)
    return body.getvalue()


def script(folder: Path, *replies: dict) -> str:
    """Write the replies of a model that takes its time, and return its name as a judge."""
    path = folder / "replies.jsonl"
    path.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    return f"scripted:{path}"


POINT = {"data_points": [{"id": "1", "text": "x", "quote": "x", "tag": "correct", "reason": "r", "evidence": []}]}


def choose_judge(page, name: str) -> None:
    """Replace the offline judge."""
    box = page.locator(".st-key-evaluate_judges")
    box.get_by_role("combobox").click()
    page.keyboard.press("Backspace")
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    settle(page)


@pytest.mark.model
def test_from_a_file_to_a_triage_decision(server, page):
    visit(page, server.url)
    see(page, "There is no run yet")
    follow(page, "Evaluate")

    drop(page, "Answers", ("antworten.csv", csv_of(ROWS, "legal matter;text;file;model")))
    see(page, re.compile("Say which column is the"))
    select(page, "Question", "legal matter")
    select(page, "Answer *", "text")
    drop(page, "Documents", ("contracts.zip", zip_of(lease=LEASE, nda=NDA)))
    see(page, re.compile("6 answers.*2 documents"))

    press(page, "Start")
    page.get_by_role("button", name="Open Overview", exact=True).wait_for(timeout=PATIENCE)
    (run,) = server.runs()
    assert (run.state, run.total, run.done, run.failed) == (RunState.FINISHED, 6, 6, 0)
    press(page, "Open Overview")
    page.get_by_role("heading", name="Overview", exact=True).wait_for()
    settle(page)
    assert f"run={run.id}" in page.url

    follow(page, "Answers")
    page.locator(".st-key-lj_open_4 button").click()
    settle(page)
    see(page, "On thirty (30) days' written notice.")
    assert "answer=" in page.url

    follow(page, "Triage")
    cleared = page.get_by_test_id("stMetric").filter(has_text="Answers cleared").get_by_test_id("stMetricValue")
    strict = cleared.inner_text()
    for threshold in ("Correctness at least", "Relevance at least"):
        page.get_by_role("slider", name=threshold).press("Home")
        settle(page)
    with open_store(server.store_url) as store:
        answers = store.answers(run.id, judge="offline")
    reaches = [answers["correctness"].ge(least) & answers["relevance"].ge(low) for least, low in ((1, 0.8), (0, 0))]
    assert strict == f"{reaches[0].sum()} of 6"
    # at 0 and 0 every answer is cleared that has both scores: undefined ones never are
    assert cleared.inner_text() == f"{reaches[1].sum()} of 6"
    address = parse_qs(urlsplit(page.url).query)
    assert [float(address[key][0]) for key in (CORRECTNESS_KEY, RELEVANCE_KEY)] == [0, 0], page.url
    assert "Traceback" not in server.log.read_text()


def test_a_killed_server_loses_no_run(server, page, tmp_path):
    visit(page, f"{server.url}/evaluate")
    rows = [(f"question {n}?", "x", LEASE.replace("\n", " "), "m") for n in range(30)]
    drop(page, "Answers", ("many.csv", csv_of(rows, "question;answer;document;model")))
    choose_judge(page, script(tmp_path, {"reply": POINT, "seconds": 0.5}))
    press(page, "Start")
    until(lambda: 0 < server.runs()[0].done < 30, 120, "the run did not begin")

    server.kill()
    assert not server.healthy()
    at_kill = server.runs()[0].done
    until(lambda: server.runs()[0].state is RunState.FINISHED, 120, "the run ended with its server")
    assert at_kill < 30
    assert (server.runs()[0].done, server.runs()[0].failed) == (30, 0)

    server.start()
    visit(page, f"{server.url}/evaluate")
    see(page, "30 of 30 answers")
    page.get_by_role("button", name="Open Overview", exact=True).wait_for()


def test_a_run_is_cancelled_resumed_and_its_failures_retried(server, page, tmp_path):
    visit(page, f"{server.url}/evaluate")
    rows = [(f"question {n}?", "x", LEASE.replace("\n", " "), "m") for n in range(16)]
    drop(page, "Answers", ("some.csv", csv_of(rows, "question;answer;document;model")))
    replies = ({"match": "question 3?", "fail": "timeout", "seconds": 0.5}, {"reply": POINT, "seconds": 0.5})
    choose_judge(page, script(tmp_path, *replies))
    press(page, "Start")
    until(lambda: server.runs()[0].done > 0, 120, "the run did not begin")
    page.get_by_role("button", name="Cancel", exact=True).click()
    see(page, "cancelled")
    done = server.runs()[0].done
    assert 0 < done < 16

    page.get_by_role("button", name="Resume", exact=True).click()
    see(page, "16 of 16 answers")
    see(page, "1 timeout")
    with open_store(server.store_url) as store:
        assert store.progress(server.runs()[0].id).failures == {FailureKind.TIMEOUT: 1}

    script(tmp_path, {"reply": POINT})
    page.get_by_role("button", name="Retry", exact=True).click()
    page.get_by_text("1 timeout").wait_for(state="detached", timeout=PATIENCE)
    page.get_by_role("button", name="Open Overview", exact=True).wait_for()
    assert (server.runs()[0].done, server.runs()[0].failed) == (16, 0)


def test_the_page_needs_no_horizontal_scrolling(server, page):
    visit(page, f"{server.url}/evaluate")
    press(page, "Use the sample")
    for width in (1440, 900):
        page.set_viewport_size({"width": width, "height": 1000})
        settle(page)
        inner, outer = page.evaluate(
            "(({scrollWidth, clientWidth}) => [scrollWidth, clientWidth])"
            "(document.querySelector('[data-testid=stMain]'))"
        )
        assert inner <= outer
