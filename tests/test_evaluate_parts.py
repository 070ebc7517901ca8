"""The parts of Evaluate that draw nothing: saving uploads, facts of judges and runs, pace, the price command."""

import hashlib
import io
import stat
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from components.amounts import count, size, span
from components.estimate import Estimate, command, read
from components.judge_facts import Place, abilities, destination, provider, unset, variables
from components.pace import pace, remember
from components.run_facts import (
    ADVICE,
    LOOKS,
    bar_text,
    cost_text,
    failure_rows,
    last_reply_text,
    look,
    may_be_starting,
)
from components.uploads import LIMIT, folder, safe_name, save
from lemaj_core import settings
from lemaj_core.errors import IngestError
from lemaj_core.metrics.table import in_group
from lemaj_core.types import FailureKind, Run, RunSettings, RunState

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


# --- uploads


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd.csv", "passwd.csv"),
        ("..\\..\\Windows\\x.CSV", "x.csv"),
        ("Answers (März) v1.2.xlsx", "Answers (März) v1.2.xlsx"),
        ("DBT%20Mutual%20NDA.txt", "DBT%20Mutual%20NDA.txt"),
        ("A&B, Inc_EX-10.B(01)_525118_License + Terms.pdf", "A&B, Inc_EX-10.B(01)_525118_License + Terms.pdf"),
        ("\x00\n<script>alert(1)</script>.csv", "script_.csv"),
        ("a\u202egpj.csv", "a_gpj.csv"),
        (".htaccess", "htaccess"),
        ("...", "upload"),
        ("", "upload"),
        ("a" * 300 + ".parquet", "a" * 240 + ".parquet"),
        ("契" * 300 + ".csv", "契" * 80 + ".csv"),
    ],
)
def test_names_of_uploads_cannot_leave_the_folder(name, safe):
    assert safe_name(name) == safe
    assert len(safe.encode()) <= 255


def test_an_upload_is_written_hashed_and_private(tmp_path):
    body = b"question,answer\nq,a\n"
    saved = save(io.BytesIO(body), "../Antworten.csv", url=f"sqlite:///{tmp_path / 'store.db'}")
    assert saved.sha256 == hashlib.sha256(body).hexdigest()
    assert saved.path == tmp_path / "uploads" / saved.sha256[:16] / "Antworten.csv"
    assert saved.path.read_bytes() == body
    assert saved.bytes == len(body)
    mode = stat.S_IMODE(saved.path.stat().st_mode)
    assert mode == 0o600, "neither readable by others nor executable"


def test_the_same_upload_twice_is_stored_once(tmp_path):
    url = f"sqlite:///{tmp_path / 'store.db'}"
    first, second = (save(io.BytesIO(b"x,y\n"), "a.csv", url=url) for _ in range(2))
    assert first == second
    assert [path.name for path in (tmp_path / "uploads").rglob("*") if path.is_file()] == ["a.csv"]


class Endless(io.RawIOBase):
    """A stream that never ends and remembers how much was asked for."""

    given = 0

    def read(self, size=-1):
        assert 0 < size <= 1 << 20, "read in pieces, never as a whole"
        self.given += size
        return b"a" * size


def test_an_upload_over_the_limit_is_refused_and_leaves_nothing(tmp_path):
    stream = Endless()
    with pytest.raises(IngestError, match=r"big\.csv: larger than 60 MB.*python -m lemaj_core run"):
        save(stream, "big.csv", url=f"sqlite:///{tmp_path / 'store.db'}")
    assert stream.given == (LIMIT + 1) << 20
    assert list((tmp_path / "uploads").iterdir()) == []


def test_an_empty_upload_is_refused(tmp_path):
    with pytest.raises(IngestError, match="the file is empty"):
        save(io.BytesIO(), "a.csv", url=f"sqlite:///{tmp_path / 'store.db'}")


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "uploads").write_text("a file where the folder should be")
    with pytest.raises(IngestError, match=r"a\.csv: the file could not be stored.*upload it again"):
        save(io.BytesIO(b"x"), "a.csv", url=f"sqlite:///{tmp_path / 'store.db'}")


def test_the_folder_lies_beside_the_store():
    assert str(folder("sqlite:////srv/x/store.db")) == "/srv/x/uploads"
    assert folder("postgresql://host/base") == settings.ROOT / ".lemaj" / "uploads"
    assert folder("sqlite:///:memory:") == settings.ROOT / ".lemaj" / "uploads"


# --- judges


