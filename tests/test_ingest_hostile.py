import csv
import json
from io import StringIO

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lemaj_core.errors import IngestError
from lemaj_core.ingest import inspect, load_dataset
from lemaj_core.ingest.cells import as_contexts, as_number, as_text, plain, settle
from lemaj_core.ingest.documents import read_documents
from lemaj_core.text import normalise

FILES = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    "question answer contexts claims document answers metadata vars provider response data paragraphs qas query "
    "snippets results literature1 human_correctness id title".split()
)
CELLS = st.text(st.one_of(st.characters(exclude_categories=["Cs", "Cc"]), st.sampled_from("\n\r\t\"',;|")), max_size=20)


def refusal(read, file):
    """Read a file and give the sentence of its refusal; any other error goes through."""
    try:
        read(file)
    except IngestError as error:
        return str(error)
    return None


@FILES
@given(
    content=st.binary(max_size=400), ending=st.sampled_from(["csv", "tsv", "xlsx", "json", "jsonl", "parquet", "txt"])
)
def test_no_bytes_raise_anything_but_an_ingest_error(tmp_path, content, ending):
    file = tmp_path / f"a.{ending}"
    file.write_bytes(content)
    for read in (load_dataset, inspect):
        assert (refusal(read, file) or file.name).startswith(file.name)


@FILES
@given(content=st.binary(max_size=400), ending=st.sampled_from(["txt", "md", "docx", "pdf", "zip", "xyz"]))
def test_no_bytes_raise_anything_else_as_a_document(tmp_path, content, ending):
    file = tmp_path / f"a.{ending}"
    file.write_bytes(content)
    if refusal(read_documents, file):
        return
    documents, problems = read_documents(file)
    assert len(documents) + sum(problem.severity == "error" for problem in problems) >= 1


@FILES
@given(
    value=st.recursive(
        VALUES, lambda inner: st.lists(st.dictionaries(KEYS, inner, max_size=6), max_size=3), max_leaves=8
    )
)
def test_no_json_raises_anything_but_an_ingest_error(tmp_path, value):
    for name, text in (("a.json", json.dumps(value)), ("a.jsonl", json.dumps(value) + "\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert (refusal(load_dataset, tmp_path / name) or name).startswith(name)


@FILES
@given(rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=6), delimiter=st.sampled_from(",;\t|"))
def test_what_is_written_as_csv_comes_back(tmp_path, rows, delimiter):
    out = StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerow(["question", "answer", "note"])
    writer.writerows([[f"Q{question}", answer, note] for question, answer, note in rows])
    file = tmp_path / "a.csv"
    file.write_text(out.getvalue(), encoding="utf-8", newline="")
    dataset = load_dataset(file)
    assert [(item.question, item.answer) for item in dataset.items] == [
        (normalise(f"Q{question}"), normalise(answer) if answer.strip() else item.answer)
        for (question, answer, _), item in zip(rows, dataset.items, strict=True)
    ]
    assert [item.row for item in dataset.items] == list(range(2, len(rows) + 2))


@settings(deadline=None)
@given(VALUES)
def test_cells_become_what_json_can_hold(value):
    json.dumps(plain(value), allow_nan=False)
    assert isinstance(as_text(value), str)
    assert all(part.strip() for part in as_contexts(value))
    as_number(value)
    settle([value, None, value])


def test_numbers_as_people_write_them():
    assert as_number(" 85 % ") == (0.85, True)
    assert as_number("0,5").value == 0.5
    assert as_number("\u22121").value == -1
    assert as_number(".5").value == 0.5
    assert [as_number(text).value for text in ("", "1e", "nan", "inf", "0x1", "1_000", "１")] == [None] * 7
    assert as_number(True).value is None


def test_types_of_extra_columns():
    assert settle(["1", None, "-2"]) == [1, None, -2]
    assert settle(["1", "2.5"]) == [1.0, 2.5]
    # Text as it is: leading zeros, too many digits for a number, a word among numbers.
    assert settle(["01", "2"]) is None
    assert settle(["1234567890123456", "1"]) is None
    assert settle(["1", "n/a"]) is None
    assert settle([1, "a", None]) == ["1", "a", None]
    assert settle([True, 1]) == ["True", "1"]
    assert settle([None]) is None
