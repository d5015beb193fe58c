"""The page as one text."""

from __future__ import annotations

from pathlib import Path

from entrepot.page.document import Page, as_json
from entrepot.timeline.content import Content

PAGE = Page(Path(__file__).parent, ("words", "chain", "ages", "bars", "job", "list"))
LIVE = "timeline.json"


def document(content: Content, docs: str = "", is_live: bool = False) -> str:
    """Return the page.

    Args:
        content: what it shows
        docs: the address of dbt docs as the page sees it; empty where there are none
        is_live: whether it asks the server that it came from for newer rows, again and again
    """
    title = f"Jobs of {content.project}" if content.project else "Jobs"
    return PAGE.text(title, content, {"docs": docs, "live": LIVE if is_live else ""}, connects=is_live)


def rows(content: Content) -> str:
    """Return what a live page asks for."""
    return as_json(content)