@pytest.mark.parametrize(
    ("model", "who", "names"),
    [
        ("offline", None, ()),
        ("scripted:replies.jsonl", None, ()),
        ("openai/gpt-4o", "openai", ("OPENAI_API_KEY",)),
        ("gpt-4o", "openai", ("OPENAI_API_KEY",)),
        ("claude-sonnet-4-5", "anthropic", ("ANTHROPIC_API_KEY",)),
        ("bedrock/anthropic.claude-3", "bedrock", ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")),
        ("mistral/mistral-large", "mistral", ("MISTRAL_API_KEY",)),
        ("nvidia_nim/x", "nvidia_nim", ("NVIDIA_NIM_API_KEY",)),
        ("ollama_chat/qwen3", "ollama_chat", ()),
        ("my-own-model", None, None),
    ],
)
def test_which_variable_a_model_wants(model, who, names):
    assert provider(model) == who
    assert variables(model) == names


def test_only_names_that_are_not_set_are_reported(monkeypatch):
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY", raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "secret-id")
    assert unset("bedrock/x") == ("AWS_SECRET_ACCESS_KEY",)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "")
    assert unset("bedrock/x") == ("AWS_SECRET_ACCESS_KEY",), "an empty value is no key"


@pytest.mark.parametrize(
    ("model", "base_url", "place", "receiver"),
    [
        ("offline", None, Place.MACHINE, "this program"),
        ("offline", "https://evil.example", Place.MACHINE, "this program"),
        ("openai/gpt-4o", None, Place.OUTSIDE, "openai"),
        ("unknown-model", None, Place.OUTSIDE, "the provider of unknown-model"),
        ("openai/x", "http://localhost:8000/v1", Place.MACHINE, "localhost"),
        ("openai/x", "127.0.0.1:8000", Place.MACHINE, "127.0.0.1"),
        ("openai/x", "http://[::1]:8000/v1", Place.MACHINE, "::1"),
        ("openai/x", "http://10.1.2.3/v1", Place.NETWORK, "10.1.2.3"),
        ("openai/x", "http://gpu01:8000/v1", Place.NETWORK, "gpu01"),
        ("openai/x", "https://models.firm.internal/v1", Place.NETWORK, "models.firm.internal"),
        ("openai/x", "https://api.example.com/v1", Place.OUTSIDE, "api.example.com"),
        ("openai/x", "https://localhost.example.com/v1", Place.OUTSIDE, "localhost.example.com"),
        ("openai/x", "https://8.8.8.8/v1", Place.OUTSIDE, "8.8.8.8"),
        ("ollama/llama3", None, Place.MACHINE, "ollama"),
        ("ollama/llama3", "https://ollama.example.com", Place.OUTSIDE, "ollama.example.com"),
    ],
)
def test_where_the_text_goes(model, base_url, place, receiver):
    target = destination(model, base_url)
    assert (target.place, target.receiver) == (place, receiver)


def test_without_documents_the_offline_judge_scores_nothing_and_a_model_only_by_itself():
    metrics = in_group("data_points")

    def notes(judges, checkable, reference=False):
        found = abilities(metrics, judges, checkable=checkable, reference=reference)
        return {(one.possible, one.note) for one in found}

    assert notes(["offline"], True) == {(True, "")}
    assert notes([], True) == {(False, "No judge chosen.")}
    ((possible, note),) = notes(["offline"], False)
    assert not possible
    assert note.startswith("Undefined: no answer has a document")
    ((possible, note),) = notes(["openai/x"], False)
    assert possible
    assert note.endswith("a model judges by its own knowledge.")
    ((possible, note),) = notes(["openai/x", "offline"], False, reference=True)
    assert possible
    assert note.endswith("the reference answer. For the offline judge the scores are undefined.")


def test_metrics_that_lack_their_input_are_not_offered():
    def possible(group, **given):
        given = {"checkable": False, "reference": False} | given
        return {(one.possible, one.note) for one in abilities(in_group(group), ["offline"], **given)}

    assert possible("readability") == {(True, "")}
    assert possible("baselines", reference=True) == {(True, "")}
    ((able, note),) = possible("baselines")
    assert (able, note[:38]) == (False, "Undefined: no answer has a reference a")
    for group in ("specificity", "context_utilization"):
        assert possible(group, checkable=True) == {(True, "")}
        assert possible(group) == {(False, "Undefined: no answer has a document or contexts.")}


# --- runs


def make_run(state=RunState.WAITING, age=0, **changes):
    values = {"total": 10, "done": 0, "failed": 0} | changes
    return Run("r1", "run", "d1", "data", RunSettings(), NOW - timedelta(seconds=age), state, **values)


def make_progress(**changes):
    values = {"tokens_in": 1200, "tokens_out": 300, "cost": 0.0123, "last_reply": None}
    return SimpleNamespace(**(values | changes))


def test_every_state_has_a_look_and_every_failure_advice():
    assert set(LOOKS) == set(RunState)
    assert set(ADVICE) == set(FailureKind)
    assert all(text.endswith(".") for text in ADVICE.values())


