"""The name and the place of a Delta table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True, slots=True)
class Table:
    """A Delta table: what SQL calls it, and where it lies.

    Attributes:
        name: its parts, such as `("marts", "customer")`
        location: where Spark's catalog says that it lies, as a path or an address; None where nobody has said it
    """

    name: tuple[str, ...]
    location: str | None = None

    @property
    def relation(self) -> str:
        """The name as dbt and our commits write it.

        >>> Table(("marts", "customer")).relation
        'marts.customer'
        """
        return ".".join(self.name)

    @property
    def quoted(self) -> str:
        """The name for SQL, quoted part by part; `history` is a word of SQL and the name of a schema.

        >>> Table(("history", "a`b")).quoted
        '`history`.`a``b`'
        """
        return ".".join(f"`{part.replace('`', '``')}`" for part in self.name)

    @property
    def folder(self) -> str | None:
        """The table's folder in this machine's file system; None where the table does not lie in one.

        >>> Table(("a", "b"), "file:/tmp/my%20tables/b").folder
        '/tmp/my tables/b'
        >>> Table(("a", "b"), "s3://bucket/b").folder is None
        True
        """
        return local_folder(self.location) if self.location else None


def local_folder(location: str) -> str | None:
    """Return the path that a location means, None where it is an address of another storage.

    >>> local_folder("/data/a%20b"), local_folder("file:///data/a"), local_folder("abfss://x@y/z")
    ('/data/a%20b', '/data/a', None)
    """
    if location.startswith("/"):
        return location
    address = urlsplit(location)
    if address.scheme == "file" and address.netloc in ("", "localhost"):
        return unquote(location.removeprefix("file:").removeprefix(f"//{address.netloc}"))
    return None


def told_location(information: str | None) -> str | None:
    """Return where a table lies from what Spark's catalogue tells of it (`show table extended`); None where it does not say.

    >>> told_location("Type: MANAGED\\nLocation: file:/tmp/t\\nProvider: delta"), told_location("Type: VIEW")
    ('file:/tmp/t', None)
    """
    found = re.search(r"(?m)^Location: (.*)$", information or "")
    return found.group(1) if found else None
