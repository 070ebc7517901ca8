import datetime
import json
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lemaj_core.errors import IngestError, SettingsError
from lemaj_core.ingest import inspect, load_dataset
from lemaj_core.ingest.mapping import FIELDS, guess, resolve

UPLOADS = Path(__file__).parent / "golden" / "uploads"


def rows(dataset):
    return [(item.row, item.question, item.answer) for item in dataset.items]


def said(dataset, severity):
    return [(problem.row, problem.message) for problem in dataset.problems if problem.severity == severity]


@pytest.mark.parametrize(
    ("name", "encoding", "delimiter", "question", "answer", "notes"),
    [
        ("cp1252.csv", "cp1252", ",", "Who pays the fee?", "“The Seller” – 5 €", ["decoded as cp1252"]),
        ("utf16.csv", "utf-16", "\t", "Who pays the fee?", "Der Käufer", []),
        ("utf16le_without_mark.csv", "utf-16-le", ",", "Who pays the fee?", "Der Käufer", ["no byte order mark"]),
        ("bom_semicolon.csv", "utf-8-sig", ";", "Who pays, and when?", "Seller; at once", []),
        ("pipes.csv", "utf-8", "|", "Who pays, and when?", "Seller, at once; really", []),
        ("tabs.tsv", "utf-8", "\t", "Who pays?", "The Seller, at once", []),
        ("sep_line.csv", "utf-8", ";", "Who pays?", "Seller", []),
        ("backslash_quotes.csv", "utf-8", ",", 'Who said "no", and why?', "The Seller", []),
    ],
)
def test_encodings_and_separators(name, encoding, delimiter, question, answer, notes):
    found = inspect(UPLOADS / name)
    assert (found.encoding, found.delimiter, found.rows) == (encoding, delimiter, 1)
    dataset = load_dataset(UPLOADS / name)
    assert rows(dataset) == [(2, question, answer)]
    assert len(dataset.problems) == len(notes)
    assert all(note in problem.message for note, problem in zip(notes, dataset.problems, strict=True))


def test_a_few_broken_bytes_do_not_spoil_a_utf8_file():
    dataset = load_dataset(UPLOADS / "mostly_utf8.csv")
    assert dataset.items[0].answer.startswith("Der Käufer zahlt für die Übergabe")
    assert dataset.items[1].answer == "\ufffd"
    assert "1 bytes do not fit" in dataset.problems[0].message


def test_rows_are_counted_as_a_spreadsheet_counts_them():
    dataset = load_dataset(UPLOADS / "quoted_newlines.csv")
    assert rows(dataset) == [
        (2, "Who\npays?", 'The Seller.\n\nAt once, "in full".'),
        (3, "Who else?", ""),
        (5, "Last?", "Yes"),
    ]
    assert said(dataset, "error") == [(4, "the question is empty; the row was left out")]
    assert said(dataset, "warning") == [(3, "the answer is empty; the row was kept")]


def test_ragged_rows_lose_nothing():
    dataset = load_dataset(UPLOADS / "ragged.csv")
    assert [item.row for item in dataset.items] == [2, 3, 4, 6]
    assert [dict(item.extra) for item in dataset.items] == [{}, {"column 4": "more"}, {}, {}]
    assert [row for row, _ in said(dataset, "warning")] == [2, 3, 5]


def test_repeated_and_nameless_columns():
    dataset = load_dataset(UPLOADS / "duplicate_columns.csv")
    assert dataset.items[0].extra == {"Note": "a", "Note (2)": "b"}
    assert [(problem.row, problem.column) for problem in dataset.problems] == [(1, "Note")]


def test_text_stays_text_and_extra_columns_become_numbers_only_as_a_whole():
    first, second = load_dataset(UPLOADS / "literal.csv").items
    assert (first.id, first.question, first.answer) == ("001", "NA", "null")
    assert (second.id, second.question, second.answer) == ("002", "None", "NaN")
    # "007" and "010" have leading zeros: codes, not numbers.
    assert first.extra == {"code": 1, "zip": "007", "score": 1.5}
    assert second.extra == {"code": 2, "zip": "010", "score": None}


