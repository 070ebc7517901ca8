"""The flow on one screen: a data set becomes a run, every due answer is judged, scored and stored.

It knows no formula, no prompt and no SQL. What is due is what has no stored judgement; so a run that was killed,
cancelled or capped goes on by working it again.
"""

import logging
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache

from lemaj_core.engines import local
from lemaj_core.engines.answering import examined, judged
from lemaj_core.engines.asking import Asking, Lane
from lemaj_core.engines.budget import Budget
from lemaj_core.engines.halt import Halt, Heartbeat, Why
from lemaj_core.engines.local import Due
from lemaj_core.engines.planning import Plan, plan, price_bound
from lemaj_core.errors import SettingsError
from lemaj_core.judge import OFFLINE, Judge, examine, make
from lemaj_core.judge.data_points import DataPointJudge
from lemaj_core.metrics import findings
from lemaj_core.metrics.data_points import score_tags
from lemaj_core.metrics.table import in_group
from lemaj_core.store import Progress, Store, open_store
from lemaj_core.text import wording
from lemaj_core.types import (
    Dataset,
    Finding,
    Item,
    Judgement,
    Run,
    RunSettings,
    RunState,
    Score,
    Status,
    juror,
)

__all__ = ["Plan", "check", "evaluate", "plan", "work"]

PORTION = 100  # answers loaded at once
log = logging.getLogger(__name__)


def evaluate(
    dataset: Dataset,
    judges: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    *,
    store: Store | None = None,
    settings: RunSettings | None = None,
    name: str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    judge_objects: Mapping[str, Judge] | None = None,
) -> Run:
    """Evaluate a data set here and now.

    Parameters
    ----------
    dataset : Dataset
        As read by ``load_dataset``.
    judges, metrics : sequence of str, optional
        Names of judges and of groups of metrics; by default those of ``settings``: the offline judge, data points.
    store : Store, optional
        Where everything is kept; by default the store of the environment.
    settings : RunSettings, optional
        Everything else that decides the outcome.
    name : str, optional
        What the run is called on the pages.
    on_progress : callable, optional
        Told about twice a second how far the run is.
    judge_objects : mapping of str to Judge, optional
        Judges to use instead of those their names stand for.

    Returns
    -------
    Run
        Its state says whether it finished, was cancelled or stopped at the spend cap.

    Raises
    ------
    LemajError
        If the settings do not fit or the store fails. Answers that cannot be judged are stored as failed instead.
    """
    chosen = settings or RunSettings()
    chosen = replace(
        chosen,
        judges=chosen.judges if judges is None else tuple(judges),
        metrics=chosen.metrics if metrics is None else tuple(metrics),
    )
    check(chosen, given=tuple(judge_objects or ()))
    with _opened(store) as base:
        run_id = base.create_run(base.add_dataset(dataset), chosen, name=name)
        return work(run_id, store=base, judge_objects=judge_objects, on_progress=on_progress)


def check(settings: RunSettings, *, given: Collection[str] = ()) -> None:
    """Refuse settings that no run could be worked with, before a run that could never go on is stored.

    Parameters
    ----------
    settings : RunSettings
        How a data set would be evaluated.
    given : collection of str
        Names of judges that need not be made.

    Raises
    ------
    SettingsError
        If a number is out of its range, no metrics are chosen, or a judge cannot be made.
    """
    if not 0 < settings.beta < float("inf"):
        raise SettingsError(f"beta is {settings.beta}; it must be a positive number")
    if settings.max_cost is not None and not 0 <= settings.max_cost < float("inf"):
        raise SettingsError(f"the spend cap is {settings.max_cost}; it must be a number of USD, 0 or more")
    if settings.deadline is not None and not 0 < settings.deadline < float("inf"):
        raise SettingsError(f"the deadline is {settings.deadline}; it must be a positive number of minutes")
    if settings.concurrency < 1:
        raise SettingsError(f"{settings.concurrency} calls in flight; there must be at least 1")
    if not settings.metrics:
        raise SettingsError("no metrics are chosen; name a group, for example data_points")
    for name in settings.judges:
        if name not in given or not name.strip():
            make(name, settings)
        examine.examiners(juror(name).model, settings)


