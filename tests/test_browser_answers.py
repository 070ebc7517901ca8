"""Answers in Debian's Chromium: clicks on marked words, scrolling to the evidence, keys, links, narrow windows."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from lemaj_core.metrics.data_points import score_tags
from lemaj_core.store import open_store
from lemaj_core.types import DataPoint, Dataset, Document, Evidence, Item, Judgement, RunSettings, Status, Tag

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT = 60_000
IDLE = "document.querySelector('[data-testid=stApp]')?.getAttribute('data-test-script-state') === 'notRunning'"
NOTICE = "sixty (60) days' prior written notice"
CLAUSES = "".join(
    f"{n}. Clause {n}\n\n{n}.1 The parties agree on matter {n}, which fills a few lines of this contract so that it is "
    f"longer than the panel it is shown in and has to be scrolled.\n\n"
    for n in range(1, 41)
)
CONTRACT = (
    CLAUSES + f"41. Termination\n\n41.1 Client may terminate on {NOTICE}.\n\n" + CLAUSES.replace(". Clause", ". More")
)
NASTY = "<img src=x onerror=\"document.title='broken into'\"><script>document.title='broken into'</script>"

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


def point(number, words, answer, tag, quote=None):
    start = answer.find(words)
    place = (None, None, None) if start < 0 else (start, start + len(words), words)
    at = CONTRACT.find(quote) if quote else -1
    passages = (Evidence(quote, "msa", at, at + len(quote), 1.0),) if quote else ()
    return DataPoint(f"p{number}", words, tag, f"reason {number}", *place, passages, 0.9)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Serve a store with two answers and give the address of the Answers page."""
    if (lack := missing()) is not None:
        if os.environ.get("LEMAJ_REQUIRE_BROWSER"):
            pytest.fail(lack)
        pytest.skip(lack)
    url = f"sqlite:///{tmp_path_factory.mktemp('browser') / 'store.db'}"
    first = "Client may terminate on thirty (30) days' notice. Clause 3 deals with matter 3."
    items = (
        Item("first", "On what notice may Client terminate?", first, "msa", model="model-a"),
        Item("second", NASTY, NASTY + " Yes.", "msa", model="model-b"),
    )
    with open_store(url) as store:
        dataset = store.add_dataset(Dataset("browser", items, {"msa": Document("msa", "msa.txt", CONTRACT, "MSA")}))
        run_id = store.create_run(dataset, RunSettings(), run_id="browser0")
        judged = {
            "first": (
                point(1, "Client may terminate on thirty (30) days' notice.", first, Tag.INCORRECT, NOTICE),
                point(2, "Clause 3 deals with matter 3.", first, Tag.IRRELEVANT, "3.1 The parties agree on matter 3"),
            ),
            "second": (point(1, NASTY, items[1].answer, Tag.CORRECT),),
        }
        for item_id, points in judged.items():
            scores = score_tags(each.tag for each in points)._asdict()
            store.save_judgement(run_id, Judgement(item_id, "offline", Status.SCORED, points), scores)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    server = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"LEMAJ_STORE": url},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}/answers?run=browser0&judge=offline"
    finally:
        server.terminate()
        server.wait(20)


