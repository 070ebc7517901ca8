"""Fetches what several judges said of a run, ready to be laid side by side."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from lemaj_core.analysis.jury import Heard, Rule, hear
from lemaj_core.errors import SettingsError
from lemaj_core.store import Store
from lemaj_core.types import DataPoint, Status, Tag

LEAST = 2


def jurors_of(store: Store, run_id: str, named: Sequence[str] = ()) -> list[str]:
    """Give the judges that sit: those named, else all of the run.

    Raises
    ------
    SettingsError
        If one that was named did not judge here, or fewer than two sit.
    """
    judges = store.run(run_id).settings.judges
    if strange := [name for name in named if name not in judges]:
        raise SettingsError(f"no judge {strange[0]!r} in run {run_id}; it was judged by {', '.join(judges)}")
    sitting = [name for name in judges if name in named] if named else list(judges)
    if len(sitting) < LEAST:
        raise SettingsError(
            f"a jury needs two judges and run {run_id} has {', '.join(sitting)}; judge the answers by another model as "
            "well, or by the same one again (MODEL#2)"
        )
    return sitting


def read(store: Store, run_id: str, jurors: Sequence[str]) -> Iterator[tuple[str, dict[str, list[DataPoint]]]]:
    """Give every answer that two or more jurors judged, in the order of the file, with each one's points."""
    answers = store.answers(run_id)
    judged = answers.loc[answers["status"].eq(str(Status.SCORED)) & answers["judge"].isin(list(jurors))]
    laid: dict[str, dict[str, list[DataPoint]]] = {}
    for item_id, judge in zip(judged["item_id"], judged["judge"], strict=True):
        laid.setdefault(item_id, {})[judge] = []
    for name in jurors:
        for item_id, point in _points(store.points(run_id, judge=name)):
            if name in laid.get(item_id, {}):
                laid[item_id][name].append(point)
    for item_id in dict.fromkeys(answers["item_id"]):
        found = laid.get(item_id, {})
        if len(found) >= LEAST:
            yield item_id, {name: found[name] for name in jurors if name in found}


def sit(
    store: Store,
    run_id: str,
    jurors: Sequence[str],
    rule: Rule = "majority",
    weights: Mapping[str, float] | None = None,
) -> list[Heard]:
    """Decide every data point of a run; see :func:`lemaj_core.analysis.jury.hear`."""
    return [one for item_id, points in read(store, run_id, jurors) for one in hear(item_id, points, rule, weights)]


def _points(frame: pd.DataFrame) -> Iterator[tuple[str, DataPoint]]:
    columns = [frame[name].tolist() for name in ("item_id", "point_id", "text", "tag", "reason", "start", "end")]
    for item_id, point_id, text, tag, reason, start, end in zip(*columns, strict=True):
        yield (
            item_id,
            DataPoint(
                point_id,
                text,
                Tag(tag) if isinstance(tag, str) else None,
                reason if isinstance(reason, str) else "",
                _place(start),
                _place(end),
            ),
        )


def _place(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)
