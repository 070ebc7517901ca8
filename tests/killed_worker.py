"""Works a run in a child process that kills itself at a chosen moment. Run as a script by test_pipeline_killed.py.

``python tests/killed_worker.py TEMPLATE.db FOLDER`` makes one store in FOLDER for each entry of CASES and lets a child
work it until the child sends itself SIGKILL.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

from lemaj_core import pipeline
from lemaj_core.errors import CallFailed
from lemaj_core.store import open_store, results
from lemaj_core.types import (
    DataPoint,
    Dataset,
    Document,
    Evidence,
    FailureKind,
    Item,
    Judgement,
    Reply,
    Request,
    RunSettings,
    Status,
    Tag,
)

# Where a worker can die: a call about to be sent; a reply that came but is not stored; a reply just stored; a judgement
# about to be stored; inside its transaction; just stored.
MOMENTS = ("call", "reply", "ledger", "judgement", "transaction", "stored")
VARIANTS = {"one": ("m", 1), "three": ("m", 3), "thread": ("offline", 1)}  # run id -> judge, concurrency
CASES = [
    (variant, moment, number)
    for variant, numbers in (("one", (1, 4, 9)), ("three", (2, 7)), ("thread", (5,)))
    for moment in MOMENTS
    for number in numbers
]
ITEMS = 10


def template(path):
    """Make a store with one run of each variant; answers 2 and 7 are the same."""
    items = tuple(Item(f"i{n}", "q", f"Answer {2 if n == 7 else n}.", "d") for n in range(ITEMS))
    with open_store(f"sqlite:///{path}") as store:
        key = store.add_dataset(Dataset("ten", items, {"d": Document("d", "d.txt", "A contract.")}))
        for run_id, (judge, concurrency) in VARIANTS.items():
            store.create_run(key, RunSettings((judge,), concurrency=concurrency), run_id=run_id)


class Judge:
    """Writes every call to a file. Answer 3 takes two calls, 4 fails, 5 is never understood, 6 raises."""

    approximate = False
    version = "1"

    def __init__(self, name, log, strike=lambda moment: None):
        self.name, self.log, self.strike = name, log, strike

    async def call(self, request):
        self.strike("call")
        with open(self.log, "a", encoding="utf-8") as log:
            log.write(request.key() + "\n")
        if "Answer 4" in request.messages[0]["content"]:
            raise CallFailed(FailureKind.TIMEOUT, "no reply")
        self.strike("reply")
        return Reply("correct missing", "stop", {"prompt_tokens": 10, "completion_tokens": 2}, 0.25, 0.01, "m")

    async def judge(self, item, document, ask, *, repeat=0):
        request = Request(self.name, ({"role": "user", "content": item.answer},), repeat=repeat)
        try:
            reply = await ask(request, self.call)
            if item.id == "i3":
                again = Request(self.name, ({"role": "user", "content": "once more: " + item.answer},))
                reply = await ask(again, self.call)
        except CallFailed as failure:
            return Judgement(item.id, self.name, Status.FAILED, (), FailureKind(failure.kind), str(failure))
        if item.id == "i5":
            return Judgement(item.id, self.name, Status.FAILED, (), FailureKind.MALFORMED, "no JSON")
        if item.id == "i6":
            raise ValueError("a bug")
        points = tuple(
            DataPoint(f"p{n}", item.answer, Tag(tag), "", 0, 6, "Answer", (Evidence("A contract", "d", 0, 10),))
            for n, tag in enumerate(reply.text.split())
        )
        return Judgement(item.id, self.name, Status.SCORED, points)


def work_and_die(path, run_id, moment, number):
    """Work until the moment comes for the given time."""
    counts = dict.fromkeys(MOMENTS, 0)

    def strike(now):
        counts[now] += 1
        if (now, counts[now]) == (moment, number):
            os.kill(os.getpid(), signal.SIGKILL)

    def after(function, now):
        def wrapped(*arguments, **options):
            found = function(*arguments, **options)
            strike(now)
            return found

        return wrapped

    score_rows = results._score_rows

    def dying_score_rows(*arguments):
        strike("transaction")
        return score_rows(*arguments)

    results._score_rows = dying_score_rows
    with open_store(f"sqlite:///{path}") as store:
        save = after(store.save_judgement, "stored")

        def dying_save(*arguments):
            strike("judgement")
            return save(*arguments)

        store.add_call, store.save_judgement = after(store.add_call, "ledger"), dying_save
        judge = Judge(VARIANTS[run_id][0], path.with_suffix(".log"), strike)
        pipeline.work(run_id, store=store, judge_objects={judge.name: judge})


if __name__ == "__main__":
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    for case in CASES:
        target = folder / ("-".join(map(str, case)) + ".db")
        shutil.copy(source, target)
        child = os.fork()
        if child == 0:
            work_and_die(target, *case)
            os._exit(1)  # the moment never came
        _, status = os.waitpid(child, 0)
        if os.WTERMSIG(status) != signal.SIGKILL:
            sys.exit(f"{case} ended with status {status}")
