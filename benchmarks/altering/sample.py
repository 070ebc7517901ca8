"""How the judge tags the statements of the sample answers, beside the constructed expert's tags.

The sample was written for this project; its faults are realistic (a number of another clause, a dropped condition, an
invented clause) and its right answers are free paraphrases, so these figures are harder and more honest than those on
altered sentences.
"""

import csv
import json
from collections import Counter
from pathlib import Path

from lemaj_core.judge.local_verdicts import verdicts
from lemaj_core.text import normalise
from lemaj_core.types import Document, Strictness, Tag


def expected(answer: str, labels: list[dict[str, str]], start: int, end: int) -> str | None:
    """Give the expert's tag of a statement: the worst of the labelled points that overlap it."""
    tags = set()
    for label in labels:
        at = answer.find(label["quote"]) if label.get("quote") else -1
        if at >= 0 and min(end, at + len(label["quote"])) - max(start, at) > min(10, len(label["quote"]) / 2):
            tags.add(label["tag"])
    return next((tag for tag in (Tag.INCORRECT, Tag.CORRECT, Tag.IRRELEVANT) if tag in tags), None)


def sample(folder: Path) -> Counter[tuple[str | None, str]]:
    """Judge the sample answers; count pairs of the expert's and the judge's tag."""
    labels = {}
    for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        labels.setdefault(record["item_id"], record["points"])
    found: Counter[tuple[str | None, str]] = Counter()
    with (folder / "answers.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name, answer = row["document"], normalise(row["answer"])
            document = Document(name, name, normalise((folder / "contracts" / name).read_text(encoding="utf-8")))
            points = verdicts(row["question"], answer, document, None, Strictness.STANDARD).points
            for point in points:
                if point["tag"] != Tag.MISSING:
                    tag = expected(answer, labels.get(row["id"], []), point["start"], point["end"])
                    found[tag, point["tag"]] += 1
    return found