def test_ids_are_made_unique_and_it_is_said():
    dataset = load_dataset(UPLOADS / "duplicate_ids.csv")
    assert [item.id for item in dataset.items] == ["a", "a-2", "a-2-2", "row-5"]
    assert [row for row, _ in said(dataset, "warning")] == [3, 4]


def test_expert_scores_out_of_range_are_left_empty_with_their_row():
    dataset = load_dataset(UPLOADS / "human_scores.csv")
    assert [(item.human_correctness, item.human_relevance, item.minutes) for item in dataset.items] == [
        (0.8, 0.8, 5.0),
        (None, None, None),
        (0.5, None, None),
        (None, 1.0, 2.5),
    ]
    assert [(problem.row, problem.column) for problem in dataset.problems] == [
        (2, "human_relevance"),
        (3, "minutes"),
        (3, "human_correctness"),
        (3, "human_relevance"),
        (4, "minutes"),
        (5, "human_correctness"),
    ]


def test_titles_above_the_header_are_passed_over():
    dataset = load_dataset(UPLOADS / "titles_above.csv")
    assert rows(dataset) == [(4, "Who?", "Seller")]
    assert dataset.mapping == {"question": "Question", "answer": "Model Response", "document": "Source File"}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("binary.csv", "this is no text file"),
        ("empty.csv", "the file is empty"),
        ("unclosed_quote.csv", "in row 3"),
        ("no_answer_column.csv", "no column was recognised as the answer. The columns are: question, text"),
        ("no_rows.csv", "no row has a question"),
        ("no_questions.csv", "row 2: the question is empty"),
        ("broken.json", "in line 2, column 15"),
        ("absent.csv", "cannot be opened"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(name, sentence):
    with pytest.raises(IngestError) as refusal:
        load_dataset(UPLOADS / name)
    assert str(refusal.value).startswith(name)
    assert sentence in str(refusal.value)


def test_rows_swallowed_by_a_stray_quotation_mark_are_noticed():
    dataset = load_dataset(UPLOADS / "swallowed_rows.csv")
    assert [(problem.row, problem.severity) for problem in dataset.problems] == [(2, "warning")]
    assert "look like rows" in dataset.problems[0].message


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "password-protected"),
        (b"%PDF-1.7\n", "a PDF"),
        (b"\x1f\x8b\x08", "unpack it"),
        (b"\x89PNG\r\n", "a picture"),
        (b"PK\x03\x04 nothing", "damaged"),
        (b"PAR1 nothing", "the Parquet file is damaged"),
        (b"\xff\xfeq\x00u", "is damaged"),
        (b"   \n \n", "no header"),
    ],
)
def test_other_kinds_of_files_are_named(tmp_path, content, sentence):
    file = tmp_path / "answers.csv"
    file.write_bytes(content)
    for read in (load_dataset, inspect):
        with pytest.raises(IngestError, match=sentence):
            read(file)


def test_a_folder_is_no_table(tmp_path):
    with pytest.raises(IngestError, match="folder"):
        load_dataset(tmp_path)


def test_a_file_without_an_answer_column_can_be_inspected_and_mapped():
    found = inspect(UPLOADS / "no_answer_column.csv")
    assert (found.rows, found.columns, found.mapping) == (1, ("question", "text"), {"question": "question"})
    assert found.preview == [{"question": "Who?", "text": "Seller"}]
    assert [problem.severity for problem in found.problems] == ["error"]
    dataset = load_dataset(UPLOADS / "no_answer_column.csv", mapping={"answer": "Text"})
    assert rows(dataset) == [(2, "Who?", "Seller")]


def test_an_inspection_says_what_loading_would_do():
    found = inspect(UPLOADS / "human_scores.csv", rows=2)
    dataset = load_dataset(UPLOADS / "human_scores.csv")
    assert found.rows == len(dataset.items)
    assert found.problems == dataset.problems
    assert [row["question"] for row in found.preview] == ["A?", "B?"]
    assert len(found.sha256) == 64
    assert inspect(UPLOADS / "no_rows.csv").rows == 0


