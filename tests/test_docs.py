"""The documents tell the truth: every metric, page, command and file that they should name is named."""

import re
from pathlib import Path

import pytest

from lemaj_core import __main__ as cli
from lemaj_core.metrics.table import GROUPS, METRICS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def row_of(first_cell):
    """Find the row of a table in the README by its first cell."""
    return next((line for line in README.splitlines() if line.startswith(f"| {first_cell} |")), None)


@pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.key)
def test_every_metric_is_in_the_readme_with_its_formula(metric):
    row = row_of(metric.label)
    assert row is not None, f"{metric.label} has no row"
    if metric.group == "data_points":
        short = {"relevance": "2C / (2C + R + M)"}.get(metric.key, metric.formula)
        assert short in row
        assert short in metric.formula


@pytest.mark.parametrize("page", ["app.py", *sorted(f"pages/{p.name}" for p in (ROOT / "pages").glob("*.py"))])
def test_every_page_is_in_the_readme(page):
    assert f"`{page}`" in README


def test_every_command_is_in_the_readme():
    for command in cli.app.registered_commands:
        name = command.name or command.callback.__name__
        assert re.search(rf"lemaj_core {name}\b|`{name}`", README), name


def test_the_two_commands_come_first():
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    assert [line.split("#")[0].strip() for line in blocks[0].strip().splitlines()] == ["make run", "make test"]
    for target in ("setup", "run", "test", "lint", "bench", "clean"):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_what_the_readme_links_to_is_there():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).is_file(), target
    for path in re.findall(r"`((?:lemaj_core|benchmarks|data|components|pages)/[\w./-]*)`", README):
        assert (ROOT / path).exists(), path


def test_every_group_of_metrics_has_metrics_and_a_name():
    assert {metric.group for metric in METRICS.values()} == set(GROUPS)
    assert len({metric.label for metric in METRICS.values()}) == len(METRICS)


def test_direct_dependencies_are_pinned_exactly():
    for name in ("requirements.txt", "tests/requirements.txt", "lemaj_core/models/requirements.txt"):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith(("#", "--")):
                assert re.match(r"^[A-Za-z0-9._\[\]-]+==[^\s;]+(\s--hash=sha256:[0-9a-f]{64})?$", line), (
                    f"{name}: {line}"
                )
    pins = dict(line.split("==") for line in (ROOT / "requirements.txt").read_text().split() if "==" in line)
    assert pins["torch"] == "2.13.0"
    assert pins["litellm"] not in ("1.82.7", "1.82.8")
