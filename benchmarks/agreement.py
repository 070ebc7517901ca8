"""How long agreement takes: 2,000 answers with 8 data points each and three annotators, against a judge.

    python benchmarks/agreement.py [--quick] [--answers N]

Limit: 5 s for everything the Agreement page computes (scores, bootstrap, alignment of all points, five statistics
among the annotators). On a busy machine read the seconds of the processor. The last line is JSON.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from lemaj_core.analysis import agreement, tag_agreement  # noqa: E402
from lemaj_core.metrics.data_points import score_tags  # noqa: E402
from lemaj_core.types import Annotation, DataPoint, Tag  # noqa: E402

SENTENCE = "The party {n} shall give notice of {m} days under clause {k}. "


def points(dice: random.Random, item: int, count: int, who: str) -> tuple[DataPoint, ...]:
    """Make the points of one reader: most cut as the others', some moved, tagged with noise."""
    made, start = [], 0
    for number in range(count):
        text = SENTENCE.format(n=number, m=item % 90, k=number + 1)
        shift = dice.choice((0, 0, 0, 4))
        tag = dice.choices(list(Tag), (80, 8, 8, 4))[0]
        place = (None, None) if tag is Tag.MISSING else (start + shift, start + len(text))
        made.append(DataPoint(f"{who}{number}", text[shift:], tag, "", *place))
        start += len(text)
    return tuple(made)


def main() -> None:
    """Build, compute, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the same; it takes seconds")
    parser.add_argument("--answers", type=int, default=2000)
    options = parser.parse_args()
    dice = random.Random(0)
    judged = {f"a{n}": points(dice, n, 8, "j") for n in range(options.answers)}
    labels = [Annotation(key, who, points(dice, n, 8, who)) for n, key in enumerate(judged) for who in ("x", "y", "z")]
    rows = []
    for number, (key, mine) in enumerate(judged.items()):
        row = {"item_id": key, "question": "?", "document_id": f"d{number % 40}"}
        theirs = score_tags(point.tag for point in labels[3 * number].points)
        for name in agreement.SCORES:
            score = getattr(score_tags(point.tag for point in mine), name)
            row |= {
                name: score.value,
                f"{name}_status": str(score.status),
                f"human_{name}": getattr(theirs, name).value,
            }
        rows.append(row)
    answers = pd.DataFrame(rows)
    steps = {}
    begun, used = time.perf_counter(), time.process_time()
    for name in agreement.SCORES:
        agreement.against_experts(answers, name)
    steps["scores_s"] = time.perf_counter() - begun
    compared = tag_agreement.compare_points(judged, labels[::3])
    tag_agreement.counts(compared), tag_agreement.confusion(compared), tag_agreement.errors(compared)
    steps["judge_points_s"] = time.perf_counter() - begun - steps["scores_s"]
    tag_agreement.experts_among_themselves(labels)
    total = time.perf_counter() - begun
    steps["experts_s"] = total - sum(steps.values())
    for name, seconds in steps.items():
        print(f"{name}: {seconds:.2f}")
    found = {name: round(seconds, 2) for name, seconds in steps.items()}
    cpu = time.process_time() - used
    print(
        json.dumps(
            {"total_s": round(total, 2), "cpu_s": round(cpu, 2), "limit_s": 5.0, "answers": options.answers, **found}
        )
    )


if __name__ == "__main__":
    main()