def test_columns_are_guessed_by_name_only():
    assert guess(["Retrieved Contexts", "userInput", "Actual-Output", "other"]) == {
        "question": "userInput",
        "answer": "Actual-Output",
        "contexts": "Retrieved Contexts",
    }
    # The plain names win over their synonyms.
    assert guess(["response", "answer", "prompt", "question"]) == {"question": "question", "answer": "answer"}
    assert all(guess([name]) == {field: name} for field, names in FIELDS.items() for name in names)


def test_the_user_overrides_the_guess():
    columns = ["question", "answer", "response", "model"]
    assert resolve(columns, {}, {"answer": "response", "model": ""}) == {"question": "question", "answer": "response"}
    for wrong in ({"colour": "model"}, {"model": "colour"}, {"question": "answer", "answer": "answer"}):
        with pytest.raises(SettingsError, match="mapping"):
            resolve(columns, {}, wrong)


def book(path, sheets):
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for title, cells in sheets.items():
        sheet = workbook.create_sheet(title)
        for line in cells:
            sheet.append(line)
    workbook.save(path)
    return path


def test_a_workbook_keeps_its_texts(tmp_path):
    path = book(
        tmp_path / "answers.xlsx",
        {
            "About": [["Written in May"]],
            "Answers": [
                [],
                ["id", "question", "answer", "when", "score", "mixed"],
                ["001", "NA", 12.0, datetime.date(2024, 5, 1), 3, "a"],
                [7, "Who?", True, None, 4.5, 2],
                [],
                [None, "Why?", None, None, None, None],
            ],
        },
    )
    dataset = load_dataset(path)
    assert rows(dataset) == [(3, "NA", "12"), (4, "Who?", "True"), (6, "Why?", "")]
    assert [item.id for item in dataset.items] == ["001", "7", "row-6"]
    assert dataset.items[0].extra == {"when": "2024-05-01T00:00:00", "score": 3, "mixed": "a"}
    assert dataset.items[1].extra == {"when": None, "score": 4.5, "mixed": "2"}
    assert "'Answers' was read; the others were not: About" in dataset.problems[0].message
    with pytest.raises(IngestError, match="no sheet 'Later'; it has About, Answers"):
        load_dataset(path, sheet="Later")
    with pytest.raises(IngestError, match="no column was recognised"):
        load_dataset(path, sheet="About")


def test_formulas_give_their_stored_value_or_a_warning(tmp_path):
    path = book(tmp_path / "answers.xlsx", {"A": [["question", "answer"], ["Who?", "Seller"], ["When?", '="No"&"w"']]})
    dataset = load_dataset(path)
    assert rows(dataset) == [(2, "Who?", "Seller"), (3, "When?", "")]
    assert (3, "the formula was never calculated and is taken as empty; open the file in Excel and save it") in said(
        dataset, "warning"
    )


def test_names_may_lie_about_the_kind_of_file(tmp_path):
    path = book(tmp_path / "answers.csv", {"A": [["question", "answer"], ["Who?", "Seller"]]})
    dataset = load_dataset(path)
    assert (dataset.format, rows(dataset)) == ("XLSX", [(2, "Who?", "Seller")])
    assert "was read as XLSX" in dataset.problems[0].message
    for content in ("question,answer\nWho?,Seller\n", "[]"):
        (tmp_path / "answers.xlsx").write_text(content, encoding="utf-8")
        with pytest.raises(IngestError, match="its content is something else"):
            load_dataset(tmp_path / "answers.xlsx")


def test_empty_and_damaged_workbooks(tmp_path):
    with pytest.raises(IngestError, match="all sheets are empty"):
        load_dataset(book(tmp_path / "empty.xlsx", {"A": [], "B": []}))
    whole = book(tmp_path / "whole.xlsx", {"A": [["question", "answer"], ["Who?", "Seller"]]}).read_bytes()
    (tmp_path / "half.xlsx").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(IngestError, match="damaged"):
        load_dataset(tmp_path / "half.xlsx")


