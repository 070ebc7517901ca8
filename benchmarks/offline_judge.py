"""How good is the offline judge? Measured on real claims, real contracts and constructed errors, beside word overlap.

    python benchmarks/offline_judge.py [--quick] [--data DIR] [--seed N] [--frequencies]

Supported or not, as ROC AUC: claims with clauses of ContractNLI, claims with web evidence of ExpertQA (Complete
against Incomplete and Partial). Right or wrong, as the share flagged incorrect: sentences of real contracts with one
thing changed, the same sentences unchanged, the same in other words, and those with one thing changed, each against
its whole contract; and the statements of the sample answers. Yes or no: clause questions of LegalBench. The
threshold of support was set on the sample answers, and the rules were written with an eye on what was missed in the
real contracts; so two other sets are altered too: the nine sample contracts, for which one rule was mended afterwards,
and clauses of some 250 contracts that no rule was written with. Thresholds are also chosen on half of the tasks and
tried on the other half. The last line is JSON.
"""

import argparse
import csv
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "benchmarks"))

from altering.altered import alterations  # noqa: E402
from altering.halves import Half, clauses, halved  # noqa: E402
from altering.reworded import reworded  # noqa: E402
from altering.sample import sample  # noqa: E402
from sklearn.metrics import roc_auc_score  # noqa: E402

from lemaj_core.judge.local_align import support  # noqa: E402
from lemaj_core.judge.local_check import SUPPORTED  # noqa: E402
from lemaj_core.judge.local_frequencies import FILE, count  # noqa: E402
from lemaj_core.judge.local_passages import prepare  # noqa: E402
from lemaj_core.judge.local_question import speaks_of  # noqa: E402
from lemaj_core.judge.local_verdicts import verdicts  # noqa: E402
from lemaj_core.models.embed import encoder  # noqa: E402
from lemaj_core.text import normalise  # noqa: E402
from lemaj_core.text.sentences import split  # noqa: E402
from lemaj_core.types import Document, Strictness, Tag  # noqa: E402

QUESTION = "What does the agreement provide?"
OTHER_WORDS = "altered in other words"
WORDS = re.compile(r"\w+")


def rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV file."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def overlap(claim: str, context: str) -> float:
    """Share of the claim's words that stand in the context: the floor to beat."""
    mine, its = set(WORDS.findall(claim.lower())), set(WORDS.findall(context.lower()))
    return len(mine & its) / max(1, len(mine))


def auc(
    name: str, claims: list[str], contexts: list[str], truth: list[bool], groups: list[str]
) -> tuple[float, float, Half]:
    """Score every pair; print the AUC of the support score and of word overlap, in all and within groups."""
    encoded = encoder().encode(claims)
    scores = [support(claim, prepare(normalise(text))).score for claim, text in zip(encoded, contexts, strict=True)]
    floor = [overlap(claim, text) for claim, text in zip(claims, contexts, strict=True)]
    result = float(roc_auc_score(truth, scores)), float(roc_auc_score(truth, floor))
    within = []
    for group in sorted(set(groups)):
        chosen = [index for index, other in enumerate(groups) if other == group]
        if len({truth[index] for index in chosen}) == 2:
            within.append(roc_auc_score([truth[i] for i in chosen], [scores[i] for i in chosen]))
    half = halved(scores, truth, groups, SUPPORTED)
    print(f"{name}: threshold from half of the groups: {half}")
    print(
        f"{name}: AUC {result[0]:.3f}, word overlap {result[1]:.3f}, within {len(within)} groups "
        f"{sum(within) / len(within):.3f} (n = {len(truth)}, {sum(truth)} supported)"
    )
    return *result, half


