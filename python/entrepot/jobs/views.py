"""The texts of views: a view cannot be read at a version, so its text stands in place of its name."""

from __future__ import annotations

import re

from entrepot.jobs.engine import Engine
from entrepot.jobs.once import Once
from entrepot.jobs.project import Node, Project
from entrepot.sql import TableName, inline_views, mentions

_TOLD = re.compile(r"(?ms)^View Text: (.*?)\n(?:View Original Text|View Schema Mode|View Catalog and Namespace): ")


class Views:
    """The views of one job: each text is found once."""

    def __init__(self, engine: Engine, project: Project) -> None:
        """Begin with no text known."""
        self._engine, self._project = engine, project
        self._texts: Once[str] = Once()

    def note(self, relation: str, text: str) -> None:
        """Note the text of a view that this job has made."""
        self._texts.put(relation, text)

    def text(self, relation: str) -> str:
        """Return the text of a view: as made in this job, else as the catalogue had it when the job began, else asked for."""
        return self._texts.get(relation, lambda: self.told(relation) or self._asked(relation))

    def inlined(self, sql: str, node: Node) -> str:
        """Return SQL in which every view that a node reads stands as its text, and the views in these texts too."""
        return inline_views(sql, self._named(sql, node).get)

    def _named(self, sql: str, node: Node) -> dict[TableName, str]:
        """Return the texts of the views that SQL names, and of those that their texts name."""
        texts: dict[TableName, str] = {}
        for view in self._project.views(node):
            if mentions(sql, view.table):
                text = texts[view.table] = self.text(view.relation)
                texts |= self._named(text, view)
        return texts

    def texts(self, node: Node) -> dict[TableName, str]:
        """Return the texts of all views that a node reads, through views too."""
        found: dict[TableName, str] = {}
        for view in self._project.views(node):
            if view.table not in found:
                found |= {view.table: self.text(view.relation), **self.texts(view)}
        return found

    def are_known(self, node: Node) -> bool:
        """Whether the texts of all views that a node reads, also through views, are known without asking."""
        return all(
            (self._texts.known(view.relation) or self.told(view.relation)) is not None and self.are_known(view)
            for view in self._project.views(node)
        )

    def told(self, relation: str) -> str | None:
        """Return the text of a view as the catalogue had it when the job began; none where it had none."""
        catalogued = self._engine.catalogued(relation)
        found = _TOLD.search(catalogued.information if catalogued else "")
        return found.group(1) if found else None

    def _asked(self, relation: str) -> str:
        rows = self._engine.ask(f"describe extended {relation}")
        return next(str(row["data_type"]) for row in rows if row["col_name"] == "View Text")
