"""The text of a Word document in reading order: paragraphs, tables, content controls, footnotes.

python-docx opens the file; the walk is ours, because its own skips content controls and tracked insertions, where
much of a contract can stand. Tracked changes are read as accepted. Headers, footers, comments and the numbers that Word
counts by itself are not read.
"""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_SIGNS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_LEFT_OUT = {_FALLBACK, f"{_W}del", f"{_W}moveFrom", f"{_W}instrText", f"{_W}pPr", f"{_W}rPr"}
_WRAPPERS = {f"{_W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag", "body")}
_FOOTNOTES = ("footnotes", "endnotes")


def docx_text(data: bytes) -> str:
    """Give the text of a DOCX file; raises whatever python-docx raises when it is none."""
    from docx import Document

    document = Document(BytesIO(data))
    lines = list(_blocks(document.element.body))
    for relation in document.part.rels.values():
        if relation.reltype.rsplit("/", 1)[-1] in _FOOTNOTES and not relation.is_external:
            lines.extend(_footnotes(relation.target_part.blob))
    return "\n".join(lines)


def _blocks(parent: Any) -> Iterator[str]:
    for element in parent:
        if element.tag == f"{_W}p":
            yield _inline(element)
        elif element.tag == f"{_W}tbl":
            yield from _rows(element)
        elif element.tag in _WRAPPERS:
            yield from _blocks(element)


def _rows(table: Any) -> Iterator[str]:
    for row in table.iter(f"{_W}tr"):
        if next(row.iterancestors(f"{_W}tbl")) is table:
            cells = [" ".join(part for part in _blocks(cell) if part.strip()) for cell in _cells(row)]
            yield " | ".join(cells)


def _cells(row: Any) -> Iterator[Any]:
    for element in row:
        if element.tag == f"{_W}tc":
            yield element
        elif element.tag in _WRAPPERS:
            yield from _cells(element)


def _inline(element: Any) -> str:
    if element.tag in _LEFT_OUT:
        return ""
    if element.tag == f"{_W}t":
        return element.text or ""
    return _SIGNS.get(element.tag, "") + "".join(_inline(child) for child in element)


def _footnotes(blob: bytes) -> Iterator[str]:
    from docx.oxml import parse_xml

    for number, note in enumerate(parse_xml(blob), start=-1):
        # The first two are the separators that Word draws above footnotes.
        text = " ".join(part for part in _blocks(note) if part.strip())
        if text:
            yield f"[{number}] {text}"