def test_a_waiting_run_is_starting_for_two_minutes():
    assert may_be_starting(make_run(age=119), NOW)
    assert not may_be_starting(make_run(age=121), NOW)
    assert not may_be_starting(make_run(RunState.INTERRUPTED, age=1), NOW)


def test_a_finished_run_with_failures_does_not_look_finished():
    assert look(make_run(RunState.FINISHED)).word == "finished"
    assert look(make_run(RunState.FINISHED, failed=22)).word == "finished, 22 failed"
    assert look(make_run(RunState.INTERRUPTED), started=True).word == "starting"
    assert look(make_run(RunState.RUNNING), started=True).word == "running"


def test_cost_is_free_a_price_or_said_to_be_unknown():
    assert cost_text(make_progress(), ["offline"]) == "free: nothing left this machine"
    assert cost_text(make_progress(), ["openai/x"]) == "1,200 tokens in, 300 out, $0.0123"
    assert cost_text(make_progress(cost=None, unpriced=("openai/x",)), ["openai/x", "offline"]) == (
        "1,200 tokens in, 300 out, price unknown"
    )


def test_last_reply_says_when_a_call_is_given_up():
    assert last_reply_text(make_progress(), 120, NOW) is None
    assert last_reply_text(make_progress(last_reply=NOW - timedelta(seconds=4)), 120, NOW) == "last reply 4 s ago"
    assert last_reply_text(make_progress(last_reply=NOW - timedelta(seconds=64)), 120, NOW) == (
        "last reply 1 min 4 s ago, a call is given up after 2 min 0 s"
    )


def test_the_most_frequent_failure_comes_first():
    rows = failure_rows({FailureKind.TIMEOUT: 1, FailureKind.AUTH: 5, FailureKind.EMPTY: 0})
    assert [(kind, number) for kind, number, _ in rows] == [(FailureKind.AUTH, 5), (FailureKind.TIMEOUT, 1)]


def test_bar_text():
    assert bar_text(0, 1, None, None) == "0 of 1 answer"
    assert bar_text(37, 72, 2.13, 16.6) == "37 of 72 answers · 2.1 a second · about 17 s left"
    assert bar_text(37, 72, 0.1, 350) == "37 of 72 answers · 6.0 a minute · about 5 min 50 s left"
    assert bar_text(72, 72, 2.0, 0.0) == "72 of 72 answers · 2.0 a second"


def test_pace_is_measured_over_the_last_half_minute():
    looks = []
    for second in range(0, 101):
        looks = remember(looks, float(second), second if second < 50 else 50 + 4 * (second - 50))
    # the window holds seconds 69 to 100: 126 to 250 done, 124 answers in 31 seconds
    assert looks[0] == (69.0, 126)
    assert pace(looks, 290).rate == 4.0
    assert pace(looks, 290).left == 10.0
    assert len(looks) == 32


def test_no_pace_from_one_look_from_standstill_or_after_a_retry():
    assert pace([(0.0, 5)], 10).rate is None
    assert pace([(0.0, 5), (9.0, 5)], 10).left is None
    assert remember([(0.0, 5), (1.0, 6)], 2.0, 3) == [(2.0, 3)]


def test_amounts():
    assert [count(1, "answer"), count(2000, "answer"), count(2, "entry", "entries")] == [
        "1 answer", "2,000 answers", "2 entries",
    ]  # fmt: skip
    assert [size(1), size(1536), size(60 << 20), size(3 << 30)] == ["1 byte", "1.5 KB", "60.0 MB", "3.0 GB"]
    assert [span(-3), span(59.4), span(125), span(7260)] == ["0 s", "59 s", "2 min 5 s", "2 h 1 min"]


# --- price


def test_the_price_command_names_everything_that_decides_and_no_key(monkeypatch):
    monkeypatch.setenv("LEMAJ_STORE", "sqlite:////tmp/x.db")
    words = command("abc", RunSettings(judges=("offline", "openai/x"), base_url="http://h/v1", use_reference=False))
    assert words[1:4] == ["-m", "lemaj_core", "plan"]
    assert words[4:] == [
        "abc", "--json", "--store", "sqlite:////tmp/x.db", "--judge", "offline", "--judge", "openai/x",
        "--metrics", "data_points", "--strictness", "standard", "--base-url", "http://h/v1", "--no-reference",
    ]  # fmt: skip


def test_an_unknown_price_stays_unknown():
    found = read({"calls": 3, "cached": 1, "tokens_in": 9, "tokens_out": 4, "cost": None, "unpriced": ["m"]})
    assert found == Estimate(3, 1, 9, 4, None, ("m",))
