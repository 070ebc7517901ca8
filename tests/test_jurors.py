"""Jurors: one model asked again, or with another prompt; and no prompt that a score came from is ever lost."""

import json

import pytest
from sqlalchemy import delete, inspect, text

from lemaj_core.engines.planning import plan
from lemaj_core.errors import SettingsError, StoreError
from lemaj_core.judge import make
from lemaj_core.judge.data_points import build_request
from lemaj_core.pipeline import check, evaluate
from lemaj_core.store import open_store, tables
from lemaj_core.store import prompts as kept
from lemaj_core.text import wording
from lemaj_core.types import Dataset, Document, Item, Juror, RunSettings, juror

ITEM = Item("a1", "What is the rent?", "The rent is EUR 2,000.", "lease")
LEASE = Document("lease", "lease.txt", "1. Rent. The Tenant shall pay rent of EUR 2,000 each month.")
DATA = Dataset("d", (ITEM,), {"lease": LEASE})
POINT = {"id": "1", "quote": "The rent is EUR 2,000", "text": "The rent is EUR 2,000.", "tag": "correct"}
OTHER = wording.builtin()["data_points"].replace("careful legal editor", "strict examiner")


@pytest.fixture
def store(store_url):
    with open_store(store_url) as opened:
        yield opened


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.jsonl"
    rows = [{"match": "", "reply": json.dumps({"data_points": [POINT]})}] * 4
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"scripted:{path}"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("openai/gpt-4o", Juror("openai/gpt-4o")),
        ("openai/gpt-4o#2", Juror("openai/gpt-4o", None, 2)),
        ("openai/gpt-4o#0123456789ab", Juror("openai/gpt-4o", "0123456789ab")),
        ("openai/gpt-4o#0123456789ab#3", Juror("openai/gpt-4o", "0123456789ab", 3)),
        # twelve digits are a version, four are neither, a model's own at-sign stays
        ("m#123456789012", Juror("m", "123456789012")),
        ("m#1234", Juror("m#1234")),
        ("vertex_ai/claude@20240620#2", Juror("vertex_ai/claude@20240620", None, 2)),
        ("m#0", Juror("m#0")),
        ("", Juror("")),
    ],
)
def test_a_name_says_model_prompt_and_number(name, parts):
    assert juror(name) == parts


def test_a_second_juror_sends_the_same_words_to_the_same_model_with_another_seed():
    first, second = (build_request(ITEM, LEASE, RunSettings(), model=f"test/m{end}") for end in ("", "#2"))
    assert (first.model, second.model) == ("test/m", "test/m")
    assert first.messages == second.messages
    assert (first.repeat, second.repeat) == (0, 1000)
    assert second.parameters == {**first.parameters, "seed": 1000}
    assert first.key() != second.key()


def test_a_retry_of_the_first_juror_is_not_the_second():
    keys = {
        build_request(ITEM, LEASE, RunSettings(), repeat, model=f"test/m#{number}").key()
        for number in (1, 2, 3)
        for repeat in range(4)
    }
    assert len(keys) == 12
    assert build_request(ITEM, LEASE, RunSettings(), model="test/m#1").key() in keys
    assert build_request(ITEM, LEASE, RunSettings(), model="test/m").key() in keys


def test_the_offline_judge_has_no_repeats():
    for name in ("offline#2", "offline#0123456789ab"):
        with pytest.raises(SettingsError, match="asks no model"):
            make(name, RunSettings())
    with pytest.raises(SettingsError, match="no provider is known"):
        check(RunSettings(judges=("nowhere#2",)))


def test_jurors_judge_side_by_side_and_each_keeps_its_own(store, script):
    run = evaluate(DATA, [script, f"{script}#2"], store=store)
    assert (run.done, run.failed) == (2, 0)
    first, second = (store.judgement(run.id, "a1", name) for name in (script, f"{script}#2"))
    assert first.points == second.points
    assert set(first.calls).isdisjoint(second.calls)


