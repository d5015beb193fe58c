"""What the attributes of a source schema are called in its entity; arrays and maps stay what they are, `Order.Lines[].SKU` is `order_lines[].sku`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from entrepot.mapping.names import canonical_name, fits_a_seed, is_reserved
from entrepot.mapping.paths import ELEMENTS, VALUES, repeats_of
from entrepot.mapping.repeated import repeats_in
from entrepot.mapping.sources import Source
from entrepot.mapping.trees import Attribute


def attribute_names(entity: str, source: Source, key: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return the canonical names of a schema's attributes, and what has another name than one would expect, as sentences.

    Args:
        entity: the entity
        source: the schema
        key: its key's attributes
    """
    names: dict[str, str] = {}
    # arrays and maps, such as {"Order.Lines[]": "order_lines[]"}
    wholes: dict[str, str] = {}
    notes = []
    for version in source.versions:
        for one in version.values:
            if one.name in names:
                continue
            if one.renamed_from in names and one.renamed_from not in version.names:
                names[one.name] = names[one.renamed_from]
                wholes |= zip(repeats_of(one.name), repeats_in(names[one.name]), strict=True)
                continue
            held = [other.names for other in source.versions if one.name in other.names]
            taken = {part for some in held for name in some if name in names for part in _parts(names[name])}
            names[one.name], told = _named(entity, one, wholes, taken, is_key=one.name in key)
            notes += told
    return names, notes


def _named(
    entity: str, one: Attribute, wholes: dict[str, str], taken: set[str], *, is_key: bool
) -> tuple[str, list[str]]:
    """The name of an attribute, and sentences on it; `wholes` gets the arrays and maps on the way to it, `taken` is what is called so already."""
    name, above, notes = "", "", list[str]()
    repeats = repeats_of(one.name)
    for whole in (*repeats, *([one.name] if not one.name.endswith((ELEMENTS, VALUES)) else [])):
        if whole in wholes:
            name, above = wholes[whole], whole
            continue
        part = whole.removeprefix(above)
        behind = part[-2:] if whole in repeats else ""
        own = part.removesuffix(behind).removeprefix(".")
        if not own:
            # the elements or values of what is an element or a value itself
            name += behind
        else:
            scope = f"{name}." if name else ""
            plain = canonical_name(own)
            if not plain or not fits_a_seed(scope + plain):
                plain = f"attribute_{one.position}"
            reserved = not scope and is_reserved(plain, is_key)
            wanted = scope + (f"{entity}_{plain}" if reserved else plain)
            name = _free(wanted, taken)
            if reserved:
                notes.append(f"{one.name} becomes {name + behind}: mapped models and histories have a column {plain}")
            elif name + behind != whole.lower():
                notes.append(f"{whole.removesuffix(behind)} becomes {name}")
            name += behind
        above = whole
        if whole in repeats:
            wholes[whole] = name
    return name, notes


def _free(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name


def _parts(name: str) -> Iterator[str]:
    """What an attribute of an entity makes of a name: itself, and the columns and fields that are arrays and maps on the way to it.

    >>> list(_parts("lines[].tags{}.n")), list(_parts("name"))
    (['lines', 'lines[].tags', 'lines[].tags{}.n'], ['name'])
    """
    for whole in repeats_in(name):
        if not whole[:-2].endswith((ELEMENTS, VALUES)):
            yield whole[:-2]
    if not name.endswith(VALUES):
        yield name
