"""The page as one text."""

from __future__ import annotations

from pathlib import Path

from entrepot.mapping.page.content import Content
from entrepot.page.document import Page

PAGE = Page(
    Path(__file__).parent, ("mapping", "words", "grid", "matrix", "minimap", "schema", "entity", "review", "search")
)


def document(content: Content, docs: str = "index.html") -> str:
    """Return the page.

    Args:
        content: what it shows
        docs: the address of dbt docs as the page sees it
    """
    title = f"Mapping of {content.project}" if content.project else "Mapping"
    return PAGE.text(title, content, {"docs": docs})
