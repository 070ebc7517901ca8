"""What a judge adds to the time that a model takes: 1,000 answers, 64 in flight, and DeepEval on the same server.

Judges through the whole path (store, prompt, litellm, parser, store) against a local OpenAI-compatible server that is
a process of its own and answers after a fixed latency. Ideal is answers / 64 x latency; a bare HTTP client is timed in
the same minute, since a ratio still depends on what else the machine does. DeepEval runs Faithfulness and Answer
Relevancy over 200 answers (50 with --quick) with 64 at once.

    python benchmarks/judge_throughput.py [--quick]

Limits: 1.10 times the ideal at 1 s, 1.40 at 200 ms, 400 MB. The full run repeats each measurement three times and takes
the middle; --quick measures once. DeepEval is optional (benchmarks/requirements.txt) and left out where it is absent.
Ends with one line of JSON.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = HERE / "throughput"
PEERS = HERE.parent / ".lemaj" / "peers" / "deepeval"
IN_FLIGHT, ANSWERS, PEER_ANSWERS, QUICK_PEER_ANSWERS = 64, 1000, 200, 50
LIMITS = {1.0: 1.10, 0.2: 1.40}
PEAK_MB = 400


@contextmanager
def serving(latency: float):
    """Run the server as a process and give its address."""
    process = subprocess.Popen([sys.executable, str(PARTS / "server.py"), str(latency)], stdout=subprocess.PIPE)
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()


def part(name: str, *words: str | int, folder: str) -> dict:
    """Run one of the measuring programs and read its line of JSON."""
    command = [sys.executable, str(PARTS / f"{name}.py"), *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{name} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def counted(base_url: str) -> dict:
    """Ask the server how many calls came since it was asked last, and how many were in flight at once."""
    with urllib.request.urlopen(f"{base_url}/count") as reply:
        return json.load(reply)


def ours(latency: float, times: int) -> dict:
    """Judge the answers, several times where asked; the run of the middle wall time counts."""
    ideal = ANSWERS / IN_FLIGHT * latency
    runs = []
    for _ in range(times):
        with serving(latency) as url, tempfile.TemporaryDirectory() as folder:
            floor = part("floor", url, ANSWERS, IN_FLIGHT, folder=folder)["wall"]
            counted(url)
            found = part("worker", url, f"sqlite:///{folder}/store.db", ANSWERS, IN_FLIGHT, folder=folder)
            found |= {"floor_over_ideal": floor / ideal, "over_ideal": found["wall"] / ideal, **counted(url)}
        if found["scored"] != ANSWERS or found["found"] != 4 * ANSWERS:
            sys.exit(f"not every answer was scored: {found}")
        runs.append(found)
        print(
            f"  {latency:g} s: {found['wall']:.2f} s wall, {found['over_ideal']:.2f} x ideal "
            f"(bare client {found['floor_over_ideal']:.2f}), {found['cpu']:.1f} s of processor, "
            f"{found['peak_mb']:.0f} MB, {found['most']} in flight, loading {found['start']:.1f} s, "
            f"load average {os.getloadavg()[0]:.1f}"
        )
    return sorted(runs, key=lambda run: run["wall"])[len(runs) // 2]


def peer(count: int) -> dict | None:
    """Run DeepEval's pair, if it is there."""
    if not PEERS.exists():
        print("  DeepEval is not installed (benchmarks/requirements.txt): left out")
        return None
    with serving(0.2) as url, tempfile.TemporaryDirectory() as folder:
        found = part("peer", url, count, IN_FLIGHT, folder=folder)
        found |= counted(url)
    calls = found["calls"] / (count + 2)
    found |= {"per_answer": found["wall"] / count, "calls_per_answer": calls}
    print(
        f"  DeepEval at 0.2 s: {found['wall']:.1f} s wall for {count} answers, {calls:.1f} calls per answer, "
        f"{found['cpu']:.1f} s of processor, {found['peak_mb']:.0f} MB, {found['most']} in flight, "
        f"{found['scores']} scores, load average {os.getloadavg()[0]:.1f}"
    )
    return found


def main() -> None:
    """Measure, print, and end with one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="measure once instead of three times")
    quick = parser.parse_args().quick
    print(f"{ANSWERS} answers, {IN_FLIGHT} in flight, whole path, local server")
    found = {latency: ours(latency, 1 if quick else 3) for latency in LIMITS}
    other = peer(QUICK_PEER_ANSWERS if quick else PEER_ANSWERS)
    short = found[0.2]
    result = {
        "wall_over_ideal": round(found[1.0]["over_ideal"], 3),
        "wall_over_ideal_200ms": round(short["over_ideal"], 3),
        "floor_over_ideal": round(found[1.0]["floor_over_ideal"], 3),
        "floor_over_ideal_200ms": round(short["floor_over_ideal"], 3),
        "peak_mb": round(max(run["peak_mb"] for run in found.values())),
        "cpu_ms_per_answer": round(statistics.mean(run["cpu"] for run in found.values()) / ANSWERS * 1000, 2),
        "load_average": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
    }
    if other is not None:
        mine = short["wall"] / ANSWERS
        result |= {
            "ours_s_per_answer": round(mine, 4),
            "deepeval_s_per_answer": round(other["per_answer"], 4),
            "times_faster": round(other["per_answer"] / mine, 1),
            "deepeval_calls_per_answer": round(other["calls_per_answer"], 2),
            "deepeval_peak_mb": round(other["peak_mb"]),
        }
    met = {f"{latency:g} s": run["over_ideal"] <= LIMITS[latency] for latency, run in found.items()}
    met["memory"] = result["peak_mb"] <= PEAK_MB
    print("  limits: " + ", ".join(f"{name} {'met' if good else 'missed'}" for name, good in met.items()))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