def _wait(url: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    raise AssertionError(f"nothing answers at {url}")


@pytest.fixture(scope="module")
def browser(address):
    """Give a running Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def tab(browser):
    """Give an empty tab of 1440 by 1000 pixels."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    context.set_default_timeout(WAIT)
    yield context.new_page()
    context.close()


def visit(tab, url):
    tab.goto(url)
    tab.wait_for_selector(".lj-paper")
    idle(tab)
    return tab


def idle(tab):
    tab.wait_for_timeout(300)
    tab.wait_for_function(IDLE)


def evidence_in_view(tab) -> bool:
    """Whether the chosen point's badge in the contract lies inside the contract's frame."""
    return tab.evaluate(
        """() => {
            const frame = document.querySelector('.lj-paper').getBoundingClientRect()
            const here = document.querySelector('.lj-paper .lj-here')?.getBoundingClientRect()
            return Boolean(here) && here.top >= frame.top && here.bottom <= frame.bottom
        }"""
    )


def test_the_contract_opens_at_the_evidence_and_lets_itself_be_scrolled(tab, address):
    visit(tab, f"{address}&answer=first")
    tab.wait_for_timeout(800)
    assert evidence_in_view(tab)
    assert tab.locator(".lj-paper mark.lj-chosen").inner_text() == NOTICE
    tab.evaluate("document.querySelector('.lj-paper').scrollTop = 0")
    tab.wait_for_timeout(500)
    assert tab.evaluate("document.querySelector('.lj-paper').scrollTop") == 0


def test_a_click_on_marked_words_chooses_the_point_and_scrolls_the_contract(tab, address):
    visit(tab, f"{address}&answer=first")
    tab.click(".lj-answer mark[data-n='2']")
    tab.wait_for_selector(".lj-answer mark.lj-chosen[data-n='2']")
    assert "point=2" in tab.url
    idle(tab)
    tab.wait_for_timeout(800)
    assert evidence_in_view(tab)
    assert tab.locator(".lj-paper mark.lj-chosen").first.inner_text() == "3.1 The parties agree on matter 3"
    assert "reason 2" in tab.locator(".lj-point.lj-open").inner_text()


def test_a_flip_changes_the_scores_and_a_key_takes_it_back(tab, address):
    visit(tab, f"{address}&answer=first&point=1")
    tab.locator(".st-key-lj_flip_box").get_by_text("correct", exact=True).click()
    tab.wait_for_selector(".lj-tile ins")
    # C = 0, I = 1, R = 1 becomes C = 1, R = 1: Correctness 1 / 1, Relevance 2 / 3
    said = tab.locator(".lj-scores").inner_text().replace("\n", " ")
    assert "Correctness 0.00 → 1.00 1 / 1" in said
    assert "Relevance 0.00 → 0.67 2 / 3" in said
    idle(tab)
    tab.locator("h1").click()
    tab.keyboard.press("u")
    tab.wait_for_selector(".lj-tile ins", state="detached")


def test_keys_and_rows_open_other_answers_and_foreign_markup_runs_nothing(tab, address):
    visit(tab, f"{address}&answer=first&sort=Order+of+the+file")
    tab.locator("h1").click()
    tab.keyboard.press("n")
    tab.wait_for_function("location.search.includes('answer=second')")
    idle(tab)
    assert tab.locator(".lj-question").inner_text() == NASTY
    assert tab.locator(".lj-answer").inner_text() == NASTY + " Yes."
    assert tab.locator(".stMain img, .stMain script").count() == 0
    assert "broken" not in tab.title()
    tab.get_by_role("button", name="Open answer 1", exact=True).click()
    tab.wait_for_function("location.search.includes('answer=first')")


def test_the_copied_link_opens_the_same_view_in_another_session(tab, browser, address):
    visit(tab, f"{address}&answer=first&point=2")
    tab.get_by_role("button", name="Copy link").click()
    link = tab.locator("[data-testid=stPopoverBody] code").inner_text()
    other = browser.new_context().new_page()
    other.set_default_timeout(WAIT)
    visit(other, link)
    assert other.locator(".lj-answer mark.lj-chosen").get_attribute("data-n") == "2"
    other.context.close()


@pytest.mark.parametrize("width", [1440, 900])
def test_no_page_scrolls_sideways(browser, address, width):
    page = browser.new_context(viewport={"width": width, "height": 1000}).new_page()
    page.set_default_timeout(WAIT)
    visit(page, f"{address}&answer=first")
    wide = page.evaluate(
        "[...document.querySelectorAll('.stMain, .stMain *')].filter(e => e.scrollWidth > e.clientWidth + 1"
        " && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX)).map(e => e.className)"
    )
    assert wide == []
    page.context.close()
