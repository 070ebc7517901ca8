"""One judge of a run against one expert, as plain values for the command line: scores and data points together.

Puts together what ``agreement`` and ``tag_agreement`` compute; computes no statistic itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import pandas as pd

from lemaj_core.analysis import tag_agreement
from lemaj_core.analysis.agreement import SCORES, against_experts
from lemaj_core.errors import SettingsError
from lemaj_core.metrics.data_points import score_tags
from lemaj_core.store import Store
from lemaj_core.types import Annotation, Run, Status


def compare(
    store: Store, run: Run, judge: str, annotator: str | None = None, labels: Sequence[Annotation] | None = None
) -> dict[str, Any]:
    """Compare a judge with an annotator, with labels of a file, or with the scores that came with the data.

    Raises
    ------
    SettingsError
        If there is no such annotator, or the labels hold several of one answer.
    """
    answers = store.answers(run.id, judge)
    stored = store.annotations(run.dataset_id)
    names = tag_agreement.annotators(stored)
    if annotator is not None and annotator not in names:
        raise SettingsError(f"no annotator {annotator!r} here; finished labels are by {', '.join(names) or 'nobody'}")
    if labels is not None:
        if len({label.item_id for label in labels}) < len(labels):
            raise SettingsError("the file has finished labels of several annotators for one answer; export one of them")
        answers, mine = scored_by(answers, labels, None, run.settings.beta), list(labels)
    elif annotator is not None:
        mine = [label for label in stored if label.annotator == annotator]
        answers = scored_by(answers, mine, annotator, run.settings.beta)
    else:
        mine = [label for label in stored if names and label.annotator == names[0]]
    rows = [against_experts(answers, score) for score in SCORES]
    compared = tag_agreement.compare_points(tag_agreement.points_by_answer(store.points(run.id, judge)), mine)
    expert = annotator or ("file" if labels is not None else "scores of the data, else its first label set")
    return {
        "run": run.id,
        "judge": judge,
        "expert": expert,
        "n": max(row.n for row in rows),
        "scores": {row.score: _plain(row) for row in rows},
        "points": _plain(tag_agreement.counts(compared)),
        "points_of": mine[0].annotator if mine else None,
        "confusion": tag_agreement.confusion(compared).to_dict(),
        "errors": tag_agreement.errors(compared).to_dict("records"),
    }


def sentences(found: dict[str, Any]) -> list[str]:
    """Write a comparison as lines for people."""
    lines = [f"{found['judge']} against {found['expert']}"]
    for score, row in found["scores"].items():
        r, accuracy = row["pearson"], row["accuracy"]
        said = f"undefined ({r['reason']})" if r["value"] is None else f"{r['value']:.3f}, p = {r['p']:.2g}"
        same = "undefined" if accuracy["value"] is None else f"{accuracy['value']:.1%}"
        lines.append(f"{score}: Pearson r {said}; same bucket {same}; n = {row['n']}")
    points = found["points"]
    value = points["alignment"]["value"]
    shared = "undefined" if value is None else f"{value:.1%}"
    lines.append(
        f"data points: LeMAJ Alignment {shared}, {points['same_tag']} of {points['judge_points']} with the same tag "
        f"over {points['answers']} answers"
    )
    return lines + [f"  {error['kind']}: {error['points']}" for error in found["errors"]]


def scored_by(answers: pd.DataFrame, found: Iterable[Annotation], annotator: str | None, beta: float) -> pd.DataFrame:
    """Put one annotator's scores (None: those of all labels) in the place of the expert's: stated, else of the tags."""
    columns: dict[str, dict[str, float | None]] = {score: {} for score in SCORES}
    for label in found:
        if annotator in (None, label.annotator):
            made = score_tags((point.tag for point in label.points), beta)
            for score, values in columns.items():
                stated = getattr(label, score)
                values[label.item_id] = getattr(made, score).value if stated is None else stated
    return answers.assign(
        **{f"human_{score}": answers["item_id"].map(values).astype(float) for score, values in columns.items()}
    )


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):
        return {name: _plain(each) for name, each in value._asdict().items()}
    return list(value) if isinstance(value, tuple) else str(value) if isinstance(value, Status) else value
