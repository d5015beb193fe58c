"""Names: the canonical name of a table or column, and those that an attribute cannot have."""

from __future__ import annotations

import re
import unicodedata

# columns of a mapped model besides the key (docs/mapping.md, Compiling), and what the SQL of a history calls things
RESERVED_FOR_KEYS = frozenset({
    "event_id", "source_system", "schema_name", "schema_version", "op", "commit_position", "committed_at", "transaction_id", "before",
    "after", "present", "mapping_error", "change", "beside", "changes", "image", "is_first_of_schema", "op_before",
})  # fmt: skip
# columns of a history besides key and attributes (docs/history.md)
RESERVED = frozenset({
    "dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to", "valid_from_position", "valid_to_position", "is_first_version",
})  # fmt: skip
# what dbt reads as nothing in a seed, and what it changes
NOTHING = re.compile(r"\s*(null)?\s*", re.IGNORECASE)
# what Spark's catalog, file systems and dbt take as a name, with what is in front of it and behind it, such as int_<entity>_current.yml
ENTITY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# bytes of an entity's name: a file's name has 255, and files, tables and what is written beside them add some
LONGEST = 200


def no_entity(name: str) -> tuple[str, str] | None:
    """Return why an entity cannot be called by a name, and what it can be called; None where it can.

    >>> no_entity("L10NCache"), (no_entity("My Entity") or ("", ""))[0]
    (None, "an entity cannot be called 'My Entity'")
    """
    if ENTITY.fullmatch(name) and len(name) <= LONGEST:
        return None
    return (
        f"an entity cannot be called {name!r}",
        "It is the name of tables and files: letters from a to z, digits and underscores, no digit in front, "
        f"and at most {LONGEST} of them. Write another name, such as {canonical_name(name)[:LONGEST] or 'customer'}",
    )


def fits_a_seed(name: str) -> bool:
    """Return whether a seed can have a name: dbt reads blank and `null` as nothing, and makes one line end of two.

    >>> fits_a_seed("nulls"), fits_a_seed("NULL"), fits_a_seed(" "), fits_a_seed("a\\rb")
    (True, False, False, False)
    """
    return not NOTHING.fullmatch(name) and "\r" not in name


def canonical_name(text: str) -> str:
    """Return a name in lower case with underscores and without accents; empty where nothing of it can stay.

    >>> [canonical_name(one) for one in ("createdAt", "Größe (mm)", "order-line", "2fa", "HTTPStatus", "名前", "_x")]
    ['created_at', 'groesse_mm', 'order_line', '_2fa', 'http_status', '', '_x']
    """
    plain = text
    for letter, instead in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("Ä", "Ae"), ("Ö", "Oe"), ("Ü", "Ue")):
        plain = plain.replace(letter, instead)
    plain = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", plain).lower()
    leading = "_" if text.startswith("_") else ""
    words = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    return f"_{words}" if words and (leading or words[0].isdigit()) else words


def table_of(schema: str) -> str:
    """Return the table of a source schema's name.

    >>> table_of("shop.sales.customer"), table_of("customer")
    ('customer', 'customer')
    """
    return schema.rsplit(".", 1)[-1]


def is_reserved(name: str, is_key: bool) -> bool:
    """Return whether an attribute cannot have a name, because a mapped model or a history has a column of that name."""
    return name in RESERVED or (is_key and name in RESERVED_FOR_KEYS)
