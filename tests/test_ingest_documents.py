import json
import zipfile
from io import BytesIO
from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from lemaj_core.errors import IngestError
from lemaj_core.ingest import archives, inspect, load_dataset
from lemaj_core.ingest.documents import read_documents
from lemaj_core.ingest.library import Library, is_name
from lemaj_core.types import Document

CONTRACTS = Path(__file__).parent.parent.parent / "shared" / "data" / "upload" / "contracts"


def pdf(path, *pages, password=None):
    """Write a PDF with one line of text per page; an empty text gives a page without any."""
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in pages:
        page = writer.add_blank_page(width=300, height=300)
        if text:
            stream = DecodedStreamObject()
            stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode())
            page[NameObject("/Contents")] = writer._add_object(stream)
            page[NameObject("/Resources")] = DictionaryObject(
                {NameObject("/Font"): DictionaryObject({NameObject("/F1"): writer._add_object(font)})}
            )
    if password is not None:
        writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-256")
    writer.write(path)
    return path


def zipped(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def table(path, rows):
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def texts(documents):
    return {document.name: document.text for document in documents}


def test_text_files_keep_their_names_and_are_normalised(tmp_path):
    (tmp_path / "DBT%20Mutual NDA (1).txt").write_bytes("“A”\r\nB\x00".encode("cp1252"))
    (tmp_path / "notes.MD").write_text("\ufeff# Lease\n", encoding="utf-8")
    (tmp_path / ".hidden.txt").write_text("no", encoding="utf-8")
    documents, problems = read_documents(tmp_path)
    assert texts(documents) == {"DBT%20Mutual NDA (1).txt": "“A”\nB", "notes.MD": "# Lease\n"}
    assert [problem.message[:8] for problem in problems] == ["DBT%20Mu"]
    assert read_documents([tmp_path / "notes.MD", tmp_path / "notes.MD"])[1][0].message == (
        "notes.MD was given twice; it is read once"
    )


def test_word_files_are_read_in_order(tmp_path):
    document = docx.Document()
    document.add_paragraph("Before")
    grid = document.add_table(rows=2, cols=2)
    for cell, text in zip((*grid.rows[0].cells, *grid.rows[1].cells), ("Party", "Role", "Acme", "Seller"), strict=True):
        cell.text = text
    body = document.element.body
    run = "<w:r><w:t>{}</w:t></w:r>"
    changed = (
        f"<w:p {nsdecls('w')}>{run.format('Paid in ')}<w:del><w:r><w:delText>gold</w:delText></w:r></w:del>"
        f"<w:ins>{run.format('euro')}</w:ins><w:r><w:tab/><w:t>now</w:t><w:br/><w:t>here</w:t></w:r></w:p>"
    )
    control = f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p>{run.format('In a control')}</w:p></w:sdtContent></w:sdt>"
    for part in (changed, control):
        body.insert(len(body) - 1, parse_xml(part))
    document.add_paragraph("After")
    document.save(tmp_path / "contract.docx")
    documents, problems = read_documents(tmp_path / "contract.docx")
    # A tracked insertion counts, a tracked deletion does not.
    assert documents[0].text == "Before\nParty | Role\nAcme | Seller\nPaid in euro\tnow\nhere\nIn a control\nAfter"
    assert problems == []


def test_pdf_files(tmp_path):
    pdf(tmp_path / "good.pdf", "The Seller pays.", "At once.")
    pdf(tmp_path / "half.pdf", "The Seller pays.", "")
    pdf(tmp_path / "locked.pdf", "Secret", password="secret")
    pdf(tmp_path / "printable.pdf", "Open", password="")
    pdf(tmp_path / "scan.pdf", "", "")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    documents, problems = read_documents(tmp_path)
    assert {name: text.split("\n") for name, text in texts(documents).items()} == {
        "good.pdf": ["The Seller pays.", "At once."],
        "half.pdf": ["The Seller pays.", ""],
        "printable.pdf": ["Open"],
    }
    assert len(PdfReader(tmp_path / "scan.pdf").pages) == 2
    said = {problem.file: (problem.severity, problem.message) for problem in problems}
    assert said["locked.pdf"] == ("error", "locked.pdf: the PDF needs a password. Save it without one.")
    assert "only pictures" in said["scan.pdf"][1]
    assert "cannot be read" in said["broken.pdf"][1]
    assert said["half.pdf"] == ("warning", "half.pdf: 1 of 2 pages have no text: 2")
    assert len(problems) == 4


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("old.doc", b"\xd0\xcf\x11\xe0rest", "Save it as DOCX"),
        ("locked.docx", b"\xd0\xcf\x11\xe0rest", "password"),
        ("page.rtf", b"{\\rtf1 x}", "RTF files are not read"),
        ("empty.txt", b" \n", "no text"),
        ("binary.txt", bytes(range(256)), "no text file"),
        ("broken.docx", b"PK\x03\x04rest", "damaged"),
        ("inner.7z", b"PK\x03\x04rest", "archive inside an archive"),
    ],
)
def test_a_document_that_cannot_be_read_is_named_and_the_others_are_read(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    (tmp_path / "good.txt").write_text("Good.", encoding="utf-8")
    documents, problems = read_documents(tmp_path)
    assert texts(documents) == {"good.txt": "Good."}
    assert [(problem.severity, problem.file) for problem in problems] == [("error", name)]
    assert sentence in problems[0].message


def test_a_docx_that_is_another_archive(tmp_path):
    documents, problems = read_documents(zipped(tmp_path / "a.docx", {"x.txt": "x"}))
    assert documents == []
    assert "the Word file is damaged" in problems[0].message


def test_zips_are_flattened_and_never_unpacked_to_disk(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    path = zipped(
        tmp_path / "docs.zip",
        {
            "../../evil.txt": "Evil.",
            "/etc/absolute.txt": "Absolute.",
            "C:\\win\\drive.txt": "Drive.",
            "a/same.txt": "One.",
            "b/same.txt": "Two.",
            "Käufer.txt": "Buyer.",
            "__MACOSX/._x.txt": "no",
            "inner.zip": zipped(place / "inner.zip", {"x.txt": "x"}).read_bytes(),
        },
    )
    before = sorted(tmp_path.rglob("*"))
    documents, problems = read_documents(path)
    assert texts(documents) == {
        "evil.txt": "Evil.",
        "absolute.txt": "Absolute.",
        "drive.txt": "Drive.",
        "a/same.txt": "One.",
        "b/same.txt": "Two.",
        "Käufer.txt": "Buyer.",
    }
    *moved, inner = problems
    assert inner.file == "inner.zip"
    assert [problem.file for problem in moved] == ["evil.txt", "absolute.txt", "drive.txt"]
    assert {problem.severity for problem in moved} == {"warning"}
    said = "docs.zip: etc/absolute.txt was packed with a path that leads out of the archive; it is read as absolute.txt"
    assert moved[1].message == said
    assert sorted(tmp_path.rglob("*")) == before


def test_bombs_and_crowds_are_refused(tmp_path, monkeypatch):
    bomb = zipped(tmp_path / "bomb.zip", {"a.txt": "0" * (20 << 20)})
    with pytest.raises(IngestError, match=r"bomb.zip: the archive unpacks to [\d,]+ times its size"):
        read_documents(bomb)
    monkeypatch.setattr(archives, "MOST_FILES", 2)
    with pytest.raises(IngestError, match="3 files, more than 2"):
        read_documents(zipped(tmp_path / "crowd.zip", {"a": "1", "b": "2", "c": "3"}))
    monkeypatch.setattr(archives, "MOST_BYTES", 1000)
    with pytest.raises(IngestError, match="unpacks to"):
        read_documents(zipped(tmp_path / "large.zip", {"a.txt": "0" * 1001}))


def test_an_entry_that_lies_about_its_size_is_not_believed():
    packed = zipped(BytesIO(), {"a.txt": "x" * 5000})
    with zipfile.ZipFile(packed) as archive:
        assert archives.read_member(archive, archive.infolist()[0], limit=100) is None
        assert archives.read_member(archive, archive.infolist()[0], limit=5000) == b"x" * 5000


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a zip", b"Rar!"])
def test_a_damaged_archive_is_refused(tmp_path, content):
    (tmp_path / "docs.zip").write_bytes(content)
    with pytest.raises(IngestError, match=r"docs.zip: the archive is damaged"):
        read_documents(tmp_path / "docs.zip")
    with pytest.raises(IngestError, match="cannot be opened"):
        read_documents(tmp_path / "absent")


def test_a_locked_archive_is_refused(tmp_path):
    path = zipped(tmp_path / "docs.zip", {"a.txt": "text"})
    data = bytearray(path.read_bytes())
    # The lowest bit of the flags says "encrypted": byte 6 of the local and byte 8 of the central header.
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(IngestError, match="needs a password"):
        read_documents(path)


@pytest.mark.parametrize(
    "cell",
    [
        "DBT%20Mutual%20NDA.txt",
        "dbt mutual nda.TXT",
        "DBT Mutual NDA",
        "contracts/DBT%20Mutual%20NDA.txt",
        "C:\\contracts\\DBT Mutual NDA.pdf",
        "DBT_20Mutual_20NDA",
    ],
)
def test_documents_are_found_by_name_however_it_is_written(cell):
    documents = [Document("1", "other.txt", "x"), Document("2", "DBT%20Mutual%20NDA.txt", "y")]
    found = Library(documents).find(cell)
    assert found is not None
    assert found.id == "2"


def test_a_name_cut_short_is_found_if_only_one_document_begins_so():
    library = Library([Document("1", "Euromedia_Holdings_20070215_10SB12G_EX-10.B(01).txt", "x")])
    found = library.find("Euromedia Holdings_20070215_10SB12G_EX-10.B(01)_525118_Content License Agreement.txt")
    assert found is not None
    assert library.find("Euromedia Holdings") is None
    library = Library([Document("1", "Eskom_20Template_20Confidentiality_20and_20Non-disclosure_.txt", "x")])
    assert library.find("Eskom Template Confidentiality and Non-disclosure Agreement Rev 4.txt") is not None
    assert Library([Document("1", "nda_2024.txt", "x")]).find("nda 24.txt") is None


def test_names_and_texts_are_told_apart():
    assert is_name("Master Services Agreement.PDF")
    assert is_name("Master Services Agreement")
    assert not is_name("The Seller shall pay.")
    assert not is_name("Line\nLine")
    assert is_name("x" * 200 + ".PDF")
    assert not is_name("x" * 200)


def test_the_document_of_a_row(tmp_path):
    (tmp_path / "docs").mkdir()
    for name in ("nda.txt", "lease.txt"):
        (tmp_path / "docs" / name).write_text(f"Text of {name}", encoding="utf-8")
    path = table(
        tmp_path / "answers.jsonl",
        [
            {"question": "1?", "answer": "a", "document": "NDA", "document_type": "NDA"},
            {"question": "2?", "answer": "a", "document": "nda.txt", "document_type": "lease"},
            {"question": "3?", "answer": "a", "document": "The Seller shall pay.\nAt once."},
            {"question": "4?", "answer": "a", "document": "laese.txt"},
            {"question": "5?", "answer": "a", "document": "absent.pdf", "contexts": ["One.", "Two."]},
            {"question": "6?", "answer": "a", "contexts": "['One.', 'Two.']", "document_type": "terms"},
            {"question": "7?", "answer": "a", "contexts": ["One.", "Two."], "document_type": "terms"},
            {"question": "8?", "answer": "a", "document_type": "terms"},
        ],
    )
    dataset = load_dataset(path, tmp_path / "docs")
    documents = [dataset.documents.get(item.document_id) for item in dataset.items]
    shown = [document and (document.name, document.text, document.type) for document in documents]
    assert shown == [
        ("nda.txt", "Text of nda.txt", "NDA"),
        ("nda.txt", "Text of nda.txt", "NDA"),
        ("document of row 3", "The Seller shall pay.\nAt once.", None),
        None,
        ("absent.pdf", "One.\n\nTwo.", None),
        ("contexts of row 6", "One.\n\nTwo.", "terms"),
        ("contexts of row 6", "One.\n\nTwo.", "terms"),
        None,
    ]
    assert [dict(item.extra) for item in dataset.items] == [
        {},
        {"document_type": "lease"},
        {},
        {"document": "laese.txt"},
        {},
        {},
        {},
        {"document_type": "terms"},
    ]
    assert [(problem.row, problem.column) for problem in dataset.problems] == [
        (2, "document_type"),
        (4, "document"),
        (5, "document"),
    ]
    assert "Is it 'lease.txt'?" in dataset.problems[1].message
    # Documents that no row names are kept: a later question may.
    assert {document.name for document in dataset.documents.values()} >= {"lease.txt", "nda.txt"}


def test_one_document_and_no_column_for_it(tmp_path):
    path = table(tmp_path / "a.jsonl", [{"question": "1?", "answer": "a"}, {"question": "2?", "answer": "b"}])
    (tmp_path / "nda.txt").write_text("Text", encoding="utf-8")
    (tmp_path / "lease.txt").write_text("Text", encoding="utf-8")
    dataset = load_dataset(path, [tmp_path / "nda.txt"])
    assert {dataset.documents[item.document_id].name for item in dataset.items} == {"nda.txt"}
    assert "every answer is checked against nda.txt" in dataset.problems[0].message
    dataset = load_dataset(path, [tmp_path / "nda.txt", tmp_path / "lease.txt"])
    assert [item.document_id for item in dataset.items] == [None, None]
    assert "2 documents were given but no column names them" in dataset.problems[0].message


def test_an_inspection_lists_the_documents(tmp_path):
    path = table(tmp_path / "a.jsonl", [{"question": "1?", "answer": "a", "document": "half.pdf"}])
    found = inspect(path, [pdf(tmp_path / "half.pdf", "Twelve signs", ""), pdf(tmp_path / "scan.pdf", "")])
    assert [(info.name, info.characters, len(info.problems)) for info in found.documents] == [("half.pdf", 13, 1)]
    assert [problem.file for problem in found.problems] == ["half.pdf", "scan.pdf"]


@pytest.mark.skipif(not CONTRACTS.is_dir(), reason="the shared contracts are not on this machine")
def test_real_contracts_are_found_by_their_odd_names(tmp_path):
    names = [path.name for path in sorted(CONTRACTS.glob("*.txt"))]
    rows = [{"question": "?", "answer": "a", "document": name.replace("%20", " ")[:-4]} for name in names]
    dataset = load_dataset(table(tmp_path / "a.jsonl", rows), CONTRACTS)
    assert [dataset.documents[item.document_id].name for item in dataset.items] == names
    assert dataset.problems == ()


def test_a_column_of_texts_holds_no_names(tmp_path):
    path = table(tmp_path / "a.jsonl", [{"question": "1?", "answer": "a", "contract_text": "Pay at once"}])
    dataset = load_dataset(path)
    assert dataset.documents[dataset.items[0].document_id].text == "Pay at once"
    assert dataset.problems == ()
