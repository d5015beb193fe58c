"""How a difference between two states of the mapping is told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from entrepot.mapping.matrix.difference import ADDED, CHANGED, GONE, BlockChange, Difference, grouped
from entrepot.mapping.matrix.elements import Element
from entrepot.mapping.matrix.review import Review
from entrepot.mapping.matrix.words import spans

BLOCKS = ("schema", "versions", "entity", "block", "elements")
ENTITIES = {ADDED: "New entity", CHANGED: "Entity", GONE: "No more an entity:"}
ANEW = " Its mapped table and its history are made anew."
NOTHING = "No event would be mapped otherwise."


def print_difference(out: Console, found: Difference) -> None:
    """Print a difference for people."""
    if found.blocks:
        table = Table(*BLOCKS, show_edge=False, pad_edge=False)
        for row in block_rows(found.blocks):
            table.add_row(*row)
        out.print(table)
    for line in sentences(found):
        out.print(line)


def as_markdown(found: Difference) -> str:
    """Return a difference as Markdown, for a comment on a change."""
    lines = ["### What this change of the mapping would do", ""]
    if found.blocks:
        lines += ["| " + " | ".join(BLOCKS) + " |", "|" + " --- |" * len(BLOCKS)]
        lines += ["| " + " | ".join(_cell(text) for text in row) + " |" for row in block_rows(found.blocks)] + [""]
    lines += [f"- {_cell(line)}" for line in sentences(found)]
    return "\n".join(lines) + "\n"


def block_rows(changes: Iterable[BlockChange]) -> list[tuple[str, ...]]:
    """Return changed blocks as rows of text, versions that change alike in one."""
    return [
        (change.place.schema, _listed(versions), change.place.entity, change.kind, _elements(change))
        for change, versions in grouped(changes)
    ]


def sentences(found: Difference) -> list[str]:
    """Return the rest of a difference as sentences."""
    if found.is_empty:
        return ["Nothing: both come to the same mapping."]
    said = []
    for verb, versions in (("New", found.versions_added), ("No more", found.versions_removed)):
        said += [f"{verb} in the domain tree: {schema} version {numbers}." for schema, numbers in _by_schema(versions)]
    for one in found.entities:
        parts = ((word, names) for word, names in (("+", one.added), ("-", one.removed), ("~", one.retyped)) if names)
        told = "; ".join(f"{word} {', '.join(names)}" for word, names in parts)
        said.append(f"{ENTITIES[one.kind]} {one.entity}: {told}." + (ANEW if one.kind == CHANGED else ""))
    said += [f"Will wait for a review: {_review(one)}." for one in found.reviews_new]
    said += [f"Waits for a review no more: {_review(one)}." for one in found.reviews_settled]
    for schema, numbers in _by_schema(found.remapped):
        said.append(f"Mapped otherwise: events of {schema} version {numbers}.")
    if not found.remapped:
        said.append(NOTHING)
    if found.concerned:
        said.append(f"Mapped models concerned: {', '.join(f'mapped_{entity}' for entity in found.concerned)}.")
    return said


def _by_schema(versions: Sequence[tuple[str, int]]) -> list[tuple[str, str]]:
    found: dict[str, list[int]] = {}
    for schema, number in versions:
        found.setdefault(schema, []).append(number)
    return [(schema, _listed(numbers)) for schema, numbers in found.items()]


def _listed(numbers: Sequence[int]) -> str:
    return spans(numbers, range(min(numbers), max(numbers) + 1))


def _elements(change: BlockChange) -> str:
    signs = (("+", change.gained), ("-", change.lost), ("~", change.other))
    return ", ".join(f"{sign} {_element(one)}" for sign, elements in signs for one in elements)


def _element(one: Element) -> str:
    return f"{one.attribute} → {one.entity_attribute}"


def _review(one: Review) -> str:
    return f"{one.schema} version {one.version} to {one.entity}, without {', '.join(one.vanished)}"


def _cell(text: str) -> str:
    """A text that Markdown does not take for more than text, nor a forge for a mention, an issue or an address.

    >>> _cell("[x](http://e) @all `a_b`")
    '\\\\[x\\\\](http:&#8288;//e) @&#8288;all \\\\`a\\\\_b\\\\`'
    """
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    # a word joiner, which nobody sees, behind what begins a mention, a number of an issue, and what goes on as an address
    plain = re.sub(r"[@#](?=\w)|:(?=//)|\bwww(?=\.)", r"\g<0>&#8288;", plain)
    return re.sub(r"[\\`|_*~$\[\]]", r"\\\g<0>", plain)
