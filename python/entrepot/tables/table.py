"""The name and the place of a Delta table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True, slots=True)
class Table:
    """A Delta table: what SQL calls it, and where it lies.

    Attributes:
        name: its parts, such as `("marts", "customer")`
        location: where Spark's catalogue says that it lies, as SQL names it: an address in which each letter stands for itself; None where
            nobody has said it
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

        >>> Table(("a", "b"), "file:/tmp/my tables/b").folder
        '/tmp/my tables/b'
        >>> Table(("a", "b"), "s3://bucket/b").folder is None
        True
        """
        return local_folder(self.location) if self.location else None


def local_folder(location: str) -> str | None:
    """Return the path that a location means, None where it is an address of another storage.

    >>> local_folder("file:/data/a%2Fb"), local_folder("file:///data/a"), local_folder("abfss://x@y/z")
    ('/data/a%2Fb', '/data/a', None)
    """
    if location.startswith("/"):
        return location
    address = urlsplit(location)
    if address.scheme == "file" and address.netloc in ("", "localhost"):
        return location.removeprefix("file:").removeprefix(f"//{address.netloc}")
    return None


def is_elsewhere(name: str) -> bool:
    """Whether a table's log names a file of another table by its address, as that of a shallow clone does.

    >>> is_elsewhere("file:/data/a/part-0.parquet"), is_elsewhere("/data/a/part-0.parquet"), is_elsewhere("at=12%3A00/part-0.parquet")
    (True, True, False)
    """
    return name.startswith("/") or bool(urlsplit(name).scheme)


def is_there(folder: str, name: str) -> bool:
    """Whether a file is there that the log of a table in a folder names; of one in another storage nobody here can say, so it counts as there."""
    place = local_folder(name) if is_elsewhere(name) else f"{folder}/{name}"
    # logs write names as addresses, and deltalake gives some of them back as they are
    return place is None or Path(place).exists() or Path(unquote(place)).exists()


def told_location(information: str | None) -> str | None:
    """Return where a table lies from what Spark's catalogue tells of it (`show table extended`); None where it does not say.

    >>> told_location("Type: MANAGED\\nLocation: file:/tmp/t\\nProvider: delta"), told_location("Type: VIEW")
    ('file:/tmp/t', None)
    """
    found = re.search(r"(?m)^Location: (.*)$", information or "")
    return found.group(1) if found else None
