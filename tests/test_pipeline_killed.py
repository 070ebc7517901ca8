"""A worker killed at any moment: the next one repeats no stored call, loses none, and ends as the first would have."""

import os
import runpy
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import select

from lemaj_core import pipeline
from lemaj_core.store import open_store, tables

SCRIPT = Path(__file__).parent / "killed_worker.py"
WORKER = runpy.run_path(str(SCRIPT), run_name="killed_worker")
CASES, VARIANTS, Judge = WORKER["CASES"], WORKER["VARIANTS"], WORKER["Judge"]


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """Let one worker die at each moment, and return the folder with what each left behind."""
    folder = tmp_path_factory.mktemp("killed")
    WORKER["template"](folder / "template.db")
    command = [sys.executable, str(SCRIPT), str(folder / "template.db"), str(folder)]
    environment = os.environ | {"PYTHONPATH": str(SCRIPT.parent.parent)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def undisturbed(killed):
    """Work each variant without a disturbance."""
    found = {}
    for run_id in VARIANTS:
        path = killed / f"whole-{run_id}.db"
        shutil.copy(killed / "template.db", path)
        with open_store(f"sqlite:///{path}") as store:
            run = go_on(store, run_id, path.with_suffix(".log"))
            assert (run.state, run.done, run.failed) == ("finished", 10, 3)
            found[run_id] = (outcome(store, run_id), calls_in(path.with_suffix(".log")))
    return found


def go_on(store, run_id, log):
    judge = Judge(VARIANTS[run_id][0], log)
    return pipeline.work(run_id, store=store, judge_objects={judge.name: judge})


def calls_in(log):
    return Counter(log.read_text().split()) if log.exists() else Counter()


def ledger(store, run_id):
    """Count the calls of a run by answer, key, and how they ended."""
    table = tables.calls
    columns = (table.c.item_id, table.c.key, table.c.cached, table.c.failure, table.c.cost, table.c.tokens_in)
    with store.read() as connection:
        return Counter(tuple(row) for row in connection.execute(select(*columns).where(table.c.run_id == run_id)))


def outcome(store, run_id):
    progress = store.progress(run_id)
    totals = [getattr(progress, name) for name in ("total", "done", "scored", "failed", "failures", "calls", "cached",
                                                   "tokens_in", "tokens_out", "cost", "unpriced")]  # fmt: skip
    return store.answers(run_id), store.points(run_id), totals, ledger(store, run_id)


def test_the_undisturbed_run_is_what_it_should_be(undisturbed):
    answers, points, totals, rows = undisturbed["one"][0]
    calls = undisturbed["one"][1]
    # ten answers, one asks twice, one has its reply from another: 10 + 1 - 1 calls, of which one fails
    assert sum(calls.values()) == 10
    assert totals[5:10] == [10, 1, 90, 18, 2.25]  # calls, cached, 9 * 10 and 9 * 2 tokens, 9 * 0.25 USD
    assert sum(rows.values()) == 11
    assert len(points) == 14  # 7 scored answers with 2 points
    assert answers["status"].tolist().count("failed") == 3


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_the_next_worker_goes_on_where_the_last_one_died(killed, undisturbed, case):
    run_id = case[0]
    path = killed / ("-".join(map(str, case)) + ".db")
    with open_store(f"sqlite:///{path}") as store:
        before = store.run(run_id)
        assert before.state == ("finished" if before.done == 10 else "interrupted")
        stored = {row[1] for row in ledger(store, run_id)}
        made = calls_in(path.with_suffix(".log"))
        assert sum(made.values()) - len(stored & set(made)) <= VARIANTS[run_id][1]  # lost: only what was in flight

        later = path.with_suffix(".later")
        run = go_on(store, run_id, later)
        assert (run.state, run.done, run.failed) == ("finished", 10, 3)
        repeated = stored & set(calls_in(later))
        assert not repeated
        whole, calls = undisturbed[run_id]
        assert stored | set(calls_in(later)) == set(calls)
        assert max(calls_in(later).values(), default=0) <= 1
        found = outcome(store, run_id)
        pd.testing.assert_frame_equal(found[0], whole[0])
        pd.testing.assert_frame_equal(found[1], whole[1])
        assert found[2:] == whole[2:]


def test_enough_moments_were_tried():
    assert len(CASES) == 36  # 6 moments, 3 + 2 + 1 times
