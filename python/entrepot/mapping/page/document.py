"""The page as one text: rows, scripts and styles in one HTML document that loads nothing.

Names from the seeds stand in it once, as JSON in a block that browsers do not run, with `<` written as `\\u003c`, so that none of them can
end the block; the scripts write names as text only. The content security policy names the checksums of script and styles, so that nothing
else could run or be loaded.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from pathlib import Path
from string import Template

from entrepot.mapping.page.content import Content

FILES = Path(__file__).parent
SCRIPTS = (
    "element", "mapping", "words", "grid", "matrix", "minimap", "schema", "entity", "review", "search", "colours", "page",
)  # fmt: skip


def document(content: Content, docs: str = "index.html") -> str:
    """Return the page.

    Args:
        content: what it shows
        docs: the address of dbt docs as the page sees it
    """
    body = "\n".join((FILES / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    script = f'"use strict";\n(() => {{\n{body}}})();\n'
    style = (FILES / "page.css").read_text(encoding="utf-8")
    title = f"Mapping of {content.project}" if content.project else "Mapping"
    policy = f"default-src 'none'; script-src '{_checksum(script)}'; style-src '{_checksum(style)}'; base-uri 'none'; form-action 'none'"
    frame = Template((FILES / "page.html").read_text(encoding="utf-8"))
    return frame.substitute(
        title=escape(title), policy=policy, style=style, script=script, docs=escape(docs), rows=_rows(content)
    )


def _rows(content: Content) -> str:
    """Rows as JSON that can stand in HTML."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _checksum(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
