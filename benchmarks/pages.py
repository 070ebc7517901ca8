"""How fast the pages are over a run of 20,000 answers x 12 points: first visit, page switch, rerun, payload, memory.

Builds the run in a temporary store through the store's own interface, starts the server, and drives Debian's Chromium.

    python benchmarks/pages.py [--quick] [--answers N] [--store FILE]

Limits: first visit 2.5 s, switch 0.6 s, rerun 0.3 s, payload 5 MB, web process 350 MB. A bare Streamlit app and one
with four small plotly charts are visited in the same minutes, since ratios hold on a busy machine where seconds do
not. ``--answers 72`` is the size of the sample. Ends with one line of JSON.
Needs playwright (tests/requirements.txt) and chromium.
"""

import argparse
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from lemaj_core.metrics.data_points import score_tags  # noqa: E402
from lemaj_core.store import open_store  # noqa: E402
from lemaj_core.types import DataPoint, Dataset, Document, Item, Judgement, RunSettings, Status, Tag  # noqa: E402

PAGES = {"Overview": "", "Answers": "answers", "Triage": "triage", "Evaluate": "evaluate", "Methods": "methods"}
CHARTS = {"Overview": 4, "Triage": 3}
BARE = """import streamlit as st
st.title("Floor")
st.metric("Number", st.slider("Slider", 0, 100, 3))
"""
CHARTED = """import plotly.graph_objects as go
import streamlit as st
st.title("Floor")
for number in range(4):
    st.plotly_chart(go.Figure(go.Bar(x=[1, 2, 3], y=[2, 3, 4])), key=str(number))
"""
SETTLED = """([title, charts]) => {
  const app = document.querySelector('[data-testid=stApp]');
  const heading = document.querySelector('h1');
  return app && app.getAttribute('data-test-script-state') === 'notRunning'
    && heading && heading.innerText.trim() === title
    && !document.querySelector('[data-testid=stSkeleton]')
    && document.querySelectorAll('.js-plotly-plot .main-svg').length >= charts;
}"""
TYPES = ("Lease", "Services", "NDA", "Software", "Employment", "Supply", "Licence", "Loan", "Consultancy")
WEIGHTS = ((85, 4, 6, 5), (55, 20, 12, 13), (20, 60, 10, 10))


def build(url: str, answers: int, points: int = 12, *, seed: int = 0) -> str:
    """Fill a store with one finished run and return its id; the same seed gives the same run."""
    dice = random.Random(seed)
    documents = {
        f"d{n}": Document(f"d{n}", f"{kind}.txt", f"{kind} agreement. " * 400, kind) for n, kind in enumerate(TYPES)
    }
    sentence = "The notice period under clause 12 is thirty days. "
    items = tuple(
        Item(
            f"a{n}",
            f"What notice must the party give under agreement {n}, and what happens if it does not?",
            sentence * points,
            f"d{n % len(TYPES)}",
            model=f"Model {n % 3 + 1}",
            minutes=dice.choice((4, 5, 6, 8, 12)),
            human_correctness=dice.choice((1.0, 1.0, 0.75, 0.5)) if n % 10 == 0 else None,
            extra={"practice area": dice.choice(("Real estate", "Commercial", "IP"))},
        )
        for n in range(answers)
    )
    with open_store(url) as store:
        run_id = store.create_run(store.add_dataset(Dataset("large", items, documents)), RunSettings(), name="large")
        for item in items:
            tags = dice.choices(list(Tag), dice.choice(WEIGHTS), k=points)
            made = tuple(
                DataPoint(
                    f"p{k}", sentence.strip(), tag, "Clause 12 says so.", k * len(sentence), (k + 1) * len(sentence) - 1
                )
                if tag is not Tag.MISSING
                else DataPoint(f"p{k}", "The form of the notice.", tag, "Left out.")
                for k, tag in enumerate(tags)
            )
            judgement = Judgement(item.id, "offline", Status.SCORED, made)
            store.save_judgement(run_id, judgement, score_tags(tags)._asdict())
    return run_id


def serve(app: Path, url: str, port: int) -> tuple[subprocess.Popen, float]:
    """Start a server; return it and the seconds until it answers."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", app.name, "--server.port", str(port), "--server.headless=true"],
        cwd=app.parent,
        env=os.environ | {"LEMAJ_STORE": url},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1)
            return process, time.perf_counter() - begun
        except OSError:
            time.sleep(0.05)
    process.kill()
    sys.exit("the server did not start within 30 s")


def memory_mb(pid: int) -> float:
    """Resident memory of the web process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def settle(page: Page, title: str) -> None:
    """Wait until the page of that title is drawn, charts included."""
    page.wait_for_function(SETTLED, arg=[title, CHARTS.get(title, 0)], timeout=60_000)