def test_an_edited_prompt_reaches_the_model_and_names_its_version(store, script):
    version = store.keep_prompt(wording.edited(OTHER), "for the strict")
    run = evaluate(DATA, [script, f"{script}#{version}"], store=store)
    assert (run.done, run.failed) == (2, 0)
    used = store.run(run.id).versions[f"judge {script}#{version}"]
    own = store.run(run.id).versions[f"judge {script}"]
    assert used == f"data_points/1+{version}/standard"
    assert own == f"data_points/1+{wording.version(wording.builtin())}/standard"
    request = build_request(ITEM, LEASE, RunSettings(), model="test/m", words=store.wording_of(f"m#{version}"))
    assert "strict examiner" in request.messages[0]["content"]
    assert request.schema_version == f"data_points/1+{version}"
    # both wordings are kept with every piece, also the product's own, and outlive the run
    store.delete_run(run.id)
    texts = {one.version: one.words for one in store.prompts()}
    assert texts == {version: dict(wording.edited(OTHER)), own.split("+")[1].split("/")[0]: dict(wording.builtin())}


def test_a_kept_prompt_stays_as_it_is(store):
    version = store.keep_prompt(wording.edited(OTHER), "first")
    assert store.keep_prompt(wording.edited(OTHER), "second") == version
    assert [(one.version, one.note) for one in store.prompts()] == [(version, "first")]


def test_a_run_with_an_unknown_prompt_is_refused_before_it_is_stored(store):
    dataset = store.add_dataset(DATA)
    with pytest.raises(StoreError, match=r"there is no prompt 0123456789ab .* it holds none"):
        store.create_run(dataset, RunSettings(judges=("test/m#0123456789ab",)))
    assert store.runs() == []


def test_the_version_of_the_own_prompt_is_the_own_prompt(store):
    assert store.wording_of(f"m#{wording.version(wording.builtin())}") is None
    assert store.wording_of("m") is None


def test_a_plan_counts_jurors_and_prices_the_edited_prompt(store):
    long = wording.edited(f"{OTHER}\n\n{'Think again about every point. ' * 200}")
    version = store.keep_prompt(long)
    one = plan(DATA, RunSettings(judges=("openai/gpt-4o",)), store=store)
    both = plan(DATA, RunSettings(judges=("openai/gpt-4o", f"openai/gpt-4o#{version}")), store=store)
    twice = plan(DATA, RunSettings(judges=("openai/gpt-4o", "openai/gpt-4o#2")), store=store)
    assert (one.calls, both.calls, twice.calls) == (1, 2, 2)
    # 200 sentences of five words and a stop, six tokens each
    assert 2 * one.tokens_in + 1195 <= both.tokens_in <= 2 * one.tokens_in + 1205
    assert twice.tokens_in == 2 * one.tokens_in
    assert both.unpriced == ()


def test_any_letter_makes_another_version():
    words = wording.builtin()
    versions = {wording.version({**words, name: text + "."}) for name, text in words.items()}
    assert len(versions) == len(words) == 12
    assert wording.version(words) not in versions
    assert wording.version(dict(reversed(words.items()))) == wording.version(words)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", r"lacks \$checking, \$strictness, \$omissions"),
        ("$checking $strictness", r"lacks \$omissions"),
        ("$checking $strictness $omissions $document", r"\$document, which nothing fills"),
        ("$checking $strictness $omissions costs $5", r"\$\$ for a dollar sign"),
        ("$checking $strictness $omissions" + "x" * 50_000, "50,032 characters"),
    ],
)
def test_a_prompt_that_could_not_be_sent_is_refused(text, problem):
    with pytest.raises(SettingsError, match=problem):
        wording.edited(text)


def test_the_own_prompt_can_be_copied_unchanged():
    assert wording.version(wording.edited(wording.builtin()["data_points"])) == wording.version(wording.builtin())


def test_an_older_store_gets_the_table_it_lacks(store_url):
    with open_store(store_url) as opened, opened.write() as connection:
        connection.execute(text("DROP TABLE prompts"))
        connection.execute(delete(tables.migrations).where(tables.migrations.c.name == "0003_prompts"))
    with open_store(store_url) as opened:
        version = opened.keep_prompt(wording.edited(OTHER), "n")
        assert [one.version for one in opened.prompts()] == [version]
        with opened.read() as connection:
            found = inspect(connection).get_columns("prompts")
            assert {column["name"] for column in found} == set(kept.table.columns.keys())