def test_parquet_keeps_lists_and_types(tmp_path):
    table = pa.table(
        {
            "question": ["Who?", None, "Why?"],
            "answer": ["001", "x", "NA"],
            "contexts": [["One.", "Two."], [], None],
            "score": pa.array([1.5, None, float("nan")]),
            "day": [datetime.date(2024, 5, 1), None, None],
        }
    )
    pq.write_table(table, tmp_path / "answers.parquet")
    dataset = load_dataset(tmp_path / "answers.parquet")
    assert rows(dataset) == [(1, "Who?", "001"), (3, "Why?", "NA")]
    assert dataset.items[0].contexts == ("One.", "Two.")
    assert dataset.documents[dataset.items[0].document_id].text == "One.\n\nTwo."
    assert [dict(item.extra) for item in dataset.items] == [
        {"score": 1.5, "day": "2024-05-01"},
        {"score": None, "day": None},
    ]
    assert said(dataset, "error") == [(2, "the question is empty; the row was left out")]


def test_a_broken_line_of_json_lines_is_left_out_and_named():
    dataset = load_dataset(UPLOADS / "broken_line.jsonl")
    # U+2028 ends a line for Python's splitlines, not for JSON.
    assert rows(dataset) == [(1, "Who?", "Seller"), (5, "Where\u2028?", "Here")]
    assert [row for row, _ in said(dataset, "error")] == [2, 4]


@pytest.mark.parametrize("name", ["lines.json", "columns.json"])
def test_json_in_other_wrappings(name):
    assert rows(load_dataset(UPLOADS / name)) == [(1, "Who?", "Seller"), (2, "When?", "Now")]


def test_a_json_list_named_jsonl():
    dataset = load_dataset(UPLOADS / "list.jsonl")
    assert (rows(dataset), dataset.problems) == ([(1, "Who?", "Seller")], ())


def test_nan_and_null_are_nothing():
    dataset = load_dataset(UPLOADS / "nan.json")
    assert rows(dataset) == [(1, "Who?", "Seller")]
    assert dataset.items[0].id == "7"
    assert (dataset.items[0].human_correctness, dataset.items[0].extra) == (None, {"note": None})
    assert [(row, message[:9]) for row, message in said(dataset, "error")] == [(2, "no JSON o"), (3, "the quest")]
    assert "'answer' stands twice" in said(dataset, "warning")[0][1]


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[]", "{}", "3", '"text"', "[1, 2]", '[{"a": 1}]', '{"data": {"data": []}}', "nul", "{" * 9]
)
def test_no_json_raises_anything_else(tmp_path, text):
    for name in ("a.json", "a.jsonl"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(IngestError):
            load_dataset(tmp_path / name)


def test_huge_cells_and_many_problems(tmp_path):
    file = tmp_path / "a.csv"
    contract = "The Seller shall pay. " * 20_000
    lines = ["question,answer,contexts", f'Who?,Seller,"{contract}"', *["When?,,"] * 300]
    file.write_text("\n".join(lines), encoding="utf-8")
    dataset = load_dataset(file)
    # Python's csv module alone refuses cells over 131,072 characters.
    assert len(dataset.items[0].contexts[0]) == 440_000
    assert len(dataset.items) == 301
    # 300 equal warnings are cut to 200 and a last one that counts the others.
    assert len(dataset.problems) == 201
    assert dataset.problems[-1].message == "empty answer: 100 more rows, not listed here"


def test_every_left_out_row_is_listed(tmp_path):
    file = tmp_path / "a.jsonl"
    lines = [json.dumps({"question": "Who?", "answer": "x"}), *['{"answer": "x"}'] * 500]
    file.write_text("\n".join(lines), encoding="utf-8")
    dataset = load_dataset(file)
    assert [row for row, _ in said(dataset, "error")] == list(range(2, 502))


def test_many_rows_keep_their_numbers(tmp_path):
    file = tmp_path / "a.csv"
    lines = [f'q{at},"Who pays, {at}?","The Seller{chr(10)}pays.",{at % 7}' for at in range(20_000)]
    file.write_text("\n".join(["id,question,answer,score", *lines]), encoding="utf-8")
    dataset = load_dataset(file)
    assert [item.row for item in dataset.items] == list(range(2, 20_002))
    assert dataset.items[-1].id == "q19999"
    assert dataset.items[-1].answer == "The Seller\npays."
    # 19999 = 7 * 2857 + 0
    assert dataset.items[-1].extra == {"score": 0}
    assert dataset.problems == ()