def contracts_in(folder: Path) -> list[str]:
    """Read the contracts of a folder, in the order of their names."""
    return [normalise(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.txt"))]


def texts(contracts: list[str], seed: int, most: int) -> dict[str, list[tuple[int, str, str]]]:
    """Make the altered, unaltered and reworded sentences, each with the number of its contract and its kind."""
    rng = random.Random(seed)
    pool: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for number, contract in enumerate(contracts):
        sentences = [contract[start:end] for start, end in split(contract)]
        sentences = [text for text in sentences if 50 <= len(text) <= 500 and text[-1] in ".;"]
        for item in alterations(sentences, contract, rng):
            pool[item.kind].append((number, item.text, item.kind))
        other = [new for text in sentences if (new := reworded(text, rng)) is not None]
        pool[OTHER_WORDS] += [(number, item.text, item.kind) for item in alterations(other, contract, rng)]
        pool["unaltered"] += [(number, text, "unaltered") for text in sentences]
        pool["reworded"] += [
            (number, new, "reworded") for text in sentences if (new := reworded(text, rng)) is not None
        ]
    return {kind: sorted(rng.sample(made, min(most, len(made)))) for kind, made in pool.items()}


def flagged(contracts: list[str], made: dict[str, list[tuple[int, str, str]]]) -> dict[str, list[bool]]:
    """Judge each sentence as an answer against its whole contract; True where a point is incorrect."""
    documents = [Document(str(number), str(number), text) for number, text in enumerate(contracts)]
    found: dict[str, list[bool]] = {}
    for kind, items in made.items():
        found[kind] = []
        for number, text, _ in items:
            judged = verdicts(QUESTION, text, documents[number], None, Strictness.STANDARD)
            found[kind].append(any(point["tag"] == Tag.INCORRECT for point in judged.points))
        print(f"  {kind}: {share(found, kind)[0]:.3f} flagged (n = {len(found[kind])})")
    return found


def share(found: dict[str, list[bool]], *kinds: str) -> tuple[float, int]:
    """Share flagged of some kinds, and their number; without kinds, of all that were altered."""
    chosen = kinds or tuple(kind for kind in found if kind not in ("unaltered", "reworded", OTHER_WORDS))
    flags = [flag for kind in chosen for flag in found.get(kind, [])]
    return round(sum(flags) / max(1, len(flags)), 4), len(flags)


def yes_or_no(path: Path, most: int, seed: int) -> tuple[float, float, int]:
    """Share tagged correct of right yes/no answers, and tagged incorrect of the same answers turned round."""
    right = wrong = total = 0
    questions = rows(path)
    for row in random.Random(seed).sample(questions, min(most, len(questions))):
        document = Document("clause", "clause", normalise(row["context"]))
        turned = {"Yes": "No", "No": "Yes"}[row["answer"]]
        for answer in (row["answer"], turned):
            judged = verdicts(row["question"], answer, document, None, Strictness.STANDARD)
            tags = [point["tag"] for point in judged.points if point["tag"] != Tag.MISSING]
            right += answer == row["answer"] and tags == [Tag.CORRECT]
            wrong += answer == turned and tags == [Tag.INCORRECT]
        total += 1
    return right / total, wrong / total, total


def flagged_of(tags: Counter[tuple[str | None, str]], expert: Tag) -> tuple[float, int]:
    """Share of the statements with one expert tag that the judge calls incorrect."""
    total = sum(count for (tag, _), count in tags.items() if tag == expert)
    return tags[expert, Tag.INCORRECT] / max(1, total), total


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="Measures the offline judge.")
    parser.add_argument("--quick", action="store_true", help="fewer sentences, under four minutes on two cores")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the real data")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--frequencies", action="store_true", help="count the word frequencies of contracts again")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"no data at {options.data}; name its folder with --data")
        return 2
    if options.frequencies:
        folders = (ROOT / "data" / "contracts", options.data / "upload" / "contracts")
        contracts = [normalise(path.read_text("utf-8")) for place in folders for path in sorted(place.glob("*.txt"))]
        counted = count([prepare(text) for text in contracts])
        FILE.write_text(json.dumps(counted, separators=(",", ":")) + "\n", encoding="utf-8")
        return 0
    began = time.perf_counter()
    nli = rows(options.data / "judge_truth" / "contract_nli_claims.csv")
    contract, floor, nli_half = auc(
        "contract_nli", [r["claim"] for r in nli], [r["context"] for r in nli],
        [r["label"] == "supported" for r in nli], [r.get("task", "") for r in nli],
    )  # fmt: skip
    web = rows(options.data / "judge_truth" / "expertqa_support.csv")
    expert, web_floor, _ = auc(
        "expertqa_support", [r["claim"] for r in web], [r["evidence"] for r in web],
        [r["support"] == "Complete" for r in web], [r.get("system", "") for r in web],
    )  # fmt: skip
    contracts = contracts_in(options.data / "upload" / "contracts")
    found = flagged(contracts, texts(contracts, options.seed, 50 if options.quick else 150))
    print("the sample contracts:")
    contracts = contracts_in(ROOT / "data" / "contracts")
    fresh = flagged(contracts, texts(contracts, options.seed, 15 if options.quick else 150))
    print("clauses of contracts that no rule was written with:")
    asked = rows(options.data / "upload" / "cuad_clause_qa.csv")
    contracts = [normalise(text) for text in clauses([*asked, *nli], 12)]
    unseen = flagged(contracts, texts(contracts, options.seed, 15 if options.quick else 150))
    held = halved(
        [speaks_of(r["question"], (normalise(r["context"]),)) for r in asked],
        [r["answer"] == "Yes" for r in asked], [r["task"] for r in asked], 0.0,
    )  # fmt: skip
    print(f"clause questions, threshold from half of the tasks: {held}")
    tags = sample(ROOT / "data")
    wrong_flagged, wrong_n = flagged_of(tags, Tag.INCORRECT)
    right_flagged, right_n = flagged_of(tags, Tag.CORRECT)
    print(f"sample: wrong flagged {wrong_flagged:.3f} of {wrong_n}, right flagged {right_flagged:.3f} of {right_n}")
    questions = {}
    for name in ("contract_qa", "cuad_clause_qa"):
        path = options.data / "upload" / f"{name}.csv"
        questions[name] = yes_or_no(path, 60 if options.quick else 10**6, options.seed)
        print(
            f"{name}: right answers tagged correct {questions[name][0]:.3f}, turned round tagged incorrect "
            f"{questions[name][1]:.3f} (n = {questions[name][2]})"
        )
    print(f"{time.perf_counter() - began:.0f} s")
    print(
        json.dumps(
            {
                "contract_nli_auc": round(contract, 4),
                "contract_nli_overlap_auc": round(floor, 4),
                "contract_nli_n": len(nli),
                "expertqa_support_auc": round(expert, 4),
                "expertqa_support_overlap_auc": round(web_floor, 4),
                "expertqa_support_n": len(web),
                "altered_flagged": share(found)[0],
                "altered_n": share(found)[1],
                "unaltered_flagged": share(found, "unaltered")[0],
                "unaltered_n": share(found, "unaltered")[1],
                "reworded_flagged": share(found, "reworded")[0],
                "reworded_n": share(found, "reworded")[1],
                "altered_reworded_flagged": share(found, OTHER_WORDS)[0],
                "altered_reworded_n": share(found, OTHER_WORDS)[1],
                "fresh_altered_flagged": share(fresh)[0],
                "fresh_altered_n": share(fresh)[1],
                "fresh_unaltered_flagged": share(fresh, "unaltered")[0],
                "fresh_reworded_flagged": share(fresh, "reworded")[0],
                "fresh_altered_reworded_flagged": share(fresh, OTHER_WORDS)[0],
                "unseen_altered_flagged": share(unseen)[0],
                "unseen_altered_n": share(unseen)[1],
                "unseen_unaltered_flagged": share(unseen, "unaltered")[0],
                "unseen_unaltered_n": share(unseen, "unaltered")[1],
                "unseen_reworded_flagged": share(unseen, "reworded")[0],
                "unseen_altered_reworded_flagged": share(unseen, OTHER_WORDS)[0],
                "support_threshold": nli_half.threshold,
                "support_balanced_other_half": round(nli_half.other, 4),
                "support_balanced_product": round(nli_half.product, 4),
                "yes_no_balanced_other_half": round(held.other, 4),
                "yes_no_balanced_product": round(held.product, 4),
                "yes_no_half_n": held.n,
                "sample_wrong_flagged": round(wrong_flagged, 4),
                "sample_wrong_n": wrong_n,
                "sample_right_flagged": round(right_flagged, 4),
                "sample_right_n": right_n,
                "yes_no_correct": round(questions["cuad_clause_qa"][0], 4),
                "yes_no_turned_incorrect": round(questions["cuad_clause_qa"][1], 4),
                "yes_no_n": questions["cuad_clause_qa"][2],
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
