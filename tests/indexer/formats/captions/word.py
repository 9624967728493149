"""Word documents made for tests."""

import io
import zipfile
from html import escape
from itertools import groupby

NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def paragraph(text):
    """A paragraph; its line ends and tabulators as Word writes them."""
    parts = escape(text).replace("\n", "</w:t><w:br/><w:t>").replace("\t", "</w:t><w:tab/><w:t>")
    return f'<w:p><w:r><w:t xml:space="preserve">{parts}</w:t></w:r></w:p>'


def word_document(blocks, body=""):
    """A document of paragraphs (lists of one text) or rows of a table (lists of several)."""
    for is_paragraph, run in groupby(blocks, lambda block: len(block) == 1):
        if is_paragraph:
            body += "".join(paragraph(block[0]) for block in run)
        else:
            rows = "".join(
                "<w:tr>" + "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in block) + "</w:tr>"
                for block in run
            )
            body += f"<w:tbl>{rows}</w:tbl>"
    xml = f'<w:document xmlns:w="{NAMESPACE}"><w:body>{body}</w:body></w:document>'
    return archive({"[Content_Types].xml": "<Types/>", "word/document.xml": xml})


def archive(members):
    """A ZIP archive of texts by their names."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, text in members.items():
            zipped.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return written.getvalue()
