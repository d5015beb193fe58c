"""The seeds as files: what is refused before Spark starts, each with its line, and what has to go on working."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException

from entrepot.errors import EntrepotError
from entrepot.mapping.checks import Named, failures_in, failures_of, sentence_of
from entrepot.mapping.compiled import converted, told
from entrepot.mapping.conversions import conversion_of
from entrepot.mapping.seeds import COLUMNS, read_seed, read_seeds
from entrepot.mapping.types import described_type
from tests.conftest import ROOT
from tests.mapping.test_owners_in_jobs import PARTS
from tests.support.dbt_case import DbtCase
from tests.support.render import Renderer
from tests.support.spark import Spark

SCHEMA, ENTITY, BLOCK = COLUMNS
HEADERS = {name: ",".join(columns) + "\n" for name, columns in COLUMNS.items()}
GOOD = {
    SCHEMA: "s,1,id,integer,1,true,\ns,1,a,text,2,false,\ns,1,born,date,3,,\ns,2,id,integer,1,true,\ns,2,b,text,2,false,a\n",
    ENTITY: "e,1,id,integer,true,Number\ne,1,x,string,false,\ne,1,day,date,false,\n",
    BLOCK: "s,1,e,1,id,id\ns,1,e,1,a,x\n",
}
# rows behind the good ones, and what is said of them: (line, part of the sentence); the good ones end in lines 6, 4 and 3
REFUSED: dict[str, tuple[str, str, list[tuple[int, str]]]] = {
    "no schema": (SCHEMA, ",1,c,text,4,false,\n", [(7, "schema is empty")]),
    "an attribute called null": (SCHEMA, "s,1,null,text,4,false,\n", [(7, "attribute is empty")]),
    "a word for a version": (SCHEMA, "s,one,c,text,4,false,\n", [(7, "version is one, which is no whole number")]),
    "a version Python reads and Spark does not": (
        SCHEMA,
        "s,1_0,c,text,4,false,\n",
        [(7, "version is 1_0, which is no")],
    ),
    "a version that is too large": (
        SCHEMA,
        "s,2147483648,c,text,4,false,\n",
        [(7, "version is 2147483648, which is no")],
    ),
    "version 0": (SCHEMA, "s,0,c,text,4,false,\n", [(7, "version is 0. Versions are 1, 2, 3")]),
    "a word for a position": (SCHEMA, "s,1,c,text,last,false,\n", [(7, "position is last, which is no whole number")]),
    "is_key is on": (SCHEMA, "s,1,c,text,4,on,\n", [(7, "is_key is on. It is true or false; empty is false")]),
    "an attribute twice": (SCHEMA, "s,1,a,text,4,false,\n", [(7, "s version 1 has a already, in line 3")]),
    "a comma without quotes": (SCHEMA, "s,1,c,numeric(12,2),4,false,\n", [(7, "has more than 7 values")]),
    "half of a type in quotes": (
        SCHEMA,
        's,1,c,"numeric(12,2",4,,\n',
        [(7, "c has the data_type numeric(12,2, which is half")],
    ),
    "renamed from nothing": (
        SCHEMA,
        "s,2,c,text,3,false,aa\n",
        [(7, "aa, which the version before does not have. Did you mean a?")],
    ),
    "attributes that have changed places": (
        SCHEMA,
        "s,3,id,integer,1,true,b\ns,3,b,text,2,false,id\n",
        [
            (7, "s version 3: id is renamed_from b, and b is still there. An attribute goes on under its own name"),
            (8, "s version 3: b is renamed_from id, and id is still there. An attribute goes on under its own name"),
        ],
    ),
    "renamed from what is still there": (
        SCHEMA,
        "s,3,b,text,1,,\ns,3,c,text,2,,b\n",
        [(8, "s version 3: c is renamed_from b, and b is still there. An attribute goes on under its own name")],
    ),
    "renamed to what was there": (
        SCHEMA,
        "s,3,b,integer,1,,id\n",
        [(7, "s version 3: b is renamed_from id, and the version before has b, too. An attribute goes on under its")],
    ),
    "two renamed from one": (
        SCHEMA,
        "s,3,d,text,1,,b\ns,3,c,text,2,,b\n",
        [(8, "s version 3: c is renamed_from b, and so is d in line 7. One attribute goes on as one")],
    ),
    "two renamed from one, behind a gap": (
        SCHEMA,
        "s,9,d,text,1,,b\ns,9,c,text,2,,b\n",
        [(8, "s version 9: c is renamed_from b, and so is d in line 7.")],
    ),
    "no path": (
        SCHEMA,
        "s,1,a.,text,4,,\n",
        [
            (
                7,
                "s version 1: a. is no path. Steps of a path have dots between them; a column whose own name is so stands in backticks: `a.`.",
            )
        ],
    ),
    "backticks for nothing": (
        SCHEMA,
        "s,1,r.`x`,text,4,,\n",
        [(7, "r.`x` is r.x with backticks that it does not need. Write r.x.")],
    ),
    "inside of a date": (
        SCHEMA,
        "s,1,born.day,integer,4,,\n",
        [(7, "born.day is inside of born, which is date. Nothing is inside of such a value")],
    ),
    "inside of an array": (
        SCHEMA,
        "s,1,l,struct[],4,,\ns,1,l.x,text,5,,\n",
        [(8, "l.x is inside of l, which is struct[]. It has elements, and these have fields: write l[] in place of l")],
    ),
    "elements of a record": (
        SCHEMA,
        "s,1,r,struct,4,,\ns,1,r[].x,text,5,,\n",
        [(8, "r, which is struct. It has no elements: write r without brackets")],
    ),
    "all elements": (
        SCHEMA,
        "s,1,l[],text,4,,\n",
        [(7, "l[] ends with the elements of an array. Write l for the whole array")],
    ),
    "elements of elements": (SCHEMA, "s,1,l[][].x,text,4,,\n", [(7, "l[][].x goes into the elements of elements")]),
    "braces within a name": (SCHEMA, "s,1,l{}x,text,4,,\n", [(7, "l{}x is no path.")]),
    "braces within a step": (
        SCHEMA,
        "s,1,l.m{}x,text,4,,\n",
        [(7, "l.m{}x is no path. A step whose own name has braces, or a dot, stands in backticks: l.`m{}x`.")],
    ),
    "values of a date": (SCHEMA, "s,1,born{},integer,4,,\n", [(7, "born{} is inside of born, which is date.")]),
    "values of an array": (
        SCHEMA,
        "s,1,l,struct[],4,,\ns,1,l{}.x,text,5,,\n",
        [
            (
                8,
                "l{}.x is inside of l, which is struct[]. It has elements, and these have fields: write l[] in place of l{}",
            )
        ],
    ),
    "elements of a map": (
        SCHEMA,
        "s,1,m,map,4,,\ns,1,m[].x,text,5,,\n",
        [(8, "m, which is map. It has no elements: write m without brackets")],
    ),
    "values of a value that is no map": (
        SCHEMA,
        "s,1,m{},integer,4,,\ns,1,m{}.x,text,5,,\n",
        [(8, "m{}.x is inside of m{}, which is integer. Nothing is inside of such a value")],
    ),
    "JSON in a text in an element": (
        SCHEMA,
        "s,1,l,struct[],4,,\ns,1,l[].j,jsonb,5,,\ns,1,l[].j.x,text,6,,\n",
        [(9, "l[].j.x is inside of l[].j, which is jsonb, a text in each element of an array")],
    ),
    "a key in a map": (SCHEMA, "s,1,m{},text,4,true,\n", [(7, "m{} is a key, and a map has many of it")]),
    "a map into one value": (
        BLOCK,
        "s,3,e,1,m{},x\n",
        [
            (
                4,
                "m{} has a value in each value of a map, and x has one value. Map it to a part of a map of the entity, such as m{}, or map m",
            )
        ],
    ),
    "one value into a map": (
        BLOCK,
        "s,3,e,1,a,m{}\n",
        [
            (
                4,
                "a has one value, and m{} is a part of each value of a map. Map an attribute that is inside of a map to it",
            ),
            (4, "the entity has no attribute m{}"),
        ],
    ),
    "an array into a map": (
        BLOCK,
        "s,3,e,1,l[].Cd{},m{}[].x\n",
        [
            (
                4,
                "are not inside of the same arrays and maps. An array becomes an array and a map a map, from outside to inside: "
                "map it to an attribute such as l[].cd{}.",
            ),
            (4, "the entity has no attribute m{}[].x"),
        ],
    ),
    "two maps into one, within an array": (
        BLOCK,
        "s,3,e,1,l[].m{}.x,k[].n{}.x\ns,3,e,1,l[].o{}.y,k[].n{}.y\n",
        [
            (4, "the entity has no attribute k[].n{}.x"),
            (
                5,
                "k[].n comes from the values of l[].o, and from those of l[].m in line 4. All fields of a map come from one map",
            ),
            (5, "the entity has no"),
        ],
    ),
    "a map beside its values": (
        ENTITY,
        "e,1,m{},string,,\ne,1,m{}.x,string,,\n",
        [(6, "m{}.x makes a record of m{}, and line 5 is")],
    ),
    "a map and an array": (
        ENTITY,
        "e,1,m{},string,,\ne,1,m[].x,string,,\n",
        [(6, "m[].x makes an array m, and line 5 is an attribute m{}")],
    ),
    "a map within a field": (
        ENTITY,
        "e,1,m[].x,string,,\ne,1,m[].x{},string,,\n",
        [(6, "m[].x{} makes a map m[].x, and line 5 is an attribute m[].x")],
    ),
    "a key in an entity's map": (ENTITY, "e,1,m{},string,true,\n", [(5, "m{} is a key, and a map has many of it")]),
    "braces within an entity's name": (ENTITY, "e,1,m{}x,string,,\n", [(5, "the name 'm{}x' has the character '{'")]),
    "a key in an array": (SCHEMA, "s,1,l[].x,text,4,true,\n", [(7, "l[].x is a key, and an array has many of it")]),
    "an array into one value": (
        BLOCK,
        "s,3,e,1,l[].x,x\n",
        [
            (
                4,
                "l[].x has a value in each element of an array, and x has one value. Map it to a part of an array of the entity, such as l[].x",
            )
        ],
    ),
    "one value into an array": (
        BLOCK,
        "s,3,e,1,a,l[].x\n",
        [
            (4, "a has one value, and l[].x is a part of each element of an array"),
            (4, "the entity has no attribute l[].x"),
        ],
    ),
    "two arrays into one": (
        BLOCK,
        "s,3,e,1,l[].x,k[].x\ns,3,e,1,m[].y,k[].y\n",
        [
            (4, "the entity has no attribute k[].x"),
            (5, "k comes from the elements of m, and from those of l in line 4"),
            (5, "the entity has no"),
        ],
    ),
    "a field that is no field": (
        ENTITY,
        "e,1,l[],string,,\n",
        [(5, "l[] is no part of an array or a map. Write it as lines[].item_code")],
    ),
    "a key in an entity's array": (
        ENTITY,
        "e,1,l[].x,string,true,\n",
        [(5, "l[].x is a key, and an array has many of it")],
    ),
    "an array beside a value": (
        ENTITY,
        "e,1,X[].y,string,,\n",
        [(5, "X[].y makes an array X, and line 3 is an attribute x")],
    ),
    "a type that is none": (
        ENTITY,
        "e,1,y,other,false,\n",
        [(5, "e version 1: y has the data_type other, which is none")],
    ),
    "no type": (ENTITY, "e,1,y,,false,\n", [(5, "data_type is empty")]),
    "too many digits": (ENTITY, 'e,1,y,"decimal(39,2)",false,\n', [(5, "has the data_type decimal(39,2)")]),
    "a canonical type within one of Spark's": (
        ENTITY,
        "e,1,y,array<text>,false,\n",
        [(5, "has the data_type array<text>")],
    ),
    "a key called op": (ENTITY, "e,1,OP,integer,true,\n", [(5, "OP is the name of a column of all mapped models")]),
    "a column of histories": (ENTITY, "e,1,dbt_valid_from,date,false,\n", [(5, "a column of all histories")]),
    "names that are one to Spark": (ENTITY, "e,1,X,integer,false,\n", [(5, "e version 1 has X, and x in line 3")]),
    "entities that are one to Spark": (
        ENTITY,
        "E,1,id,integer,true,\nE,1,x,string,,\n",
        [
            (
                5,
                "E, and e in line 2, are one table to Spark, and one file to some systems. Write another name, such as e_2",
            )
        ],
    ),
    "an entity that is a path": (
        ENTITY,
        "../../evil,1,id,integer,true,\n../../evil,1,x,string,,\n",
        [
            (
                5,
                "an entity cannot be called '../../evil'. It is the name of tables and files: letters from a to z, digits and",
            )
        ],
    ),
    "an entity with a blank": (
        ENTITY,
        "My Entity,1,id,integer,true,\n",
        [(5, "Write another name, such as my_entity, here")],
    ),
    "an entity with a blank behind it": (ENTITY, "party ,1,id,integer,true,\n", [(5, "cannot be called 'party '")]),
    "an entity with a quote": (ENTITY, "it's,1,id,integer,true,\n", [(5, 'cannot be called "it\'s"')]),
    "an entity that is Jinja": (ENTITY, "{{x}},1,id,integer,true,\n", [(5, "cannot be called '{{x}}'")]),
    "an entity with a letter that tables cannot have": (ENTITY, "größe,1,id,integer,true,\n", [(5, "such as groesse")]),
    "an entity that begins with a digit": (ENTITY, "2fa,1,id,integer,true,\n", [(5, "such as _2fa")]),
    "an entity without a letter": (ENTITY, "名前,1,id,integer,true,\n", [(5, "such as customer")]),
    "an entity of 201 characters": (ENTITY, f"{'x' * 201},1,id,integer,true,\n", [(5, "and at most 200 of them")]),
    "a blank in a name": (
        ENTITY,
        "e,1,unit price,number,,\n",
        [(5, "Delta takes it in no column's name. Write unit_price")],
    ),
    "a gap": (
        ENTITY,
        "e,3,id,integer,true,\n",
        [(5, "e has a version 3 and no version 2. Versions follow each other: write 2")],
    ),
    "an attribute the version has not": (
        BLOCK,
        "s,2,e,1,a,x\n",
        [(4, "the schema has no attribute a in this version. It has b, id")],
    ),
    "an entity that is not there": (BLOCK, "s,1,f,1,a,x\n", [(4, "there is no entity f. There are e")]),
    "an entity's version that is not there": (
        BLOCK,
        "s,2,e,2,b,x\n",
        [(4, "the entity has no such version. It has 1")],
    ),
    "a null block of no entity": (BLOCK, "s,1,f,1,,\n", [(4, "there is no entity f")]),
    "an entity attribute that is not there": (
        BLOCK,
        "s,2,e,1,b,dai\n",
        [(4, "no attribute dai in this version. Did you mean day?")],
    ),
    "half an element": (BLOCK, "s,2,e,1,b,\n", [(4, "entity_attribute is empty and attribute is b")]),
    "the other half": (BLOCK, "s,2,e,1,,x\n", [(4, "attribute is empty and entity_attribute is x")]),
    "a row twice": (BLOCK, "s,1,e,1,a,x\n", [(4, "the row is there already, in line 3")]),
    "a null block twice": (BLOCK, "s,2,e,1,,\ns,2,e,1,,\n", [(5, "the row is there already, in line 4")]),
    "an attribute to two": (BLOCK, "s,1,e,1,a,day\n", [(4, "a is mapped to day, and is mapped to x in line 3")]),
    "two to an entity attribute": (
        BLOCK,
        "s,1,e,1,born,x\n",
        [(4, "x is mapped from born, and is mapped from a in line 3")],
    ),
    "a null block with elements": (BLOCK, "s,1,e,1,,\n", [(4, "a null block, and line 2 has an element")]),
    "no value converts": (
        BLOCK,
        "s,2,e,1,id,day\n",
        [(4, "id is integer, and no value of it becomes day, which is date")],
    ),
}
# rows behind the good ones that are right, or that the warehouse has to say more of
TAKEN: dict[str, tuple[str, str]] = {
    "renames of several attributes, and one of its own name": (
        SCHEMA,
        "s,3,number,integer,1,true,id\ns,3,c,text,2,,b\ns,4,number,integer,1,true,number\n",
    ),
    "lines that a spreadsheet leaves below the last row": (SCHEMA, ",,,,,,\n , ,,NULL,,,\n,\n"),
    "names that differ in case alone, of a source": (SCHEMA, "s,1,A,text,4,false,\ns,1,_misfit,text,5,false,\n"),
    "a gap that a discovered version may fill": (
        SCHEMA,
        "s,9,z,text,1,yes,of a version that may have been discovered\n",
    ),
    "types of other databases, none, and those of users": (
        SCHEMA,
        "s,1,c,int(5) unsigned,4,0,\ns,1,d,,,,\ns,1,e,public.Mood,,,\n",
    ),
    "blanks around a number, and a blank line": (SCHEMA, "\ns, +3 ,c,text,,N,\n"),
    "op that is no key, and unit-price": (ENTITY, "e,1,op,string,false,\ne,1,unit-price,number,false,\n"),
    "entities with capitals, digits and 200 characters": (
        ENTITY,
        f"L10NCache,1,id,integer,true,\n_2fa,1,id,integer,true,\n{'x' * 200},1,id,integer,true,\n",
    ),
    "an entity without a key": (ENTITY, "log,1,text,string,,\n"),
    "an entity whose first versions have been taken out": (ENTITY, "f,4,id,integer,true,\nf,5,id,integer,true,\n"),
    "a block of a version that nobody has registered": (BLOCK, "s,7,e,1,colour,x\nother,1,e,1,,\n"),
    "a narrowing": (BLOCK, "s,2,e,1,b,day\n"),
    "paths": (
        SCHEMA,
        "s,1,r.x.`y.z`,text,4,,\ns,1,`a.b`,text,5,,\ns,1,l,jsonb,6,,\ns,1,l[].x.y,text,7,,\ns,1,a.inside,text,8,,\n",
    ),
    "an array of an entity": (ENTITY, "e,1,l[].x,string,,\ne,1,l[].op,string,,\n"),
    "a null block of its own": (BLOCK, "s,2,e,1,,\n"),
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Named]:
    for name, rows in GOOD.items():
        (tmp_path / f"{name}.csv").write_text(HEADERS[name] + rows)
    return {name: (tmp_path / f"{name}.csv", ",", f"seeds/{name}.csv") for name in COLUMNS}


def append(files: dict[str, Named], name: str, rows: str) -> None:
    path = files[name][0]
    path.write_bytes(path.read_bytes() + rows.encode())


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(files: dict[str, Named], case: str) -> None:
    seed, rows, expected = REFUSED[case]
    append(files, seed, rows)
    found = failures_of(files)
    assert [(one.seed, one.line) for one in found] == [(seed, line) for line, _ in expected]
    for failure, (_, part) in zip(found, expected, strict=True):
        assert part in f"{failure.given}. {failure.instead}"


@pytest.mark.parametrize("case", TAKEN)
def test_what_goes_on_working(files: dict[str, Named], case: str) -> None:
    append(files, *TAKEN[case])
    assert failures_of(files) == []


def test_all_at_once_in_the_order_of_files_and_lines(files: dict[str, Named]) -> None:
    append(files, BLOCK, "s,1,e,1,born,day\ns,2,e,1,a,x\n")
    append(files, ENTITY, "e,1,y,other,false,\n")
    append(files, SCHEMA, "s,2,c,(,3,false,\n")
    said = sentence_of(failures_of(files)).splitlines()
    assert said[0] == "The seeds of the mapping cannot be used as they are, 3 failures:"
    places = [line.split(": ")[0].strip() for line in said[1:4]]
    assert places == ["seeds/schema_attribute.csv:7", "seeds/entity_attribute.csv:5", "seeds/unique_block.csv:5"]
    assert said[4].startswith("Correct them and build again")


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "entity_attribute.csv"
    rows = 'e,1,a,integer,true,"one\r\ntwo\r\n"\r\n\r\ne,1,b,string,false,"x, ""y""\nz"\r\ne,1,c,string,false,'
    path.write_bytes(b"\xef\xbb\xbf" + HEADERS[ENTITY].replace("\n", "\r\n").encode() + rows.encode())
    seed = read_seed(ENTITY, path)
    assert [(row["entity_attribute"], line) for _, row, line in seed.placed()] == [
        ("a", 2), ("b", 6), ("c", 8),
    ]  # fmt: skip


def test_what_is_no_seed(files: dict[str, Named]) -> None:
    files[SCHEMA][0].write_text("schema,version,attribute\ns,1,a\n")
    files[BLOCK][0].write_bytes(HEADERS[BLOCK].encode() + b"s,1,e,1,\xff,x\n")
    found = [(one.seed, one.line, one.given) for one in failures_of(files)]
    assert [place[:2] for place in found] == [(SCHEMA, 1), (BLOCK, 2)]
    assert "has no column data_type, position, is_key, renamed_from" in found[0][2]
    assert found[1][2] == "the file is no CSV file in UTF-8: the bytes ff are no letter"


# a file as it is, and what is said of it: its line, part of the sentence
NO_SEEDS: dict[str, tuple[str, bytes, int, str]] = {
    "bytes that are no UTF-8": (BLOCK, b"s,2,e,1,,\r\n\xff,1,e,1,,\n", 5, "the bytes ff are no letter. Save it as UTF-8"),
    "a quote that is not closed": (ENTITY, b'e,1,y,string,,"one\n"\ne,1,"z,string,,\n\n', 7, "unexpected end of data. A quote"),
    "text behind a quote": (ENTITY, b'e,1,"y"z,string,,\n', 5, "',' expected after '\"'"),
    "a row of commas that is too long": (SCHEMA, b",,,,,,,,\n", 7, "the row has more than 7 values"),
}  # fmt: skip
NO_COLUMNS = {
    "a column twice": ("schema,version,entity,entity_version,attribute,entity_attribute,x,x\n", "the column x more than once"),
    "a column of the seed twice": ("schema,version,entity,entity_version,attribute,entity_attribute,version\n", "the column version more"),
    "a column twice to Spark": ("schema,version,entity,entity_version,attribute,entity_attribute,x,Y,X\n", "the column x, X more than once"),
    "an empty first line": ("\n\n" + HEADERS[BLOCK], "the first line is empty, and has to name the columns"),
    "an empty first row": (",,,\n" + HEADERS[BLOCK], "the first line is empty, and has to name the columns"),
}  # fmt: skip


@pytest.mark.parametrize("case", NO_SEEDS)
def test_what_cannot_be_read_is_told_with_its_line(files: dict[str, Named], case: str) -> None:
    name, content, line, part = NO_SEEDS[case]
    path = files[name][0]
    path.write_bytes(path.read_bytes() + content)
    (found,) = failures_of(files)
    assert (found.seed, found.line) == (name, line) and part in f"{found.given}. {found.instead}"
    if not found.given.startswith("the row"):
        with pytest.raises(EntrepotError, match=re.escape(f"{path}:{line}: {found.given}.")):
            read_seed(name, path)


@pytest.mark.parametrize("case", NO_COLUMNS)
def test_a_first_line_that_is_none(files: dict[str, Named], case: str) -> None:
    header, part = NO_COLUMNS[case]
    path = files[BLOCK][0]
    path.write_text(header + "s,1,e,1,a,x,1,2\n")
    (found,) = failures_of(files)
    assert (found.seed, found.line) == (BLOCK, 1) and part in found.given
    with pytest.raises(EntrepotError, match=re.escape(f"{path}:1: {found.given}.")):
        read_seed(BLOCK, path)


def test_seeds_in_memory_are_judged_as_those_in_files(files: dict[str, Named]) -> None:
    append(files, SCHEMA, ",,,,,,\ns,3,b,text,1,,\ns,3,c,text,2,,b\n")
    append(files, BLOCK, "s,1,e,1,born,day\ns,2,e,1,a,x\n")
    seeds = read_seeds({name: path for name, (path, *_) in files.items()})
    found = failures_of(files)
    assert [(one.seed, one.line) for one in found] == [(SCHEMA, 9), (BLOCK, 5)]
    assert failures_in(seeds, {name: said for name, (*_, said) in files.items()}) == found


def test_another_delimiter(files: dict[str, Named]) -> None:
    path = files[BLOCK][0]
    path.write_text(path.read_text().replace(",", ";") + "s;2;e;1;a;x\n")
    files[BLOCK] = path, ";", "seeds/unique_block.csv"
    assert [one.line for one in failures_of(files)] == [4]


def test_a_table_that_maps_its_columns_takes_any_name(files: dict[str, Named]) -> None:
    append(files, ENTITY, "e,1,unit price,number,false,\n")
    assert failures_of(files) and not failures_of(files, any_name=True)


@pytest.mark.parametrize("folder", ["seeds/mapping", "tests/mapping/mediawiki", "tests/inventory/seeds"])
def test_seeds_that_work(folder: str) -> None:
    assert failures_of({name: (ROOT / folder / f"{name}.csv", ",", name) for name in COLUMNS}) == []


SOURCES = (
    "integer", "bigint", "real", "boolean", "numeric(12,2)", "numeric", "numeric(50,2)", "date", "timestamp(3)", "timestamptz", "time",
    "bytea", "bit(5)", "jsonb", "integer[]", "numeric(8,2)[]", "date[]", "timestamptz[]", "bytea[]", "text[]",
)  # fmt: skip
TARGETS = (
    "smallint", "integer", "double", "boolean", "number", "date", "timestamp", "binary", "string", "time", "map<string, int>",
    "struct<a: int>", "array<string>", "array<bigint>", "array<boolean>", "array<date>", "array<timestamp>", "array<double>",
    "array<decimal(8,2)>", "array<binary>", "array<array<bigint>>",
)  # fmt: skip


def test_what_converts_is_what_spark_casts(spark: Spark) -> None:
    """Against the SQL that mapped models have: Spark takes all of it at once, and refuses what is refused here (a sample)."""
    render, seed = Renderer(), random.randrange(2**32)
    print("seed", seed)

    def casts(source: str, *targets: str) -> str:
        value = render.call("mapping_source_value", source, "field")
        columns = [render.call("mapping_cast", value, described_type(target)) for target in targets]
        return f"select {', '.join(columns)} from (select cast(null as {value['json']}) as field, true as is_typed)"

    refused = [(source, target) for source in SOURCES for target in TARGETS if conversion_of(source, target) == "none"]
    for source in SOURCES:
        spark.session.sql(casts(source, *(target for target in TARGETS if (source, target) not in refused)))
    for source, target in random.Random(seed).sample(refused, 20):
        with pytest.raises(AnalysisException, match="DATATYPE_MISMATCH"):
            spark.session.sql(casts(source, target))


NARROWING = (
    ("bigint", "smallint"), ("integer", "smallint"), ("bigint", "double"), ("numeric(12,2)", "integer"), ("numeric(12,2)", "decimal(10,2)"),
    ("numeric(12,4)", "number_of_two"), ("timestamp", "date"), ("text", "integer"), ("numeric", "decimal(12,2)"), ("bytea", "string"),
)  # fmt: skip
WHOLE = (
    ("smallint", "smallint"), ("integer", "double"), ("integer", "decimal(10,0)"), ("numeric(12,2)", "decimal(14,4)"), ("numeric", "number"),
    ("date", "timestamp"), ("boolean", "integer"), ("mood", "string"), ("timestamptz", "string"), ("numeric(17,0)", "bigint"),
    ("tinyint(2) unsigned", "integer"),
)  # fmt: skip


@pytest.mark.parametrize(("source", "target"), NARROWING)
def test_a_narrowing(source: str, target: str) -> None:
    assert conversion_of(source, "decimal(12,2)" if target == "number_of_two" else target) == "narrowing"


@pytest.mark.parametrize(("source", "target"), WHOLE)
def test_every_value_fits(source: str, target: str) -> None:
    assert conversion_of(source, target) == "whole"


MAPPING = {
    "entities": {
        "e": {"2": [{"name": "day", "data_type": "date", "is_key": False}, {"name": "n", "data_type": "smallint", "is_key": True}]}
    },
    "blocks": {
        "e": {
            "2": [
                {
                    "schema": "s", "versions": [2, 3], "first_version": 1,
                    "elements": [
                        {"attribute": "flag", "data_type": "boolean", "entity_attribute": "day"},
                        {"attribute": "id", "data_type": "bigint", "entity_attribute": "n"},
                    ],
                }
            ]
        }
    },
}  # fmt: skip


def test_elements_that_a_job_has_read() -> None:
    assert [one[:6] for one in converted(MAPPING, "none")] == [("s", 2, "e", 2, "flag", "day")]
    (narrow,) = converted(MAPPING, "narrowing")
    assert narrow[6] == "s version 2 to e: id is bigint, and not every value of it fits n, which is smallint"
    assert narrow[7].startswith("Values that do not fit are null or rounded, with a mapping_error.")


def test_rows_of_the_warehouse_have_the_lines_of_the_seeds(files: dict[str, Named]) -> None:
    row = {
        "seed": BLOCK,
        "schema": "s",
        "version": 1,
        "entity": "e",
        "attribute": None,
        "problem": "p",
        "instead": "i.",
    }
    rows = [row | {"entity_attribute": "x"}, row, row | {"version": 2}, row | {"seed": "elsewhere"}]
    assert told(rows, files) == [
        "seeds/unique_block.csv:3: p. i.", "seeds/unique_block.csv:2: p. i.", "seeds/unique_block.csv: p. i.", "elsewhere: p. i.",
    ]  # fmt: skip


def test_a_build_stops_before_spark_is_asked(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(parts=PARTS)
    blocks = case.path / "seeds/mapping/unique_block.csv"
    lines = len(blocks.read_text().splitlines())
    blocks.write_text(
        blocks.read_text() + "shop.sales.item,1,item,1,colour,name\nshop.sales.item,1,item,1,updated_at,size\n"
    )
    for command in ("build", "seed"):
        outcome = case.dbt(command)
        assert not outcome.success and not outcome.statements
        for sentence in (
            f"seeds/mapping/unique_block.csv:{lines + 1}: shop.sales.item version 1 to item version 1: the schema has no attribute colour",
            f"seeds/mapping/unique_block.csv:{lines + 2}: shop.sales.item version 1 to item version 1: the entity has no attribute size",
        ):
            assert sentence in outcome.text, outcome.text
    assert case.dbt("parse").success


def test_seeds_of_these_names_in_somebody_else_s_project(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case()
    case.put("seeds/unique_block.csv", "block,is_unique\nb1,maybe\n")
    assert case.dbt("seed", "--select", "nothing").success
