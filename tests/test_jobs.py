"""Runs worked by a child process: started, killed, started again, cancelled; keys leave no trace."""

import json
import os
import signal
import time
from pathlib import Path

import pytest
from sqlalchemy import select

from lemaj_core import jobs
from lemaj_core.errors import StoreError
from lemaj_core.store import tables
from lemaj_core.types import Dataset, Item, RunSettings

REPLY = {"data_points": [
    {"id": "1", "quote": "Five years.", "text": "Five years.", "evidence": [], "reason": "clause 2", "tag": "correct"},
]}  # fmt: skip
KEY = "sk-key-nobody-may-see"


@pytest.fixture
def slow_run(store, tmp_path):
    """Give a run of 12 answers whose judge takes a tenth of a second for each."""
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps({"reply": REPLY, "seconds": 0.1, "cost": 0.5}), encoding="utf-8")
    items = tuple(Item(f"i{n}", f"Question {n}?", "Five years.", contexts=("Five years.",)) for n in range(12))
    key = store.add_dataset(Dataset("slow", items))
    return store.create_run(key, RunSettings((f"scripted:{script}",), concurrency=1))


def wait_for(condition, seconds=180):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def test_a_killed_child_is_replaced_by_one_that_goes_on(store, slow_run):
    first = jobs.start(slow_run, store_url=store.url, keys={"m": KEY})
    assert store.run(slow_run).state == "running"  # before it has even loaded its libraries
    assert jobs.is_alive(first)
    command = Path(f"/proc/{first}/cmdline").read_text().split("\0")
    assert command[1:5] == ["-m", "lemaj_core", "work", slow_run]
    assert KEY not in str(command)
    wait_for(lambda: f"LEMAJ_KEYS={json.dumps({'m': KEY})}" in Path(f"/proc/{first}/environ").read_text())
    with pytest.raises(StoreError, match=f"run {slow_run} is being worked on already"):
        jobs.start(slow_run, store_url=store.url)

    wait_for(lambda: store.run(slow_run).done >= 3)
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: not jobs.is_alive(first))
    killed = store.run(slow_run)
    assert killed.state == "interrupted"
    assert 3 <= killed.done < 12

    second = jobs.start(slow_run, store_url=store.url)
    wait_for(lambda: store.run(slow_run).state == "finished")
    wait_for(lambda: not jobs.is_alive(second))
    progress = store.progress(slow_run)
    assert (progress.scored, progress.failed) == (12, 0)
    assert (progress.calls, progress.cost) == (12, 6.0)  # 12 * 0.5: none paid twice
    log = jobs.log_tail(slow_run, store_url=store.url)
    assert "finished: 12 of 12 judged" in log
    assert KEY not in log
    with store.read() as connection:
        rows = [connection.execute(select(table)).all() for table in (tables.runs, tables.calls, tables.replies)]
    assert KEY not in str(rows)


def test_a_child_is_cancelled_through_the_store_and_started_again(store, slow_run):
    child = jobs.start(slow_run, store_url=store.url)
    wait_for(lambda: store.run(slow_run).done >= 1)
    store.request_cancel(slow_run)
    done = store.run(slow_run).done
    wait_for(lambda: not jobs.is_alive(child))
    cancelled = store.run(slow_run)
    assert cancelled.state == "cancelled"
    assert cancelled.done <= done + 1
    jobs.start(slow_run, store_url=store.url)
    assert not store.cancel_requested(slow_run)
    wait_for(lambda: store.run(slow_run).state == "finished")
    assert store.progress(slow_run).calls == 12


def test_a_child_that_cannot_work_says_why_in_its_log(store, small_dataset):
    run_id = store.create_run(store.add_dataset(small_dataset), RunSettings(("scripted:/nowhere/script.jsonl",)))
    child = jobs.start(run_id, store_url=store.url)
    wait_for(lambda: not jobs.is_alive(child))
    assert store.run(run_id).state == "interrupted"
    assert "/nowhere/script.jsonl cannot be read" in " ".join(jobs.log_tail(run_id, store_url=store.url).split())


def test_an_unknown_run_is_not_started(store):
    with pytest.raises(StoreError, match="no run 'nope'"):
        jobs.start("nope", store_url=store.url)
    assert jobs.log_tail("nope", store_url=store.url) == ""
    assert jobs.log_tail("../../etc/passwd", store_url=store.url) == ""


def test_the_end_of_a_log_is_short(store, tmp_path):
    log = tmp_path / "logs" / "run1.log"
    log.parent.mkdir()
    log.write_text("\n".join(f"line {n}" for n in range(100_000)), encoding="utf-8")
    assert jobs.log_tail("run1", store_url=store.url, lines=2) == "line 99998\nline 99999"
    assert len(jobs.log_tail("run1", store_url=store.url, lines=10**9)) <= jobs.LOG_BYTES


def test_a_relative_store_is_the_same_for_the_child(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert jobs._absolute("sqlite:///here/s.db") == f"sqlite:///{tmp_path}/here/s.db"
    assert jobs._absolute("postgresql://u:p@host/db") == "postgresql://u:p@host/db"
