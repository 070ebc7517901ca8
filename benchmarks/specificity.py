"""Specificity: how fast votes are scored, and what the offline judges' labels are worth on the constructed sample.

    python benchmarks/specificity.py [--quick] [--answers N]

1. 1,000 answers x 9 claims x 4 dimensions x 3 judges are scored from their votes; limit 1 s.
2. Every claim of the sample's answers is labelled offline against its contract. Experts say which statements are true:
   a detail in a true statement should be yes; a statement with an error should have a detail that is no, if its error
   is in a detail at all. The readers and thresholds were set while looking at this sample, so this is how kindly they
   can be measured, and no estimate for other contracts. ``--quick`` leaves this part out: it takes minutes.

Ends with one line of JSON.
"""

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from lemaj_core.analysis.specificity import verdict  # noqa: E402
from lemaj_core.ingest.sample import load_sample  # noqa: E402
from lemaj_core.judge.local_points import statements  # noqa: E402
from lemaj_core.judge.specificity_offline import cells  # noqa: E402
from lemaj_core.metrics.specificity import PRESETS, Label, answer_specificity  # noqa: E402
from lemaj_core.types import Tag  # noqa: E402

LIMIT = 1.0


def speed(answers: int) -> float:
    """Score random votes; the best of three runs in seconds."""
    chance, names = random.Random(0), PRESETS["hazard"]
    details = [
        {
            "dimensions": names,
            "judges": ["a", "b", "c"],
            "claims": [
                {"cells": {name: [{"label": chance.choice(("yes", "no", "n/a"))} for _ in range(3)] for name in names}}
                for _ in range(9)
            ],
        }
        for _ in range(answers)
    ]
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        for detail in details:
            answer_specificity(detail)
        taken.append(time.perf_counter() - start)
    return min(taken)


def worth(most: int | None) -> dict[str, int]:
    """Count details of true statements by label, and statements with an error by whether a detail of theirs is no."""
    sample = load_sample()
    experts = {}
    for annotation in sample.annotations:
        experts.setdefault(annotation.item_id, annotation)
    counts: Counter[str] = Counter()
    for item in sample.items[:most]:
        document = sample.documents[item.document_id or ""]
        claims = statements(item.answer)
        rows = cells(claims, document.text, "legal", list(PRESETS["legal"]))
        points = [point for point in experts[item.id].points if point.start is not None and point.end is not None]
        for claim, row in zip(claims, rows, strict=True):
            tags = {point.tag for point in points if point.start < claim.end and point.end > claim.start}
            labels = [verdict(cast) for cast in row.values()]
            if Tag.INCORRECT in tags and labels:
                counts["error_caught" if Label.NO in labels else "error_missed"] += 1
            elif tags and Tag.INCORRECT not in tags:
                counts["true_yes"] += labels.count(Label.YES)
                counts["true_no"] += labels.count(Label.NO)
                counts["true_tie"] += labels.count(Label.NA)
    return dict(counts)


def main() -> int:
    """Run both parts and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--answers", type=int, default=None, help="answers of the sample, all by default")
    chosen = parser.parse_args()
    seconds = speed(1000)
    print(f"1,000 answers x 9 claims x 4 dimensions x 3 judges: {seconds:.3f} s (limit {LIMIT:g} s)")
    found: dict[str, float] = {"seconds": round(seconds, 4)}
    if not chosen.quick:
        counts = worth(chosen.answers)
        details = counts.get("true_yes", 0) + counts.get("true_no", 0)
        errors = counts.get("error_caught", 0) + counts.get("error_missed", 0)
        print(f"details of true statements labelled no: {counts.get('true_no', 0)} of {details}")
        print(f"statements with an error and a detail labelled no: {counts.get('error_caught', 0)} of {errors}")
        found |= counts
    print(json.dumps(found))
    return 0 if seconds < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
