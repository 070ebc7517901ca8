"""DeepEval's Faithfulness and Answer Relevancy over the same answers, as its documentation says to run them.

    python peer.py BASE_URL ANSWERS IN_FLIGHT

Prints one line of JSON. DeepEval lies in .lemaj/peers (benchmarks/requirements.txt); telemetry is off.
"""

import json
import os
import resource
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / ".lemaj" / "peers"))
os.environ |= {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "ERROR_REPORTING": "NO",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_UPDATE_WARNING_OPT_IN": "NO",
    # on a busy machine its own deadline of a try (under 90 s) passes and the whole run is lost
    "DEEPEVAL_PER_ATTEMPT_TIMEOUT_SECONDS_OVERRIDE": "900",
    "DEEPEVAL_PER_TASK_TIMEOUT_SECONDS_OVERRIDE": "3600",
    "OPENAI_API_KEY": "sk-local-0000000000000000",
}


def main(base_url: str, count: int, in_flight: int) -> None:
    """Evaluate once to load everything, then measure."""
    from answers import rows, texts
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import AnswerRelevancyMetric, FaithfulnessMetric
    from deepeval.models import LocalModel
    from deepeval.test_case import LLMTestCase

    contracts = dict(texts())
    model = LocalModel(model="local-judge", base_url=base_url, api_key=os.environ["OPENAI_API_KEY"])

    def judge(several: list) -> int:
        cases = [
            LLMTestCase(name=key, input=question, actual_output=answer, retrieval_context=[contracts[name]])
            for key, question, answer, name in several
        ]
        found = evaluate(
            cases,
            [FaithfulnessMetric(model=model), AnswerRelevancyMetric(model=model)],
            async_config=AsyncConfig(max_concurrent=in_flight),
            display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
            cache_config=CacheConfig(write_cache=False, use_cache=False),
            error_config=ErrorConfig(ignore_errors=False),
        )
        return sum(data.score is not None for one in found.test_results for data in one.metrics_data)

    out = sys.stdout
    sys.stdout = open(os.devnull, "w", encoding="utf-8")
    judge(rows(2, start=1_000_000))
    before, started = time.process_time(), time.perf_counter()
    scored = judge(rows(count))
    wall, cpu = time.perf_counter() - started, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    out.write(json.dumps({"wall": wall, "cpu": cpu, "peak_mb": peak, "scores": scored}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
