"""A registry's versions become version numbers that stay: on random histories, pulled all at once or bit by bit, again and again."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

from entrepot.mapping.trees import Attribute, Version
from entrepot.registry.asking import Answer, Asked
from entrepot.registry.definitions import AVRO, Definition
from entrepot.registry.kept import Kept
from entrepot.registry.pull import Pull, pull_of
from tests.registry.projects import field, record

CASES = 300
SUBJECT, SCHEMA = "shop.item-value", "shop.item"
# of each pair PostgreSQL has two types that travel alike, or differently
TYPES = {"int": ("integer", "int4"), "string": ("text", "inet"), "long": ("bigint", "int8")}
Fields = tuple[tuple[str, str], ...]


def fields_of(draw: random.Random) -> Fields:
    return tuple((name, draw.choice(list(TYPES))) for name in draw.sample("abcd", draw.randint(1, 4)))


def definition(number: int, fields: Fields) -> Definition:
    return Definition(SUBJECT, number, 100 + number, AVRO, record("shop.Item", *(field(*one) for one in fields)))


def answer(versions: Sequence[Definition]) -> Answer:
    return Answer((SUBJECT,), (SUBJECT,), {one.place: one for one in versions})


def version(draw: random.Random, number: int, fields: Fields, is_typed: bool) -> Version:
    """A version as a person or landing has it: types by other names, or none."""
    types = (draw.choice(TYPES[type_]) if is_typed else None for _, type_ in fields)
    attributes = (
        Attribute(name, type_, place, False)
        for place, ((name, _), type_) in enumerate(zip(fields, types, strict=True), 1)
    )
    return Version(SCHEMA, number, tuple(attributes))


def numbers(pulled: Pull) -> dict[int, int | None]:
    return {one.definition.version: one.version for one in pulled.kept}


def travels(version: Version) -> dict[str, str | None]:
    names = {written: sent for sent, ways in TYPES.items() for written in ways}
    return {one.name: names[one.data_type] if one.data_type else None for one in version.attributes}


def test_numbers_stay_and_are_those_of_the_fields() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    for case in range(CASES):
        draw = random.Random(f"{seed} {case}")
        histories = [fields_of(draw) for _ in range(draw.randint(1, 6))]
        places = sorted(draw.sample(range(1, 20), len(histories)))  # registries have gaps
        there = [definition(number, fields) for number, fields in zip(places, histories, strict=True)]
        known = [
            version(draw, number, draw.choice([*histories, fields_of(draw)]), draw.random() < 0.7)
            for number in range(1, draw.randint(1, 4))
        ]
        registered, discovered = known[: len(known) // 2], known[len(known) // 2 :]
        pulled = pull_of(answer(there), Asked(), [], registered, discovered)
        found = {one.number: one for one in (*discovered, *registered, *pulled.versions)}
        assert sorted(found) == list(range(1, len(found) + 1)), case
        for number, fields in zip(places, histories, strict=True):
            own = travels(found[numbers(pulled)[number] or 0])
            assert all(own[name] in (None, type_) for name, type_ in fields) and own.keys() == {
                name for name, _ in fields
            }, case
        # what a second pull finds, with the seed as it is now
        again = pull_of(answer(there), Asked(), pulled.kept, [*registered, *pulled.versions], discovered)
        assert (again.versions, numbers(again), again.notes) == ((), numbers(pulled), ()), case
        # bit by bit
        kept: tuple[Kept, ...] = ()
        rows = [*registered]
        for last in range(1, len(there) + 1):
            step = pull_of(answer(there[:last]), Asked(), kept, rows, discovered)
            kept, rows = step.kept, [*rows, *step.versions]
        assert {one.definition.version: one.version for one in kept} == numbers(pulled), case
        # a version that is deleted there stays, and is told
        gone = draw.choice(there)
        less = pull_of(
            answer([one for one in there if one != gone]),
            Asked(),
            pulled.kept,
            [*registered, *pulled.versions],
            discovered,
        )
        assert not less.versions and numbers(less) == numbers(pulled) and len(less.notes) == 1, case


def test_a_rename_is_taken_from_the_aliases_of_the_version_before() -> None:
    old = Definition(SUBJECT, 1, 1, AVRO, record("shop.Item", field("colour", "string")))
    new = Definition(SUBJECT, 2, 2, AVRO, record("shop.Item", field("color", "string", aliases=["hue", "colour"])))
    pulled = pull_of(answer([old, new]), Asked(), [], [], [])
    assert [one.renamed_from for version in pulled.versions for one in version.attributes] == ["", "colour"]
    # an attribute goes on as one
    both = record("shop.Item", *(field(name, "string", aliases=["colour"]) for name in ("color", "hue")))
    pulled = pull_of(answer([old, Definition(SUBJECT, 2, 2, AVRO, both)]), Asked(), [], [], [])
    assert [one.renamed_from for version in pulled.versions for one in version.attributes] == ["", "colour", ""]
    # where the version before is another, nobody can tell
    other = Version(SCHEMA, 1, (Attribute("shade", "text", 1, False),))
    pulled = pull_of(answer([new]), Asked(), [], [other], [])
    assert [(version.number, one.renamed_from) for version in pulled.versions for one in version.attributes] == [
        (2, "")
    ]


def test_a_version_whose_rows_are_gone_gets_its_number_back() -> None:
    first = definition(1, (("a", "int"),))
    spaced = json.dumps(json.loads(first.text), indent=4)  # as its file has it
    again = pull_of(answer([first]), Asked(), [Kept(Definition(SUBJECT, 1, 101, AVRO, spaced), SCHEMA, 3)], [], [])
    assert [one.number for one in again.versions] == [3]


ADDRESS = ("city", "string"), ("zip", "int")


def nested(number: int, inside: Fields, *more: tuple[str, str]) -> Definition:
    """A version with a record in a column."""
    home = {"type": "record", "name": "Address", "fields": [field(*one) for one in inside]}
    columns = (field("id", "int"), field("home", home), *(field(*one) for one in more))
    return Definition(SUBJECT, number, 100 + number, AVRO, record("shop.Item", *columns))


def names_of(pulled: Pull) -> list[tuple[int, list[str]]]:
    return [(one.number, [attribute.name for attribute in one.attributes]) for one in pulled.versions]


def test_a_version_that_is_registered_by_its_columns_stays_the_version_that_it_is() -> None:
    """What a project has registered before it knew of paths: nothing is new, whatever changes inside of the record."""
    columns = (Attribute("id", "integer", 1, False), Attribute("home", "struct", 2, False))
    registered = [Version(SCHEMA, 1, columns, is_registered=True)]
    pulled = pull_of(answer([nested(1, ADDRESS), nested(2, ADDRESS[:1])]), Asked(), (), registered, ())
    assert names_of(pulled) == [] and numbers(pulled) == {1: 1, 2: 1}


def test_a_change_inside_is_a_version_and_what_is_registered_within_a_text_goes_on() -> None:
    document = Attribute("doc", "jsonb", 5, False), Attribute("doc.tag", "text", 6, False)
    first = pull_of(answer([nested(1, ADDRESS, ("doc", "string"))]), Asked(), (), (), ()).versions[0]
    assert [one.name for one in first.attributes] == ["id", "home", "home.city", "home.zip", "doc"]
    registered = [Version(SCHEMA, 1, (*first.attributes[:4], *document), is_registered=True)]
    versions = [nested(1, ADDRESS, ("doc", "string")), nested(2, ADDRESS[:1], ("doc", "string"))]
    pulled = pull_of(answer(versions), Asked(), (), registered, ())
    assert names_of(pulled) == [(2, ["id", "home", "home.city", "doc", "doc.tag"])]
    # events may have shown it before, and somebody has named more of the text since
    shown = Version(SCHEMA, 2, (*pulled.versions[0].attributes, Attribute("doc.size", "integer", 6, False)))
    pulled = pull_of(answer(versions), Asked(), (), registered, [shown])
    assert names_of(pulled) == [(2, ["id", "home", "home.city", "doc", "doc.tag", "doc.size"])]
