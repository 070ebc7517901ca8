"""What state a run is in follows from its rows and from whether its worker lives; two workers never share a run."""

import os
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from lemaj_core.errors import StoreError
from lemaj_core.store import liveness, open_store, tables
from lemaj_core.types import Judgement, RunSettings, Status


@pytest.fixture
def store(store_url):
    with open_store(store_url) as opened:
        yield opened


@pytest.fixture
def run_id(store, small_dataset):
    return store.create_run(store.add_dataset(small_dataset), RunSettings(max_cost=1.0))


@pytest.fixture
def sleeper():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


def judge(store, run_id, *item_ids):
    for item_id in item_ids:
        store.save_judgement(run_id, Judgement(item_id, "offline", Status.SCORED), {})


def change(store, run_id, **values):
    with store.write() as connection:
        connection.execute(update(tables.runs).where(tables.runs.c.id == run_id).values(**values))


def test_a_run_nobody_touched_waits(store, run_id):
    assert store.run(run_id).state == "waiting"


def test_a_run_with_a_live_worker_runs(store, run_id):
    store.claim(run_id, os.getpid(), worker="w")
    assert store.run(run_id).state == "running"
    assert store.runs()[0].state == "running"
    assert store.progress(run_id).state == "running"
    assert datetime.now(UTC) - store.run(run_id).beat < timedelta(seconds=20)


def test_a_worker_that_let_go_before_its_end_leaves_an_interrupted_run(store, run_id):
    store.claim(run_id, os.getpid(), worker="w")
    store.release(run_id, "w")
    assert store.run(run_id).state == "interrupted"


def test_rows_without_a_worker_are_an_interrupted_run(store, run_id):
    judge(store, run_id, "a1")
    assert store.run(run_id).state == "interrupted"


def test_all_rows_are_a_finished_run_whoever_wrote_them(store, run_id):
    judge(store, run_id, "a1", "a2", "a3", "a4", "a5")
    assert store.run(run_id).finished is None
    judge(store, run_id, "a6")
    run = store.run(run_id)
    assert (run.state, run.done) == ("finished", 6)
    assert datetime.now(UTC) - run.finished < timedelta(seconds=20)


def test_a_cancelled_run_runs_until_its_worker_is_gone(store, run_id):
    store.claim(run_id, os.getpid(), worker="w")
    store.request_cancel(run_id)
    assert store.cancel_requested(run_id)
    assert store.run(run_id).state == "running"
    store.release(run_id, "w")
    assert store.run(run_id).state == "cancelled"
    store.clear_cancel(run_id)
    assert not store.cancel_requested(run_id)
    assert store.run(run_id).state == "interrupted"


def test_a_capped_run_is_due_again_with_a_higher_cap(store, run_id):
    judge(store, run_id, "a1")
    store.note_capped(run_id)
    assert store.run(run_id).state == "stopped at the spend cap"
    store.set_max_cost(run_id, 0.5)
    assert store.run(run_id).state == "stopped at the spend cap"
    store.set_max_cost(run_id, 2.0)
    assert store.run(run_id).settings.max_cost == 2.0
    assert store.run(run_id).state == "interrupted"
    store.set_max_cost(run_id, None)
    assert store.run(run_id).state == "interrupted"


def test_a_killed_worker_is_gone_at_once(store, run_id, sleeper):
    assert store.beat(run_id, sleeper.pid)
    assert store.run(run_id).state == "running"
    sleeper.kill()
    end = time.monotonic() + 20
    while liveness.alive(sleeper.pid) and time.monotonic() < end:
        time.sleep(0.01)  # nobody has collected it yet: a zombie is dead all the same
    assert sleeper.returncode is None
    assert store.run(run_id).state == "interrupted"


def test_a_process_id_that_was_used_again_is_another_process(store, run_id):
    store.claim(run_id, os.getpid(), worker="w")
    change(store, run_id, pid_started="1")
    assert store.run(run_id).state == "interrupted"
    assert not liveness.alive(os.getpid(), "1")
    assert liveness.alive(os.getpid(), liveness.started(os.getpid()))


def test_a_worker_that_stopped_beating_does_not_hold_the_run(store, run_id):
    store.claim(run_id, os.getpid(), worker="w")
    change(store, run_id, beat=datetime.now(UTC) - timedelta(seconds=130))
    assert store.run(run_id).state == "interrupted"


def test_on_another_machine_only_the_beat_counts(store, run_id):
    store.claim(run_id, os.getpid(), worker="w")
    change(store, run_id, host="elsewhere", pid=2**22 + 1)
    assert store.run(run_id).state == "running"
    change(store, run_id, beat=datetime.now(UTC) - timedelta(seconds=130))
    assert store.run(run_id).state == "interrupted"


@pytest.mark.parametrize("pid", [None, 0, -1, 2**22 + 1])
def test_no_such_process(pid):
    assert not liveness.alive(pid)


def test_a_second_worker_is_refused(store, run_id, sleeper):
    assert store.beat(run_id, sleeper.pid)
    with pytest.raises(StoreError, match=rf"process {sleeper.pid} on .* is working on run {run_id}"):
        store.claim(run_id, os.getpid(), worker="w")
    assert not store.beat(run_id, os.getpid())
    with pytest.raises(StoreError, match="cancel it before deleting"):
        store.delete_run(run_id)


def test_a_second_worker_in_the_same_process_is_refused(store, run_id):
    store.claim(run_id, os.getpid(), worker="one")
    with pytest.raises(StoreError, match="is working on run"):
        store.claim(run_id, os.getpid(), worker="two")
    store.release(run_id, "two")  # not its own: nothing happens
    assert store.run(run_id).state == "running"
    store.release(run_id, "one")
    store.claim(run_id, os.getpid(), worker="two")


def test_a_run_reserved_for_a_process_is_taken_by_its_worker(store, run_id):
    assert store.beat(run_id, os.getpid())
    store.claim(run_id, os.getpid(), worker="w")
    assert store.beat(run_id, os.getpid(), worker="w")
    assert not store.beat(run_id, os.getpid(), worker="other")


def test_a_worker_learns_that_it_lost_the_run(store, run_id):
    store.claim(run_id, os.getpid(), worker="slow")
    change(store, run_id, beat=datetime.now(UTC) - timedelta(seconds=130))
    store.claim(run_id, os.getpid(), worker="new")
    assert not store.beat(run_id, os.getpid(), worker="slow")
    store.release(run_id, "new")
    store.delete_run(run_id)
    assert not store.beat(run_id, os.getpid(), worker="new")


def test_of_many_workers_at_once_one_gets_the_run(store, run_id):
    start = threading.Barrier(8)
    won, lost = [], []

    def take(name):
        with open_store(store.url) as own:
            start.wait()
            try:
                own.claim(run_id, os.getpid(), worker=name)
                won.append(name)
            except StoreError:
                lost.append(name)

    threads = [threading.Thread(target=take, args=(f"w{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 7)


def test_many_may_open_a_new_store_at_once(store_url):
    start = threading.Barrier(4)
    found = []

    def take():
        start.wait()
        with open_store(store_url) as own:
            found.append(own.runs())

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[], [], [], []]
