"""The flow: what is due is judged once, failures stay with their answer, and a run stops and goes on when told."""

import asyncio
import threading
import time
from dataclasses import replace

import pytest

import lemaj_core
from lemaj_core import pipeline
from lemaj_core.engines import halt, planning
from lemaj_core.errors import CallFailed, SettingsError, StoreError
from lemaj_core.store import open_store
from lemaj_core.types import (
    DataPoint,
    Dataset,
    FailureKind,
    Item,
    Judgement,
    Reply,
    Request,
    RunSettings,
    Status,
    Tag,
)


@pytest.fixture
def store(store_url):
    with open_store(store_url) as opened:
        yield opened


class FakeJudge:
    """Asks once per answer; ``replies`` says what comes back for an item: a Reply, an exception, or a function."""

    approximate = False
    version = "7"

    def __init__(self, name="m", replies=None, *, seconds=0.0, cost=0.0):
        self.name, self.replies, self.seconds, self.cost = name, replies or {}, seconds, cost
        self.asked = []
        self.in_flight = self.most = 0

    def request(self, item, repeat=0):
        return Request(self.name, ({"role": "user", "content": item.answer},), repeat=repeat)

    async def judge(self, item, document, ask, *, repeat=0):
        async def call(request):
            self.asked.append((item.id, repeat))
            self.in_flight += 1
            self.most = max(self.most, self.in_flight)
            try:
                await asyncio.sleep(self.seconds)
                reply = self.replies.get(item.id, Reply("ok", cost=self.cost))
                if isinstance(reply, Exception):
                    raise reply
                return reply(item) if callable(reply) else reply
            finally:
                self.in_flight -= 1

        try:
            reply = await ask(self.request(item, repeat), call)
        except CallFailed as failure:
            return Judgement(item.id, self.name, Status.FAILED, (), FailureKind(failure.kind), str(failure))
        return Judgement(item.id, self.name, Status.SCORED, (DataPoint("p", reply.text, Tag.CORRECT),))


def many(number, **changes):
    return Dataset("many", tuple(Item(f"i{n}", "q", f"Answer {n}.", **changes) for n in range(number)))


def settings(**changes):
    return replace(RunSettings(("m",), concurrency=2), **changes)


def evaluate(store, dataset, judge, **changes):
    return pipeline.evaluate(dataset, store=store, settings=settings(**changes), judge_objects={"m": judge})


def test_every_answer_is_asked_once_and_scored(store, small_dataset):
    judge = FakeJudge()
    seen = []
    run = pipeline.evaluate(small_dataset, ["m"], store=store, name="mine", judge_objects={"m": judge},
                            on_progress=seen.append)  # fmt: skip
    assert (run.name, run.state, run.total, run.done, run.failed) == ("mine", "finished", 6, 6, 0)
    assert run.settings == RunSettings(("m",))
    assert run.versions["judge m"] == "7"
    assert sorted(judge.asked) == [(f"a{n}", 0) for n in range(1, 7)]
    answers = store.answers(run.id)
    assert answers["correctness"].tolist() == [1.0] * 6
    assert seen[-1] == store.progress(run.id)
    assert store.judgement(run.id, "a1", "m").calls == (judge.request(small_dataset.items[0]).key(),)
    assert [reply.text for reply in store.raw_replies(run.id, "a1", "m")] == ["ok"]


def test_the_short_way_in(store, small_dataset):
    assert lemaj_core.evaluate is pipeline.evaluate
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        lemaj_core.nonsense  # noqa: B018


def test_a_store_is_opened_where_none_is_given(tmp_path, monkeypatch, small_dataset):
    monkeypatch.setenv("LEMAJ_STORE", f"sqlite:///{tmp_path / 'env.db'}")
    run = pipeline.evaluate(small_dataset, ["m"], judge_objects={"m": FakeJudge()})
    assert pipeline.work(run.id) == run
    with open_store(f"sqlite:///{tmp_path / 'env.db'}") as store:
        assert store.run(run.id) == run


def test_a_judge_sees_a_reply_as_it_is_kept(store):
    """A resumed run reads replies from the store, so the first worker must not read anything else."""
    seen = []

    class Reading(FakeJudge):
        async def judge(self, item, document, ask, *, repeat=0):
            async def call(request):
                return Reply("a\x00b\ud800", usage={"tokens": float("nan")})

            seen.append(await ask(self.request(item), call))
            return Judgement(item.id, "m", Status.SCORED)

    evaluate(store, many(1), Reading())
    evaluate(store, many(1), Reading())
    assert seen == [Reply("a\ufffdb\ufffd", usage={"tokens": None})] * 2


