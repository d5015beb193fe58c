"""How the images of a block are parsed: which fields `from_json` reads into which struct, records within records.

An image is parsed once (`image`), and once more with its numbers in marks where a field may be an object (`marked`). A column that
holds JSON in a text, or may, is a document: a text of the image that is parsed by itself. What is parsed gets names of its own, those of the
entity's attributes, so that blocks whose sources call things differently can share what follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

from entrepot.mapping.paths import ELEMENTS, Step, ancestors, in_backticks, steps_of
from entrepot.mapping.types import canonical_type

Within = Literal["column", "record", "json", "either"]
MISFIT = "_misfit"
# what a document is called where it is parsed: it stands in an object of one field, so that it may be an array, or null
DOCUMENT = "document"
# types of Debezium that are objects or texts, as its settings say
EITHER = ("hstore",)
JSON = ("json", "jsonb")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A field that is read.

    Attributes:
        attribute: its path
        json: the type to read it with
        marked: whether the numbers in it have to be marked
        name: what it is called once it is parsed, quoted where it has to be
        parents: {path: data_type} of those of its parents that the schema version has a line for
    """

    attribute: str
    json: str
    marked: bool
    name: str
    parents: Mapping[str, str]


@dataclass(slots=True)
class Node:
    """A field of a struct: a leaf with a type, or a record with fields.

    Attributes:
        name: what it is called once it is parsed
        json: the type of a leaf
        repeats: whether it is an array or a map of these, see `Step`
        fields: of a record, {name: field}
    """

    name: str
    json: str = ""
    repeats: str = ""
    fields: dict[str, Node] = field(default_factory=dict)

    def is_renamed(self) -> bool:
        """Return whether anything in it is called otherwise once it is parsed."""
        return any(one.name not in (name, in_backticks(name)) or one.is_renamed() for name, one in self.fields.items())

    def type(self, is_renamed: bool) -> str:
        """Return the type as Spark writes it, with the source's names or with those once it is parsed."""
        inside = ", ".join(
            f"{one.name if is_renamed else in_backticks(name)}: {one.type(is_renamed)}"
            for name, one in self.fields.items()
        )
        word = "struct" if is_renamed else "STRUCT"
        found = self.json or f"{word}<{inside}>"
        for repeat in reversed(Step(self.name, self.repeats).each):
            found = f"ARRAY<{found}>" if repeat == ELEMENTS else f"MAP<STRING, {found}>"
        return found


