"""The command line: every command by its stable name, its JSON, its exit codes, and bad input in one sentence."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from openpyxl import load_workbook
from typer.testing import CliRunner

from lemaj_core import __main__ as cli
from lemaj_core.errors import LemajError

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = (
    "inspect",
    "run",
    "plan",
    "work",
    "resume",
    "cancel",
    "runs",
    "summary",
    "export",
    "triage",
    "demo",
    "jury",
    "agreement",
    "prompts",
)


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Run a command on a store of its own; give (exit code, standard output)."""
    monkeypatch.setenv("LEMAJ_STORE", f"sqlite:///{tmp_path / 'store.db'}")

    def run(*words):
        done = CliRunner().invoke(cli.app, [str(word) for word in words])
        if isinstance(done.exception, LemajError):
            return 2, str(done.exception)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.stdout

    return run


@pytest.fixture
def answers_csv(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(
        "id,question,answer,document,model,minutes\n"
        '1,"How long is the notice period?","The notice period is 60 days.",lease.txt,A,5\n'
        '2,"How long is the notice period?","=HYPERLINK(""http://x"") It is thirty days.",lease.txt,B,7\n'
        '3,"Who pays?","The tenant pays.",lease.txt,A,\n',
        encoding="utf-8",
    )
    documents = tmp_path / "docs"
    documents.mkdir()
    (documents / "lease.txt").write_text("2.1 Notice. The notice period is thirty (30) days.\n2.2 The tenant pays.\n")
    return path


@pytest.fixture
def script(tmp_path):
    """Replies of a scripted judge: one wrong, one right, one that is no JSON (the repair fails, too)."""

    def reply(quote, tag):
        point = {"id": "1", "quote": quote, "text": quote, "tag": tag, "reason": "as section 2 says", "evidence": []}
        return json.dumps({"data_points": [point]})

    path = tmp_path / "script.jsonl"
    rows = [
        {"match": "60 days", "reply": reply("The notice period is 60 days.", "incorrect")},
        {"match": "thirty days", "reply": reply("It is thirty days.", "correct")},
        {"match": "The tenant pays.\n", "reply": "I cannot say."},
        {"reply": "I cannot say."},
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return f"scripted:{path}"


@pytest.fixture
def finished(call, answers_csv, script):
    """The id of a run with one correct, one incorrect and one failed answer."""
    code, printed = call("run", answers_csv, "--docs", answers_csv.parent / "docs", "--judge", script, "--json")
    body = json.loads(printed.splitlines()[-1])
    assert (code, body["status"], body["failed"]) == (2, "finished", 1)
    return body["run"]


def test_every_command_has_help():
    for command in COMMANDS:
        done = CliRunner().invoke(cli.app, [command, "--help"])
        assert done.exit_code == 0
        assert "Usage" in done.stdout
    assert {command.name or command.callback.__name__ for command in cli.app.registered_commands} == set(COMMANDS)


def test_inspect_shows_format_mapping_and_problems(call, answers_csv):
    code, printed = call("inspect", answers_csv, "--docs", answers_csv.parent / "docs", "--json")
    found = json.loads(printed)
    assert code == 0
    assert found["rows"] == 3
    assert found["mapping"]["question"] == "question"
    code, printed = call("inspect", answers_csv)
    assert code == 0
    assert "3 rows" in printed


def test_a_mapping_is_field_equals_column(call, answers_csv):
    assert call("inspect", answers_csv, "--map", "question") == (
        2, "--map 'question' must be FIELD=COLUMN, for example question=prompt"
    )  # fmt: skip


def test_summary_counts_what_failed(call, finished):
    code, printed = call("summary", finished, "--json")
    body = json.loads(printed)
    assert code == 0
    assert set(body) >= {"run", "answers", "tags", "metrics", "cost", "seconds"}
    assert {key: body["answers"][key] for key in ("total", "scored", "undefined", "failed")} == {
        "total": 3, "scored": 2, "undefined": 0, "failed": 1
    }  # fmt: skip
    assert body["tags"] == {"correct": 1, "incorrect": 1, "irrelevant": 0, "missing": 0}
    correctness = body["metrics"]["correctness"]
    assert correctness["mean"] == 0.5  # (0/1 + 1/1) / 2; the failed answer is not in it
    assert (correctness["n_scored"], correctness["n_undefined"], correctness["n_failed"], correctness["n_total"]) == (
        2, 0, 1, 3
    )  # fmt: skip
    code, printed = call("summary", finished)
    assert "1 failed" in printed


def test_triage_never_clears_what_failed(call, finished):
    code, printed = call("triage", finished, "--correctness", "1", "--relevance", "0.8", "--json")
    body = json.loads(printed)
    assert set(body) >= {"cleared", "total", "time_saved", "defects_among_cleared", "labelled_cleared", "bound"}
    # cleared: 7 minutes of 5 + 7 + 6 (the default for the row without minutes)
    assert (code, body["cleared"], body["total"]) == (0, 1, 3)
    assert body["time_saved"] == pytest.approx(7 / 18)
    assert call("triage", finished, "--relevance", "2")[0] == 2


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "xlsx"])
def test_export_is_complete_and_runs_nothing(call, finished, tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    code, printed = call("export", finished, path, "--json")
    assert (code, json.loads(printed)["rows"]) == (0, 3)
    if ending == "jsonl":
        text = path.read_text(encoding="utf-8")
        assert "NaN" not in text
        rows = [json.loads(line) for line in text.splitlines()]
    elif ending == "csv":
        rows = pd.read_csv(path, dtype={"item_id": str}).to_dict("records")
    elif ending == "parquet":
        rows = pd.read_parquet(path).to_dict("records")
    else:
        book = load_workbook(path)
        assert book.sheetnames == ["answers", "data points", "run"]
        assert not [c for sheet in book for row in sheet.iter_rows() for c in row if c.data_type == "f"]
        rows = pd.read_excel(path, dtype={"item_id": str}).to_dict("records")
    hostile = next(row for row in rows if row["item_id"] == "2")
    assert hostile["answer"].startswith("'=HYPERLINK" if ending in ("csv", "xlsx") else "=HYPERLINK")
    failed = next(row for row in rows if row["item_id"] == "3")
    assert failed["correctness_status"] == "failed"
    assert pd.isna(failed["correctness"])


def test_export_refuses_other_endings(call, finished, tmp_path):
    code, said = call("export", finished, tmp_path / "out.docx")
    assert code == 2
    assert ".csv" in said


def test_runs_lists_and_cancel_resume_keep_what_is_done(call, finished):
    code, printed = call("runs", "--json")
    assert [run["id"] for run in json.loads(printed)["runs"]] == [finished]
    assert call("cancel", finished)[0] == 0
    code, printed = call("resume", finished, "--json")
    assert (code, json.loads(printed)["status"]) == (2, "finished")  # one answer stays failed


@pytest.mark.parametrize("command", ["summary", "triage", "resume", "cancel", "work"])
def test_an_unknown_run_is_one_sentence(call, command):
    code, said = call(command, "nosuchrun")
    assert code == 2
    assert "nosuchrun" in said


def test_dry_run_asks_nothing(call, answers_csv):
    code, printed = call("run", answers_csv, "--docs", answers_csv.parent / "docs", "--judge", "gpt-4o-mini",
                         "--judge", "nobody/knows-me", "--dry-run", "--json")  # fmt: skip
    found = json.loads(printed)
    assert (code, found["calls"]) == (0, 6)
    assert found["tokens_in"] > 6 * 100
    assert (found["cost"], found["unpriced"]) == (None, ["nobody/knows-me"])  # an unknown price is not 0
    assert json.loads(call("runs", "--json")[1]) == {"runs": []}


def test_bad_input_from_a_shell_is_one_sentence_and_exit_code_2(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "lemaj_core", "run", str(tmp_path / "absent.csv"), "--store", f"sqlite:///{tmp_path}/s.db"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "absent.csv" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--judge", ""), "empty name"),
        (("--judge", "nobody/knows-me"), "nobody/knows-me"),
        (("--metrics", "nonsense"), "nonsense"),
        (("--metrics", ","), "no metrics"),
        (("--beta", "0"), "beta"),
        (("--max-cost", "nan"), "spend cap"),
        (("--max-cost", "-1"), "spend cap"),
    ],
)
def test_settings_that_cannot_work_leave_no_run_behind(call, answers_csv, words, named):
    code, said = call("run", answers_csv, *words)
    assert code == 2
    assert named in said
    assert json.loads(call("runs", "--json")[1]) == {"runs": []}


