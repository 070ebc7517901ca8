"""Leave-one-claim-out: plain passes, Captum, ContextCite at 64 ablations, ours exact and ours fast, interleaved.

    python benchmarks/context_utilization.py [--quick] [--threads 2]

The same model and the same three constructed texts for all (context_utilization_texts.json). Ratios are given by the
clock and by the processor's time (cpu_...), which holds on a machine that does other work too. Peers come from
benchmarks/requirements.txt, installed beside the product into .lemaj/peers. --quick times a part of the passes of the
slow ways and scales the seconds up, and says which. The last line is JSON.
"""

import argparse
import ctypes
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
sys.path.append(str(HERE.parent / ".lemaj" / "peers"))
os.environ.setdefault("TQDM_DISABLE", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np  # noqa: E402

from lemaj_core.models.likelihood import PACKAGED, Proxy  # noqa: E402
from lemaj_core.models.likelihood_ids import Pieces, encode  # noqa: E402
from lemaj_core.models.likelihood_load import load  # noqa: E402

ABLATIONS = 64
# In --quick: one of so many passes is timed, by claims, for plain passes and Captum, and for ContextCite.
QUICK = {10: (1, 4), 20: (4, 0), 40: (8, 0)}


class Way(NamedTuple):
    """What one way took: seconds, seconds of the processor, MiB above the start, share of its passes that ran."""

    seconds: float
    processor: float
    memory: float | None
    share: float
    found: Any


def limit(torch: Any) -> float:
    """Measure the matrix-product limit in floating point operations per second of the processor, best of ten."""
    left, right = torch.randn(1024, 1024), torch.randn(1024, 1024)
    tries = [clock(lambda: [left @ right for _ in range(8)]) for _ in range(10)]
    return 8 * 2 * 1024**3 / min(processor for _, processor, _ in tries)


def clock(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """Give seconds, seconds of the processor, and the result."""
    start, used = time.perf_counter(), time.process_time()
    result = call()
    return time.perf_counter() - start, time.process_time() - used, result


def resident(key: str) -> float:
    """Read a line of /proc/self/status, in MiB."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(f"{key}:"))


def timed(call: Callable[[], Any], share: float = 1.0) -> Way:
    """Run a way and note its time and the memory it needed at its peak."""
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        before: float | None = resident("VmRSS")
    except (OSError, StopIteration):
        before = None
    seconds, processor, found = clock(call)
    memory = None if before is None else resident("VmHWM") - before
    return Way(seconds / share, processor / share, memory, share, found)


def plain(model: Any, torch: Any, pieces: Pieces, dropped: Sequence[int | None]) -> dict[int | None, float]:
    """One pass per context, written as one writes it: all logits, then the answer's."""
    found = {}
    with torch.inference_mode():
        for index in dropped:
            ids = torch.tensor([pieces.context(index) + pieces.answer])
            logits = model(ids).logits[0, -len(pieces.answer) - 1 : -1]
            logs = torch.log_softmax(logits.float(), -1).gather(1, torch.tensor(pieces.answer)[:, None])
            found[index] = float(logs.double().mean().exp())
    return found


def captum(model: Any, torch: Any, tokenizer: Any, pieces: Pieces, features: Sequence[int]) -> dict[int, float]:
    """Captum's leave-one-out over some claims; gives the fall of the answer's mean log-probability for each."""
    from captum.attr import FeatureAblation, LLMAttribution, TextTemplateInput

    def text(ids: Sequence[int]) -> str:
        return tokenizer.decode(ids)

    parts = [text(ids) for ids in pieces.passages]

    def fill(*values: str) -> str:
        given = dict(zip(features, values, strict=True))
        return text(pieces.head) + "".join(given.get(i, part) for i, part in enumerate(parts)) + text(pieces.tail)

    attribution = LLMAttribution(FeatureAblation(model), tokenizer)
    inputs = TextTemplateInput(template=fill, values=[parts[index] for index in features])
    result = attribution.attribute(inputs, target=torch.tensor(pieces.answer), forward_in_tokens=False)
    return dict(zip(features, (result.seq_attr / len(pieces.answer)).tolist(), strict=True))


def context_cite(model: Any, tokenizer: Any, text: dict, ablations: int) -> np.ndarray:
    """ContextCite over the claims with its defaults; the answer is given, so that it need not be generated."""
    import nltk

    # It fetches a sentence splitter when imported; the claims are split already.
    nltk.download = lambda *_, **__: False
    from context_cite import ContextCiter
    from context_cite.context_partitioner import BaseContextPartitioner

    class Claims(BaseContextPartitioner):
        num_sources = property(lambda self: len(text["claims"]))

        def split_context(self) -> None:
            pass

        def get_source(self, index: int) -> str:
            return text["claims"][index]

        def get_context(self, mask: Any = None) -> str:
            return "\n".join(c for i, c in enumerate(text["claims"]) if mask is None or mask[i])

    context = "\n".join(text["claims"])
    citer = ContextCiter(
        model, tokenizer, context, text["question"], num_ablations=ablations, partitioner=Claims(context)
    )
    citer._cache["output"] = citer._get_prompt_ids(return_prompt=True)[1] + text["answer"]
    return citer.get_attributions(verbose=False)


def operations(model: Any, pieces: Pieces) -> float:
    """Count the floating point operations of ours exact: multiplications by weights and by keys and values."""
    config = model.config
    head = config.vocab_size * config.hidden_size
    weights = sum(p.numel() for p in model.parameters() if p.ndim == 2) - head
    context, answer = pieces.context(), len(pieces.answer)
    own, pairs = [], []
    for index in (None, *range(len(pieces.passages))):
        shorter = pieces.context(index)
        most = len(shorter) - 1
        same = 0 if index is None else next((i for i in range(most) if shorter[i] != context[i]), most)
        tokens = len(shorter) + answer - 1 - same
        own.append(tokens)
        pairs.append(tokens * same + tokens * (tokens + 1) / 2)
    attention = 4 * config.num_hidden_layers * config.num_attention_heads * config.head_dim * sum(pairs)
    return 2.0 * weights * sum(own) + 2.0 * head * answer * len(own) + attention


def missing(module: str) -> str | None:
    """Say why a peer cannot be imported; None if it can."""
    try:
        if module == "context_cite":
            import nltk

            nltk.download = lambda *_, **__: False
        __import__(module)
    except ImportError as error:
        return str(error)
    return None


def run(text: dict, proxy: Proxy, peer: Any, torch: Any, quick: bool, absent: dict) -> dict[str, Way]:
    """Time every way on one text, the short ones around the long ones."""
    claims = len(text["claims"])
    pieces = encode(peer.tokenizer, text["question"], text["claims"], text["answer"], window=peer.window)
    step, part = QUICK[claims] if quick else (1, 1)
    some = list(range(0, claims, step))
    share = (1 + len(some)) / (1 + claims)
    given = (text["question"], text["claims"], text["answer"])
    first, other = timed(lambda: proxy.confidences(*given)), timed(lambda: proxy.confidences(*given, fast=True))
    ways = {"plain": timed(lambda: plain(peer.model, torch, pieces, [None, *some]), share)}
    # The long text is measured once when time is short.
    again = not (quick and claims == 40)
    ways["exact"] = quicker(first, timed(lambda: proxy.confidences(*given))) if again else first
    ways["fast"] = quicker(other, timed(lambda: proxy.confidences(*given, fast=True))) if again else other
    if not absent["captum"] and (claims != 20 or not quick):
        ways["captum"] = timed(lambda: captum(peer.model, torch, peer.tokenizer, pieces, some), share)
    if not absent["context_cite"] and (claims == 10 or not quick):
        number = ABLATIONS // part
        ways["contextcite"] = timed(lambda: context_cite(peer.model, peer.tokenizer, text, number), number / ABLATIONS)
    return ways


def quicker(one: Way, other: Way) -> Way:
    """Give what two tries of the same took at best; a neighbour on the machine only ever adds."""
    best = min(one, other, key=lambda way: way.processor)
    return best._replace(seconds=min(one.seconds, other.seconds))


def differences(ways: dict[str, Way]) -> dict[str, Any]:
    """Compare ours with plain passes and Captum, and the fast way with the exact one."""
    exact, fast, reference = ways["exact"].found, ways["fast"].found, ways["plain"].found
    apart = [abs(value - (exact.full if i is None else exact.without[i])) for i, value in reference.items()]
    effects = [one.full - one.without for one in (exact, fast)]
    strongest = [sorted(np.argsort(-effect, kind="stable")[:3].tolist()) for effect in effects]
    found = {
        "max_abs_diff": max(apart),
        "fast_pearson": float(np.corrcoef(effects[0], effects[1])[0, 1]),
        "fast_same_top3": strongest[0] == strongest[1],
    }
    if "captum" in ways:
        logs = np.log(exact.full) - np.log(exact.without)
        found["captum_log_diff"] = max(abs(value - logs[i]) for i, value in ways["captum"].found.items())
    return found


def main() -> None:
    """Run everything and print a table per text, then one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="under four minutes on two cores")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    start = time.perf_counter()
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    absent = {name: missing(name) for name in ("captum", "context_cite")}
    for name, reason in absent.items():
        if reason:
            print(f"{name} is not installed ({reason}): not measured. See benchmarks/requirements.txt.")
    seconds, _, proxy = clock(lambda: Proxy(PACKAGED, device="cpu"))
    peer = load(PACKAGED, device="cpu")
    torch.set_num_threads(options.threads)
    print(f"proxy loaded in {seconds:.1f} s; {options.threads} threads; load {os.getloadavg()[0]:.1f}")
    result: dict[str, Any] = {"threads": options.threads, "quick": options.quick, "load": os.getloadavg()[0]}
    for text in json.loads((HERE / "context_utilization_texts.json").read_text(encoding="utf-8")):
        claims = len(text["claims"])
        pieces = encode(peer.tokenizer, text["question"], text["claims"], text["answer"])
        peak = limit(torch)
        ways = run(text, proxy, peer, torch, options.quick, absent)
        peak = max(peak, limit(torch))
        exact = ways["exact"]
        print(f"\n{text['name']}: context {len(pieces.context())} tokens, answer {len(pieces.answer)}")
        for name, way in sorted(ways.items(), key=lambda item: -item[1].seconds):
            part = "" if way.share == 1 else f"  (from {way.share:.0%} of its passes)"
            memory = "" if way.memory is None else f"{way.memory:6.0f} MiB"
            print(
                f"  {name:12}{way.seconds:8.2f} s {way.processor:8.2f} s cpu  {memory}"
                f"  {way.seconds / exact.seconds:5.2f} x exact{part}"
            )
            result[f"{name}_{claims}_s"] = round(way.seconds, 3)
            result[f"{name}_{claims}_mib"] = None if way.memory is None else round(way.memory)
        used = operations(peer.model, pieces) / exact.processor / peak
        print(f"  exact runs at {used:.0%} of the matrix-product limit ({peak / 1e9:.0f} GFLOP per processor second)")
        found = differences(ways) | {"limit_share": used}
        print(
            "  "
            + ", ".join(f"{key} {value if isinstance(value, bool) else f'{value:.2g}'}" for key, value in found.items())
        )
        result |= {f"{key}_{claims}": value for key, value in found.items()}
        for name in set(ways) - {"exact"}:
            result[f"vs_{name}_{claims}"] = round(ways[name].seconds / exact.seconds, 2)
            result[f"cpu_vs_{name}_{claims}"] = round(ways[name].processor / exact.processor, 2)
        plainly, fast = ways["plain"], ways["fast"]
        result[f"fast_vs_plain_{claims}"] = round(plainly.seconds / fast.seconds, 2)
        result[f"cpu_fast_vs_plain_{claims}"] = round(plainly.processor / fast.processor, 2)
    result |= {"vs_plain": result["vs_plain_40"], "vs_captum": result.get("vs_captum_40")}
    result |= {"vs_contextcite": result.get("vs_contextcite_10"), "max_abs_diff": result["max_abs_diff_40"]}
    result["absent"] = {name: reason for name, reason in absent.items() if reason}
    print(f"\n{time.perf_counter() - start:.0f} s in all, load {os.getloadavg()[0]:.1f}")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