@dataclass(frozen=True, slots=True)
class Place:
    """Where a leaf is found.

    Attributes:
        struct: the struct that it is parsed into
        field: its place within the struct, such as `address`.`city`; of what is inside of an array or a map, the place of the outermost one
        inside: from each array or map on the way to the next one, and from the last to the leaf; empty where it is the next one itself, or the leaf
    """

    struct: str
    field: str
    inside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A text that is parsed by itself.

    Attributes:
        column: its path
        place: where it is found
        structs: what it is parsed into, {struct: whether its numbers are marked}
    """

    column: str
    place: Place
    structs: Mapping[str, bool]


def within(attribute: str, parents: Mapping[str, str]) -> tuple[str, Within]:
    """Return what an attribute is read from, and what that is: a record, JSON in a text, or either where nobody has said it.

    Args:
        attribute: its path
        parents: {path: data_type} of its parents' lines

    >>> within("city", {}), within("address.city", {"address": "struct"}), within("address.city", {})
    (('', 'column'), ('', 'record'), ('address', 'either'))
    >>> within("address.extra.tag", {"address": "shop.Address", "address.extra": "jsonb"})
    ('address.extra', 'json')
    """
    above = ancestors(attribute)
    for place, parent in enumerate(above):
        data_type = parents.get(parent, "")
        if (data_type or place == 0) and (held := holding(data_type)) != "record":
            return parent, held
    return "", "record" if above else "column"


def holding(data_type: str) -> Within:
    """Return how what is inside of a column travels, by the column's type: a record, JSON in a text, or either where the type does not say it.

    >>> [holding(one) for one in ("struct", "shop.Address", "struct[]", "jsonb", "varchar(200)", "hstore", "")]
    ['record', 'record', 'record', 'json', 'json', 'either', 'either']
    """
    plain = data_type.strip().lower().removesuffix("[]")
    if not plain or plain in EITHER:
        return "either"
    is_text = "." not in plain and (plain in JSON or canonical_type(plain) == "string")
    return "json" if is_text else "record"


class Parsing:
    """The structs of a block, and where each of its leaves is found in them.

    Attributes:
        structs: {name: its fields}
        marked: {name: whether the numbers in it are marked}
        documents: texts that are parsed by themselves
        places: {path of a leaf: where it is found}
        misfit: the field that takes JSON that cannot be parsed: a name that no column has
    """

    def __init__(self, leaves: Sequence[Leaf], elements: Sequence[str]) -> None:
        """Place the leaves of a block.

        Args:
            leaves: in the order of the entity's attributes
            elements: the attributes in the order of the block's elements
        """
        self.structs: dict[str, Node] = {"image": Node("image"), "marked": Node("marked")}
        self.marked: dict[str, bool] = {"image": False, "marked": True}
        self.documents: list[Document] = []
        self._numbers = count(1)
        bases: dict[str, list[Leaf]] = {}
        for leaf in leaves:
            if base := within(leaf.attribute, leaf.parents)[0]:
                bases.setdefault(base, []).append(leaf)
        columns = [steps_of(attribute)[0].name.lower() for attribute in elements]
        self.misfit = MISFIT + "".join(columns) if MISFIT in columns else MISFIT
        found = {leaf.attribute: self._placed(leaf) for leaf in leaves if not within(leaf.attribute, leaf.parents)[0]}
        for number, (base, inside) in enumerate(bases.items(), 1):
            found |= self._document(number, base, inside)
        self.places: dict[str, Place] = {leaf.attribute: found[leaf.attribute] for leaf in leaves}

    def schema(self, struct: str) -> str:
        """Return the fields of a struct as `from_json` takes them."""
        fields = [f"{in_backticks(name)} {node.type(False)}" for name, node in self.structs[struct].fields.items()]
        return ", ".join([f"{in_backticks(self.misfit)} STRING"] * self.misfits(struct) + fields)

    def names(self, struct: str) -> str | None:
        """Return the type of a struct whose fields have the names once they are parsed; none where they have them as it is."""
        if not self.structs[struct].is_renamed() and not (self.misfits(struct) and self.misfit != MISFIT):
            return None
        fields = [f"{node.name}: {node.type(True)}" for node in self.structs[struct].fields.values()]
        return f"struct<{', '.join([f'{MISFIT}: STRING'] * self.misfits(struct) + fields)}>"

    def misfits(self, struct: str) -> bool:
        """Whether a struct has a field for what cannot be parsed: all have but those of which every field is a text, which anything is."""
        return struct == "image" or any(node.fields or node.repeats for node in self.structs[struct].fields.values())

    def typed(self, struct: str) -> dict[str, str]:
        """Return the columns that not every value fits, {what it is called once it is parsed: column}."""
        fields = self.structs[struct].fields.items()
        return {node.name.strip("`").replace("``", "`"): name for name, node in fields if node.json != "STRING"}

    def _placed(self, leaf: Leaf) -> Place:
        return self._inserted("marked" if leaf.marked else "image", leaf.marked, steps_of(leaf.attribute), leaf)

    def _document(self, number: int, base: str, leaves: Sequence[Leaf]) -> dict[str, Place]:
        """Place the leaves of a document, and the document as a text of the image."""
        is_marked = any(leaf.marked for leaf in leaves)
        text = Leaf(base, "STRING", is_marked, f"_text_{number}", {})
        place = self._placed(text)
        depth, found = len(steps_of(base)), {}
        known = set(self.structs)
        for leaf in leaves:
            inside = steps_of(leaf.attribute)
            steps = (Step(DOCUMENT, inside[depth - 1].repeats), *inside[depth:])
            struct = f"{'marked_' if leaf.marked else ''}document_{number}"
            found[leaf.attribute] = self._inserted(struct, leaf.marked, steps, leaf)
        structs = {name: self.marked[name] for name in self.structs if name not in known}
        self.documents.append(Document(base, place, structs))
        return found

    def _inserted(self, struct: str, is_marked: bool, steps: Sequence[Step], leaf: Leaf) -> Place:
        """Put a leaf into the first struct of a name where nothing of another type stands in its way."""
        for number in count(1):
            name = struct if number == 1 else f"{struct}_{number}"
            root = self.structs.setdefault(name, Node(name))
            self.marked[name] = is_marked
            if _is_free(root, steps, leaf.json):
                return self._put(name, root, steps, leaf)
        raise AssertionError

    def _put(self, struct: str, root: Node, steps: Sequence[Step], leaf: Leaf) -> Place:
        node, chain, chains = root, list[str](), list[str]()
        for place, step in enumerate(steps):
            is_last = place == len(steps) - 1
            known = node.fields.get(step.name)
            if known is None:
                name = leaf.name if is_last else f"_record_{next(self._numbers)}"
                known = Node(name, leaf.json if is_last else "", step.repeats)
                node.fields[step.name] = known
            node = known
            chain.append(node.name)
            for _ in step.each:
                chains.append(".".join(chain))
                chain = []
        field, *inside = (*chains, ".".join(chain))
        return Place(struct, field, tuple(inside))


def _is_free(root: Node, steps: Sequence[Step], json: str) -> bool:
    """Whether a leaf can stand in a struct: no other one stands above it, below it, or there with another type."""
    node = root
    for place, step in enumerate(steps):
        found = node.fields.get(step.name)
        if found is None:
            return True
        if place == len(steps) - 1:
            return (found.json, found.repeats) == (json, step.repeats)
        if found.json or found.repeats != step.repeats:
            return False
        node = found
    return False