def test_a_second_run_pays_nothing(store, small_dataset):
    first, second = FakeJudge(cost=0.5), FakeJudge(cost=0.5)
    one = evaluate(store, small_dataset, first)
    two = evaluate(store, small_dataset, second)
    assert second.asked == []
    assert (store.progress(one.id).calls, store.progress(one.id).cost) == (6, 3.0)  # 6 * 0.5
    assert (store.progress(two.id).calls, store.progress(two.id).cached, store.progress(two.id).cost) == (0, 6, 0.0)


def test_equal_answers_are_asked_once_even_side_by_side(store):
    items = tuple(Item(f"i{n}", "q", "The same.") for n in range(6))
    judge = FakeJudge(seconds=0.05)
    run = evaluate(store, Dataset("same", items), judge, concurrency=6)
    assert len(judge.asked) == 1
    assert (store.progress(run.id).calls, store.progress(run.id).cached) == (1, 5)


def test_calls_in_flight_never_pass_the_limit(store):
    judge = FakeJudge(seconds=0.02)
    evaluate(store, many(20), judge, concurrency=5)
    assert judge.most == 5


def test_a_judge_that_asks_many_things_at_once_is_held_to_the_limit(store):
    class Eager(FakeJudge):
        async def judge(self, item, document, ask, *, repeat=0):
            async def call(request):
                self.in_flight += 1
                self.most = max(self.most, self.in_flight)
                await asyncio.sleep(0.01)
                self.in_flight -= 1
                return Reply("ok")

            asked = (Request("m", ({"role": "user", "content": f"{item.id} {n}"},)) for n in range(5))
            await asyncio.gather(*(ask(request, call) for request in asked))
            return Judgement(item.id, "m", Status.SCORED)

    judge = Eager()
    run = evaluate(store, many(4), judge, concurrency=3)
    assert judge.most == 3
    assert store.progress(run.id).calls == 20
    assert len(store.judgement(run.id, "i0", "m").calls) == 5


def test_the_offline_judge_computes_in_one_thread_while_calls_go_on(store):
    main, threads, beats = threading.get_ident(), set(), []

    class Computing(FakeJudge):
        async def judge(self, item, document, ask, *, repeat=0):
            threads.add(threading.get_ident())
            time.sleep(0.1)  # holds its own loop, not that of the calls
            beats.append("computed")
            return await super().judge(item, document, ask)

    class Calling(FakeJudge):
        async def judge(self, item, document, ask, *, repeat=0):
            assert threading.get_ident() == main
            beats.append("called")
            return await super().judge(item, document, ask)

    judges = {"offline": Computing("offline"), "m": Calling("m", seconds=0.005)}
    run = pipeline.evaluate(many(4), ["offline", "m"], store=store, judge_objects=judges)
    assert (run.state, run.done) == ("finished", 8)
    assert len(threads) == 1
    assert main not in threads
    assert beats[:4].count("called") >= 3  # the calls did not wait for the computing


def test_what_fails_stays_with_its_answer(store, small_dataset):
    judge = FakeJudge(replies={
        "a1": CallFailed(FailureKind.TIMEOUT, "no reply after 120 s"),
        "a2": ValueError("a bug"),
        "a3": lambda item: Reply("ok"),
    })  # fmt: skip
    run = evaluate(store, small_dataset, judge)
    assert (run.state, run.done, run.failed) == ("finished", 6, 2)
    progress = store.progress(run.id)
    assert progress.failures == {FailureKind.TIMEOUT: 1, FailureKind.INTERNAL: 1}
    assert progress.calls == 6
    answers = store.answers(run.id).set_index("item_id")
    assert answers.loc["a1", ["failure", "reason"]].tolist() == ["timeout", "no reply after 120 s"]
    assert answers.loc["a2", ["failure", "reason"]].tolist() == ["internal error", "ValueError: a bug"]
    assert answers.loc["a1", "correctness_status"] == "failed"
    assert answers.loc["a1", "correctness_reason"] == "no reply after 120 s"
    assert answers["correctness"].isna().tolist() == [True, True, False, False, False, False]


def test_offsets_that_lead_nowhere_fail_the_answer(store, small_dataset):
    class Wrong(FakeJudge):
        async def judge(self, item, document, ask, *, repeat=0):
            point = DataPoint("p", "t", Tag.CORRECT, "", 0, 3, "xyz")
            return Judgement("someone else", "other", Status.SCORED, (point,))

    run = evaluate(store, small_dataset, Wrong())
    assert (run.done, run.failed) == (6, 6)
    assert "'xyz' was expected at 0 to 3, found 'The'" in store.judgement(run.id, "a1", "m").reason