@pytest.mark.parametrize("command", ["run", "plan"])
def test_an_odd_strictness_is_a_sentence(command, answers_csv):
    done = CliRunner().invoke(cli.app, [command, str(answers_csv), "--strictness", "odd"])
    assert done.exit_code == 2
    assert "lenient" in done.stderr


@pytest.mark.parametrize("command", ["summary", "triage", "export"])
def test_a_judge_that_did_not_judge_the_run_is_an_error(call, finished, tmp_path, command):
    path = [tmp_path / "out.csv"] if command == "export" else []
    code, said = call(command, finished, *path, "--judge", "nobody")
    assert code == 2
    assert "'nobody'" in said
    assert "scripted:" in said  # the judge there is


def test_a_place_that_cannot_be_written_is_a_sentence(call, finished, tmp_path):
    (tmp_path / "a_file").write_text("")
    code, said = call("export", finished, tmp_path / "a_file" / "out.csv")
    assert code == 2
    assert "cannot be written" in said


def test_a_file_without_usable_rows_is_incomplete(call, tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("question,answer\n")
    assert call("inspect", path)[0] == 2
    assert call("inspect", path, "--json")[0] == 2


def test_failed_answers_say_why(call, finished, answers_csv):
    done = CliRunner().invoke(cli.app, ["resume", finished])
    assert done.exit_code == 2
    assert "1 failed (" in done.stderr
    assert "answer 3:" in done.stderr


def test_ctrl_c_names_the_run_to_resume(call, finished, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("lemaj_core.pipeline.work", interrupted)
    done = CliRunner().invoke(cli.app, ["resume", finished])
    assert done.exit_code == 2
    assert f"resume {finished}" in done.stderr