def floor_visit(browser, base: str, charts: int = 0) -> float:
    """Seconds to the drawn page of an app that shows a title, a slider and a number, or four small charts."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    begun = time.perf_counter()
    page.goto(base)
    page.wait_for_function(SETTLED, arg=["Floor", charts], timeout=60_000)
    seconds = time.perf_counter() - begun
    context.close()
    return seconds


def first_visits(browser, base: str, payloads: dict[str, float]) -> dict[str, float]:
    """Seconds from the address to the drawn page, each in a browser that has seen nothing yet."""
    found = {}
    for title, path in PAGES.items():
        context = browser.new_context(viewport={"width": 1440, "height": 1000})
        page = context.new_page()
        received = [0]

        def count(frame, received=received):
            received[0] += len(frame)

        page.on("websocket", lambda socket, count=count: socket.on("framereceived", count))
        begun = time.perf_counter()
        page.goto(f"{base}/{path}")
        settle(page, title)
        found[title] = time.perf_counter() - begun
        payloads[title] = received[0] / 1e6
        context.close()
    return found


def switches(page: Page, rounds: int) -> dict[str, float]:
    """Median seconds from the click on a link to the drawn page, in the same tab."""
    times: dict[str, list[float]] = {title: [] for title in PAGES}
    for _ in range(rounds):
        for title in [*list(PAGES)[1:], "Overview"]:
            link = page.locator("[data-testid=stSidebar]").get_by_role("link", name=title)
            begun = time.perf_counter()
            link.click()
            settle(page, title)
            times[title].append(time.perf_counter() - begun)
    return {title: statistics.median(values) for title, values in times.items() if values}


def reruns(page: Page, rounds: int) -> dict[str, float]:
    """Median seconds from a moved threshold or a changed filter to the new numbers."""
    found: dict[str, float] = {}
    figure = "[...document.querySelectorAll('[data-testid=stMetricValue]')].map(e => e.innerText).join('|')"
    changed = f"before => ({figure}) !== before && ({SETTLED})(['TITLE', CHARTS])"
    page.locator("[data-testid=stSidebar]").get_by_role("link", name="Triage").click()
    settle(page, "Triage")
    slider = page.get_by_role("slider").nth(1)
    keys = itertools.cycle(("End", "Home"))  # from one end to the other: the figures change in a small run too
    found["Triage, threshold"] = _median_change(
        page,
        changed.replace("TITLE", "Triage").replace("CHARTS", "3"),
        figure,
        rounds,
        lambda: slider.press(next(keys)),
    )
    page.locator("[data-testid=stSidebar]").get_by_role("link", name="Overview").click()
    settle(page, "Overview")
    box = page.get_by_placeholder("Find in questions")
    words = iter(str(n) for n in range(10, 10 + rounds))

    def search() -> None:
        box.fill(next(words))
        box.press("Enter")

    found["Overview, search"] = _median_change(
        page, changed.replace("TITLE", "Overview").replace("CHARTS", "4"), figure, rounds, search
    )
    return found


def _median_change(page: Page, condition: str, figure: str, rounds: int, act) -> float:
    times = []
    for _ in range(rounds):
        before = page.evaluate(figure)
        begun = time.perf_counter()
        act()
        page.wait_for_function(condition, arg=before, timeout=60_000)
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def main() -> None:
    """Build, serve, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="three rounds instead of nine")
    parser.add_argument("--answers", type=int, default=20_000)
    parser.add_argument("--store", type=Path, help="a SQLite file to keep and to use again")
    parser.add_argument("--port", type=int, default=8599)
    options = parser.parse_args()
    rounds = 3 if options.quick else 9
    with tempfile.TemporaryDirectory() as folder:
        file = options.store or Path(folder) / "large.db"
        url = f"sqlite:///{file.resolve()}"
        if not file.exists():
            begun = time.perf_counter()
            build(url, options.answers)
            print(f"built {options.answers:,} answers in {time.perf_counter() - begun:.0f} s")
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE)
        process, started = serve(ROOT / "app.py", url, options.port)
        peer, _ = serve(bare, url, options.port + 1)
        charted = Path(folder) / "charted.py"
        charted.write_text(CHARTED)
        second, _ = serve(charted, url, options.port + 2)
        try:
            base = f"http://127.0.0.1:{options.port}"
            payloads: dict[str, float] = {}
            with sync_playwright() as driver:
                browser = driver.chromium.launch(
                    executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
                    args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
                )
                cold = first_visits(browser, base, payloads)
                floor_base = f"http://127.0.0.1:{options.port + 1}"
                charted_base = f"http://127.0.0.1:{options.port + 2}"
                floor_visit(browser, floor_base), floor_visit(browser, charted_base, 4)
                floors = [floor_visit(browser, floor_base)]
                drawn = [floor_visit(browser, charted_base, 4)]
                warm = first_visits(browser, base, payloads)
                floors.append(floor_visit(browser, floor_base))
                drawn.append(floor_visit(browser, charted_base, 4))
                page = browser.new_page(viewport={"width": 1440, "height": 1000})
                page.goto(base)
                settle(page, "Overview")
                switched, rerun = switches(page, rounds), reruns(page, rounds)
                browser.close()
            web_mb = memory_mb(process.pid)
        finally:
            for server in (process, peer, second):
                server.terminate()
                server.wait(10)
    print(f"a bare Streamlit app, first visit: {statistics.mean(floors):.2f} s (0.9 s on a quiet machine)")
    print(f"a Streamlit app with four plotly charts, first visit: {statistics.mean(drawn):.2f} s")
    print(f"server answers after {started:.2f} s; web process {web_mb:.0f} MB")
    print(f"{'page':<20}{'first, cold server':>20}{'first visit':>14}{'switch':>10}{'payload MB':>12}")
    for title in PAGES:
        print(f"{title:<20}{cold[title]:>20.2f}{warm[title]:>14.2f}{switched[title]:>10.2f}{payloads[title]:>12.2f}")
    for what, seconds in rerun.items():
        print(f"rerun {what}: {seconds:.2f} s")
    print(
        json.dumps(
            {
                "slowest_page_s": round(max(warm.values()), 2),
                "bare_streamlit_page_s": round(statistics.mean(floors), 2),
                "four_charts_page_s": round(statistics.mean(drawn), 2),
                "slowest_cold_s": round(max(cold.values()), 2),
                "slowest_switch_s": round(max(switched.values()), 2),
                "slowest_rerun_s": round(max(rerun.values()), 2),
                "largest_payload_mb": round(max(payloads.values()), 2),
                "web_mb": round(web_mb),
                "server_start_s": round(started, 2),
                "answers": options.answers,
            }
        )
    )


if __name__ == "__main__":
    main()