def test_no_points_are_four_undefined_scores(store, small_dataset):
    class Silent(FakeJudge):
        async def judge(self, item, document, ask, *, repeat=0):
            return Judgement(item.id, "m", Status.SCORED)

    run = evaluate(store, small_dataset, Silent())
    answers = store.answers(run.id)
    assert run.failed == 0
    for key in ("correctness", "precision", "recall", "relevance"):
        assert answers[f"{key}_status"].tolist() == ["undefined"] * 6


def test_a_retry_asks_anew_only_what_failed(store, small_dataset):
    replies = {"a1": CallFailed(FailureKind.NETWORK, "down"), "a2": CallFailed(FailureKind.QUOTA, "no")}
    judge = FakeJudge(replies=replies)
    run = evaluate(store, small_dataset, judge)
    assert pipeline.work(run.id, store=store, judge_objects={"m": judge}) == run
    assert len(judge.asked) == 6  # failed is judged: nothing is due
    store.forget_failed(run.id, kinds=[FailureKind.NETWORK])
    judge.replies = {}
    judge.asked.clear()
    assert pipeline.work(run.id, store=store, judge_objects={"m": judge}).failed == 1
    assert judge.asked == [("a1", 1)]


def test_cancel_stops_within_one_call(store):
    def cancel(item):
        store.request_cancel(store.runs()[0].id)
        return Reply("ok")

    judge = FakeJudge(replies={"i3": cancel})
    run = evaluate(store, many(20), judge, concurrency=1)
    assert (run.state, run.done) == ("cancelled", 4)  # what was asked when it came is kept
    assert len(judge.asked) == 4
    assert pipeline.work(run.id, store=store, judge_objects={"m": judge}).state == "cancelled"
    assert len(judge.asked) == 4
    store.clear_cancel(run.id)
    assert pipeline.work(run.id, store=store, judge_objects={"m": judge}).state == "finished"
    assert sorted(judge.asked) == sorted((f"i{n}", 0) for n in range(20))


def test_a_run_past_its_deadline_keeps_what_is_judged_and_can_be_resumed(store):
    judge = FakeJudge(seconds=0.05)
    # .005 minutes are .3 s, in which one at a time judges about six of forty
    run = evaluate(store, many(40), judge, concurrency=1, deadline=0.005)
    assert run.state == "interrupted"
    assert 1 <= run.done < 20
    assert len(judge.asked) == run.done
    while run.state != "finished":
        run = pipeline.work(run.id, store=store, judge_objects={"m": judge})
    assert sorted(judge.asked) == sorted((f"i{n}", 0) for n in range(40))


@pytest.mark.parametrize("deadline", [0.0, -1.0, float("nan"), float("inf")])
def test_a_deadline_that_is_none_is_refused(store, small_dataset, deadline):
    with pytest.raises(SettingsError, match="number of minutes"):
        evaluate(store, small_dataset, FakeJudge(), deadline=deadline)


def test_cancel_stops_an_answer_between_its_calls(store):
    class Twice(FakeJudge):
        async def judge(self, item, document, ask, *, repeat=0):
            await super().judge(item, document, ask)
            if item.id == "i1":
                store.request_cancel(store.runs()[0].id)
            try:
                return await super().judge(replace(item, answer="again " + item.answer), document, ask)
            except Exception:  # a careless judge takes the stop for a failure
                return Judgement(item.id, "m", Status.FAILED, (), FailureKind.INTERNAL, "careless")

    judge = Twice()
    run = evaluate(store, many(5), judge, concurrency=1)
    assert (run.state, run.done, run.failed) == ("cancelled", 1, 0)
    assert [item_id for item_id, _ in judge.asked] == ["i0", "i0", "i1"]
    store.clear_cancel(run.id)
    run = pipeline.work(run.id, store=store, judge_objects={"m": FakeJudge()})
    assert (run.done, run.failed) == (5, 0)


def test_calls_in_flight_are_kept_when_a_run_is_cancelled(store):
    def cancel(item):
        store.request_cancel(store.runs()[0].id)
        return Reply("ok")

    judge = FakeJudge(replies={"i0": cancel}, seconds=0.05)
    run = evaluate(store, many(20), judge, concurrency=4)
    assert run.state == "cancelled"
    assert run.done == len(judge.asked) == 4


