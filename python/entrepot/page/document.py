"""A page as one text: rows, scripts and styles in one HTML document.

Names stand in it once, as JSON in a block that browsers do not run, with `<` written as `\\u003c`, so that none of them can end the block; the
scripts write names as text only. The content security policy names the checksums of script and styles, so that nothing else could run or be
loaded.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import Any

SHARED = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Page:
    """A page's files: `page.html`, `page.css`, and scripts.

    Attributes:
        folder: where they lie
        scripts: the page's own, in their order, without ending; they stand between `element` and `colours`
        last: the script that begins it all
    """

    folder: Path
    scripts: Sequence[str]
    last: str = "page"

    def text(self, title: str, rows: Any, values: Mapping[str, str], connects: bool = False) -> str:
        """Return the page as one text.

        Args:
            title: its title
            rows: what it shows, as values that JSON has
            values: what stands in `page.html` as `$name` besides
            connects: whether its scripts may ask the server that it came from
        """
        files = [
            SHARED / "element.js",
            *(self.folder / f"{name}.js" for name in self.scripts),
            SHARED / "colours.js",
            self.folder / f"{self.last}.js",
        ]
        body = "\n".join(file.read_text(encoding="utf-8") for file in files)
        script = f'"use strict";\n(() => {{\n{body}}})();\n'
        styles = (SHARED / "frame.css", self.folder / "page.css")
        style = "".join(file.read_text(encoding="utf-8") for file in styles)
        policy = (
            f"default-src 'none'; script-src '{_checksum(script)}'; style-src '{_checksum(style)}'; "
            "base-uri 'none'; form-action 'none'" + ("; connect-src 'self'" if connects else "")
        )
        frame = Template((self.folder / "page.html").read_text(encoding="utf-8"))
        given = {name: escape(value) for name, value in values.items()}
        return frame.substitute(
            given, title=escape(title), policy=policy, style=style, script=script, rows=as_json(rows)
        )


def as_json(rows: Any) -> str:
    """Return rows as JSON that can stand in HTML."""
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _checksum(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