def work(
    run_id: str,
    *,
    store: Store | None = None,
    judge_objects: Mapping[str, Judge] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Run:
    """Judge what is due in a run, until nothing is, or it is cancelled, or the next call could pass the spend cap.

    Raises
    ------
    LemajError
        If there is no such run, a live worker holds it, a judge does not exist, or the store fails.
    """
    with _opened(store) as base:
        if base.run(run_id).state is not RunState.FINISHED:
            _work(base, run_id, dict(judge_objects or {}), on_progress)
        if on_progress is not None:
            on_progress(base.progress(run_id))
        return base.run(run_id)


def _work(base: Store, run_id: str, given: Mapping[str, Judge], on_progress: Callable[[Progress], None] | None) -> None:
    """Hold the run and judge what is due."""
    halt = Halt(base, run_id, base.run(run_id).settings.deadline)
    with Heartbeat(base, run_id, uuid.uuid4().hex, halt):
        run = base.run(run_id)
        finished = base.finished(run_id)
        due = [due for due in _all(base, run) if due not in finished]
        if due and not halt.reached():
            _judge(base, run, due, halt, given, on_progress)
        if halt.why is Why.CAPPED:
            base.note_capped(run_id)
        if halt.why is Why.LATE:
            log.warning("run %s reached its deadline; resume goes on where it was", run_id)
    if halt.why in (Why.LOST, Why.BROKEN) and halt.error is not None:
        raise halt.error


def _judge(
    base: Store,
    run: Run,
    due: Sequence[Due],
    halt: Halt,
    given: Mapping[str, Judge],
    on_progress: Callable[[Progress], None] | None,
) -> None:
    """Judge everything that is due, model calls side by side, heavy computing in one thread."""
    judges, examining = _who(base, run.settings, given)
    versions = {f"judge {name}": str(judge.version) for name, judge in judges.items()}
    for judge in judges.values():
        if isinstance(judge, DataPointJudge):
            base.keep_prompt(judge.words or wording.builtin())
    for name, several in examining.items():
        versions |= {f"{examiner.group} {name}": str(examiner.version) for examiner in several}
    base.note_versions(run.id, versions)
    tries, past = base.tries(run.id), base.open_calls(run.id)
    bound = price_bound(run.settings, {*run.settings.judges, *run.settings.vote_models} - set(given))
    budget = Budget(run.settings.max_cost, base.spent(run.id), base.dearest(run.id), bound)
    document_of = lru_cache(maxsize=16)(lambda document_id: base.document(run.dataset_id, document_id))

    def start(width: int) -> local.Work:
        items = _Upcoming(base, run)
        lane = Lane(base, run.id, halt, budget, width)

        async def do(one: Due) -> None:
            item = items.get(one.item_id)
            document = document_of(item.document_id) if item.document_id else None
            asking = Asking(lane, one.item_id, one.judge, tries.get(one, 0), past.get(one, ()))
            repeat = tries.get(one, 0)
            judgement = await judged(judges.get(one.judge), one, item, document, asking, repeat)
            found = await examined(examining[one.judge], one, item, document, asking, repeat)
            if judgement is None or found is None:
                return
            base.save_judgement(run.id, judgement, scores(judgement, run.settings, found), found)

        return do

    computing = {name for name in run.settings.judges if name == OFFLINE}
    local.execute(
        [one for one in due if one.judge not in computing],
        [one for one in due if one.judge in computing],
        concurrency=run.settings.concurrency,
        start=start,
        halted=halt.reached,
        broken=lambda error: halt.stop(Why.BROKEN, error),
        tick=None if on_progress is None else lambda: on_progress(base.progress(run.id)),
    )


def _who(
    base: Store, settings: RunSettings, given: Mapping[str, Judge]
) -> tuple[dict[str, Judge], dict[str, list[examine.Examiner]]]:
    """Build the judges, if data points are wanted at all, and the examiners that go with each."""
    judges = {name: given.get(name) or make(name, settings, base.wording_of(name)) for name in settings.judges}
    examining = {name: examine.examiners(juror(name).model, settings) for name in settings.judges}
    return (judges if "data_points" in settings.metrics else {}), examining


def scores(judgement: Judgement, settings: RunSettings, found: Sequence[Finding] = ()) -> dict[str, Score]:
    """Compute every score of the chosen groups from what a judge said and what else was found out."""
    made = findings.scores(found, settings)
    if "data_points" not in settings.metrics:
        return made
    if judgement.status is Status.FAILED:
        reason = judgement.reason or str(judgement.failure or "failed")
        return {metric.key: Score.failed(reason) for metric in in_group("data_points")} | made
    return score_tags((point.tag for point in judgement.points), settings.beta)._asdict() | made


def _all(base: Store, run: Run) -> list[Due]:
    """Every answer with every judge, in the order of the file, so that neighbours share a document."""
    return [Due(item_id, name) for item_id in base.item_ids(run.dataset_id) for name in run.settings.judges]


class _Upcoming:
    """Answers in the order of the file, loaded a few at a time: one by one is slow, all at once is large."""

    def __init__(self, base: Store, run: Run):
        self._base, self._dataset_id = base, run.dataset_id
        self._ids = base.item_ids(run.dataset_id)
        self._place = {item_id: place for place, item_id in enumerate(self._ids)}
        self._loaded: dict[str, Item] = {}

    def get(self, item_id: str) -> Item:
        if item_id not in self._loaded:
            place = self._place[item_id]
            # the portion before stays: another judge may be behind by as many answers as are in hand
            kept = dict(list(self._loaded.items())[-PORTION:])
            self._loaded = kept | self._base.items(self._dataset_id, self._ids[place : place + PORTION])
        return self._loaded[item_id]


@contextmanager
def _opened(store: Store | None) -> Iterator[Store]:
    if store is not None:
        yield store
        return
    with open_store() as opened:
        yield opened