@pytest.mark.parametrize("concurrency", [1, 4])
def test_the_spend_cap_is_never_passed_and_can_be_raised(store, concurrency):
    judge = FakeJudge(cost=0.25)
    run = evaluate(store, many(10), judge, concurrency=concurrency, max_cost=1.1)
    if concurrency == 1:
        assert run.done == 4  # 4 * 0.25 = 1.00; a fifth would make 1.25
        assert store.progress(run.id).cost == 1.0
    assert run.state == "stopped at the spend cap"
    assert run.failed == 0
    paid = len(judge.asked)
    assert pipeline.work(run.id, store=store, judge_objects={"m": judge}).state == "stopped at the spend cap"
    assert len(judge.asked) == paid
    store.set_max_cost(run.id, 100.0)
    run = pipeline.work(run.id, store=store, judge_objects={"m": judge})
    assert (run.state, run.done) == ("finished", 10)
    assert store.progress(run.id).cost == 2.5
    assert sorted(judge.asked) == sorted((f"i{n}", 0) for n in range(10))


def test_calls_in_flight_count_towards_the_cap(store, monkeypatch):
    """Four calls may cost 1.00 each at most and turn out to cost 0.25: with a cap of 2 two are sent, then more."""
    monkeypatch.setattr(pipeline, "price_bound", lambda settings, judges: lambda request: 1.0)
    judge = FakeJudge(cost=0.25, seconds=0.05)
    run = evaluate(store, many(20), judge, concurrency=4, max_cost=2.0)
    assert judge.most == 2
    assert run.state == "stopped at the spend cap"
    assert store.progress(run.id).cost == 1.25  # at 1.00 a call could still reach 2.00; at 1.25 it could pass it


def test_a_cap_on_a_model_without_a_price_is_refused(store, small_dataset):
    with pytest.raises(SettingsError, match=r"price of ollama_chat/unheard-of is unknown, so a spend cap of 1.0 USD"):
        pipeline.evaluate(small_dataset, ["ollama_chat/unheard-of"], store=store, settings=RunSettings(max_cost=1.0))
    run = store.runs()[0]
    assert (run.state, run.done) == ("interrupted", 0)


def test_a_live_worker_keeps_others_out(store):
    inside, done = threading.Event(), threading.Event()

    def wait(item):
        inside.set()
        assert done.wait(20)
        return Reply("ok")

    judge, other = FakeJudge(replies={"i0": wait}), FakeJudge()
    key = store.add_dataset(many(3))
    run_id = store.create_run(key, settings())
    worker = threading.Thread(target=lambda: pipeline.work(run_id, store=store, judge_objects={"m": judge}))
    worker.start()
    assert inside.wait(20)
    with pytest.raises(StoreError, match=f"is working on run {run_id}"):
        pipeline.work(run_id, store=store, judge_objects={"m": other})
    done.set()
    worker.join()
    assert other.asked == []
    assert store.run(run_id).state == "finished"


def test_a_worker_that_lost_its_run_stops(store, monkeypatch):
    monkeypatch.setattr(halt, "BEAT_SECONDS", 0.02)
    key = store.add_dataset(many(500))
    run_id = store.create_run(key, settings())
    judge = FakeJudge(seconds=0.01)
    monkeypatch.setattr(type(store), "beat", lambda *args, **options: not judge.asked)
    with pytest.raises(StoreError, match="was taken over by another process"):
        pipeline.work(run_id, store=store, judge_objects={"m": judge})
    assert 0 < len(judge.asked) < 500


def test_a_store_that_fails_ends_the_work_with_its_reason(store, monkeypatch):
    def full(*arguments):
        raise StoreError("the disk is full")

    monkeypatch.setattr(type(store), "save_judgement", full)
    judge = FakeJudge()
    with pytest.raises(StoreError, match="the disk is full"):
        evaluate(store, many(20), judge)
    assert len(judge.asked) <= 2
    assert store.runs()[0].state == "interrupted"


def test_it_works_inside_a_running_loop(store, small_dataset):
    async def notebook():
        return evaluate(store, small_dataset, FakeJudge())

    assert asyncio.run(notebook()).state == "finished"

    async def broken():
        return pipeline.evaluate(small_dataset, ["no-such-judge"], store=store)

    with pytest.raises(SettingsError):
        asyncio.run(broken())


def test_an_empty_data_set_is_done_at_once(store):
    run = pipeline.evaluate(Dataset("none", ()), ["m"], store=store, judge_objects={"m": FakeJudge()})
    assert (run.state, run.total) == ("finished", 0)


