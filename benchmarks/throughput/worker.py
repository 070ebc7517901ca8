"""Judges answers as a run does, through store, prompt, litellm, parser and store again, and says what that took.

    python worker.py BASE_URL STORE ANSWERS IN_FLIGHT

Prints one line of JSON. The client is warmed by a small run first, as it is in every run after the first answers;
what loading and warming takes is reported beside it.
"""

import json
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from answers import rows, texts

from lemaj_core.pipeline import evaluate
from lemaj_core.store import open_store
from lemaj_core.types import Dataset, Document, Item, RunSettings

MODEL = "hosted_vllm/local-judge"  # litellm's name for a server of one's own that speaks the OpenAI protocol


def data(count: int, start: int = 0) -> Dataset:
    """Build a data set of so many answers."""
    documents = {name: Document(name, f"{name}.txt", text) for name, text in texts()}
    items = tuple(Item(key, question, answer, name) for key, question, answer, name in rows(count, start=start))
    return Dataset(f"throughput {count}", items, documents)


def main(base_url: str, store: str, count: int, in_flight: int) -> None:
    """Warm, judge, and print what it took."""
    settings = RunSettings(judges=(MODEL,), base_url=base_url, concurrency=in_flight)
    begun = time.perf_counter()
    with open_store(store) as opened:
        evaluate(data(8, 1_000_000), store=opened, settings=settings)
        dataset = data(count)
        opened.add_dataset(dataset)
        before, started = time.process_time(), time.perf_counter()
        run = evaluate(dataset, store=opened, settings=settings)
        wall, cpu = time.perf_counter() - started, time.process_time() - before
        progress = opened.progress(run.id)
        rows_ = opened.answers(run.id)
    sys.stdout.write(
        json.dumps(
            {
                "wall": wall,
                "cpu": cpu,
                "start": started - begun,
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "calls": progress.calls,
                "scored": int(rows_["status"].eq("scored").sum()),
                "found": int(rows_[["correct", "incorrect", "irrelevant"]].to_numpy().sum()),
            }
        )
        + "\n"
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
