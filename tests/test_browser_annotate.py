"""Annotate in Debian's Chromium: tags by the keys c, i, r and m, words selected with the mouse, saved each time."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from lemaj_core.metrics.data_points import score_tags
from lemaj_core.store import open_store
from lemaj_core.types import DataPoint, Dataset, Document, Item, Judgement, RunSettings, Status, Tag

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
IDLE = "document.querySelector('[data-testid=stApp]')?.getAttribute('data-test-script-state') === 'notRunning'"
CONTRACT = "1. Rent\n\n😀 The Tenant shall pay EUR 2,000 each month.\n\n2. Term\n\nThe term is five years.\n"
ANSWER = "Rent is EUR 2,000. It is due monthly. The term is ten years. The sky is blue."

pytestmark = pytest.mark.browser


def missing() -> str | None:
    """What is missing for a real browser, in words."""
    if not Path(CHROMIUM).exists():
        return f"Chromium is not at {CHROMIUM}"
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed"
    return None


def cut(answer):
    """Give one point per sentence, tagged correct by the judge."""
    points, at = [], 0
    for number, words in enumerate(answer.replace(". ", ".|").split("|"), start=1):
        at = answer.index(words, at)
        points.append(DataPoint(f"p{number}", words, Tag.CORRECT, "because", at, at + len(words), words))
    return tuple(points)


@pytest.fixture
def served(tmp_path):
    """Serve two answers, and give their store's URL, the data set and the address of the page."""
    if (lack := missing()) is not None:
        if os.environ.get("LEMAJ_REQUIRE_BROWSER"):
            pytest.fail(lack)
        pytest.skip(lack)
    url = f"sqlite:///{tmp_path / 'store.db'}"
    items = (Item("one", "What of rent and term?", ANSWER, "lease"), Item("two", "Rent?", "EUR 2,000.", "lease"))
    with open_store(url) as store:
        dataset = store.add_dataset(Dataset("d", items, {"lease": Document("lease", "lease.txt", CONTRACT, "Lease")}))
        run_id = store.create_run(dataset, RunSettings(), run_id="annotate")
        for item in items:
            points = cut(item.answer)
            scores = score_tags(point.tag for point in points)._asdict()
            store.save_judgement(run_id, Judgement(item.id, "offline", Status.SCORED, points), scores)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)],
        cwd=ROOT,
        env=os.environ | {"LEMAJ_STORE": url},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5).close()
                break
            except OSError:
                assert time.monotonic() < end, "the server does not answer"
                time.sleep(0.2)
        yield url, dataset, f"http://127.0.0.1:{port}/annotate?run=annotate&judge=offline&annotator=ann"
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture
def tab(served):
    """Give an empty tab."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport={"width": 1440, "height": 1000})
        context.set_default_timeout(60_000)
        yield context.new_page()
        browser.close()


def idle(tab):
    tab.wait_for_timeout(400)
    tab.wait_for_function(IDLE)


def label(served, item="one"):
    with open_store(served[0]) as store:
        return store.label(served[1], item, "ann")


def waits_for(served, reached, item="one"):
    """Wait until what is stored of the answer satisfies ``reached``."""
    end = time.monotonic() + 20
    while not ((found := label(served, item)) and reached(found)):
        assert time.monotonic() < end, found and [point.tag for point in found.points]
        time.sleep(0.1)
    return found


def test_an_answer_is_annotated_by_keyboard(tab, served):
    tab.goto(served[2])
    tab.wait_for_selector(".lj-paper")
    idle(tab)
    for number, key in enumerate("cirm", start=1):
        tab.keyboard.press(key)
        waits_for(served, lambda found, n=number: sum(point.tag is not None for point in found.points) == n)
        idle(tab)
    assert [point.tag for point in label(served).points] == [*Tag]  # correct, incorrect, irrelevant, missing
    assert tab.get_by_role("dialog").count() == 0  # c opened no menu of Streamlit's
    assert tab.get_by_text("saved ").count() == 1

    tab.get_by_role("textbox", name="Note").click()
    tab.keyboard.type("circm")
    tab.keyboard.press("Tab")
    waits_for(served, lambda found: found.note == "circm")
    assert [point.tag for point in label(served).points] == [*Tag]  # letters in a field are letters
    idle(tab)

    # words of the contract, selected with the mouse, become evidence; the emoji before them counts as one character
    tab.locator(".lj-contract").evaluate(
        """block => {
            const walk = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
            while (walk.nextNode()) {
                const at = walk.currentNode.data.indexOf("EUR 2,000")
                if (at < 0) continue
                const range = document.createRange()
                range.setStart(walk.currentNode, at)
                range.setEnd(walk.currentNode, at + 9)
                window.getSelection().removeAllRanges()
                window.getSelection().addRange(range)
            }
            document.dispatchEvent(new MouseEvent("mouseup", { bubbles: true }))
        }"""
    )
    tab.get_by_role("button", name="EUR 2,000").wait_for()
    idle(tab)
    tab.keyboard.press("e")
    found = waits_for(served, lambda found: any(point.evidence for point in found.points))
    (piece,) = next(point.evidence for point in found.points if point.evidence)
    assert (piece.quote, CONTRACT[piece.start : piece.end]) == ("EUR 2,000", "EUR 2,000")
    idle(tab)

    tab.keyboard.press("f")
    assert waits_for(served, lambda found: found.finished is not None).seconds > 0
    tab.get_by_text("1 of 2").wait_for()
    idle(tab)
    tab.keyboard.press("r")
    waits_for(served, lambda found: found.points[0].tag is Tag.IRRELEVANT, "two")
    assert [point.tag for point in label(served).points] == [*Tag]


def test_keys_that_come_faster_than_the_page_each_tag_their_point(tab, served):
    tab.goto(served[2])
    tab.wait_for_selector(".lj-paper")
    idle(tab)
    for key in "mric":
        tab.keyboard.press(key)
        tab.wait_for_timeout(60)
    found = waits_for(served, lambda found: all(point.tag is not None for point in found.points))
    assert [point.tag for point in found.points] == [Tag.MISSING, Tag.IRRELEVANT, Tag.INCORRECT, Tag.CORRECT]