def test_progress_is_told_while_the_work_goes_on(store):
    seen = []
    run = pipeline.evaluate(many(12), ["m"], store=store, judge_objects={"m": FakeJudge(seconds=0.2)},
                            settings=settings(concurrency=1), on_progress=seen.append)  # fmt: skip
    assert run.done == 12
    assert 2 <= len(seen) <= 8
    assert [now.done for now in seen] == sorted(now.done for now in seen)
    assert seen[0].state == "running"
    assert seen[-1].state == "finished"


# the plan


def test_a_plan_counts_what_would_be_asked(store, small_dataset):
    chosen = RunSettings(("openai/gpt-4o", "offline"))
    plan = pipeline.plan(small_dataset, chosen, store=store)
    assert (plan.calls, plan.cached, plan.unpriced) == (6, 0, ())
    requests = [
        planning.build_request(item, small_dataset.documents.get(item.document_id), chosen, model="openai/gpt-4o")
        for item in small_dataset.items
    ]
    assert plan.tokens_in == sum(planning.count_tokens("openai/gpt-4o", request.messages) for request in requests)
    assert plan.tokens_out == sum(planning.expected_tokens(item) for item in small_dataset.items)
    assert plan.cost == pytest.approx(planning.price("openai/gpt-4o", plan.tokens_in, plan.tokens_out))

    run_id = store.create_run(store.add_dataset(small_dataset), chosen)
    for request in requests[:2]:
        store.add_call(run_id, request, Reply("r"))
    again = pipeline.plan(small_dataset, chosen, store=store)
    assert (again.calls, again.cached) == (6, 2)
    assert again.cost < plan.cost


def test_a_plan_says_which_price_is_unknown(small_dataset):
    plan = pipeline.plan(small_dataset, RunSettings(("openai/gpt-4o", "ollama_chat/unheard-of")))
    assert (plan.calls, plan.cost, plan.unpriced) == (12, None, ("ollama_chat/unheard-of",))


def test_the_offline_judge_costs_nothing(small_dataset):
    assert pipeline.plan(small_dataset, RunSettings()) == pipeline.Plan(0, 0, 0, 0, 0.0)


def test_a_long_plan_estimates_close_to_the_count(store):
    dataset = many(60)
    plan = pipeline.plan(dataset, RunSettings(("openai/gpt-4o",)))
    exact = sum(
        planning.count_tokens("openai/gpt-4o", planning.build_request(
            item, None, RunSettings(("openai/gpt-4o",)), model="openai/gpt-4o").messages)
        for item in dataset.items
    )  # fmt: skip
    assert plan.calls == 60
    assert plan.tokens_in == pytest.approx(exact, rel=0.02)


def test_the_bound_of_a_price_is_above_it(small_dataset):
    chosen = RunSettings(("openai/gpt-4o",), max_cost=1.0)
    bound = planning.price_bound(chosen, chosen.judges)
    item = small_dataset.items[0]
    request = planning.build_request(item, small_dataset.documents["lease"], chosen)
    tokens = planning.count_tokens("openai/gpt-4o", request.messages)
    most = planning.price("openai/gpt-4o", tokens, request.parameters["max_tokens"])
    assert most <= bound(request) <= 2 * most
    assert bound(replace(request, model="offline")) == 0.0


def test_a_bug_in_a_judge_shows_no_key(store, small_dataset, monkeypatch, caplog):
    monkeypatch.setenv("LEMAJ_KEYS", '{"m": "a-very-secret-word"}')
    judge = FakeJudge(replies={"a1": ValueError("wrong key a-very-secret-word")})
    run = evaluate(store, small_dataset, judge)
    assert store.answers(run.id)["reason"][0] == "ValueError: wrong key [key]"
    assert "wrong key [key]" in caplog.text
    assert "a-very-secret-word" not in caplog.text
    assert "a-very-secret-word" not in str(store.open_calls(run.id)) + str(store.progress(run.id))


def test_a_reader_of_progress_that_breaks_does_not_stop_the_work(store):
    def broken(progress):
        raise ValueError("a bug in the bar")

    key = store.add_dataset(many(8))
    run_id = store.create_run(key, settings(concurrency=1))
    with pytest.raises(ValueError, match="a bug in the bar"):  # told at the end, when all is stored
        pipeline.work(run_id, store=store, judge_objects={"m": FakeJudge(seconds=0.1)}, on_progress=broken)
    assert store.run(run_id).state == "finished"
