"""Capture by extracts: files whose differences become changes; what is null, what is refused, and what is missed."""

from __future__ import annotations

import csv
import gzip
import json
import os
import random
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

from recorder.captures import journal as module
from recorder.captures.journal import Journal
from tests.record import workload
from tests.record.sources import events, refused, replayed, run

Rows = list[dict[str, Any]]
Take = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "it.jsonl"


def arguments(file: Path, out: Path, *more: object) -> list[object]:
    return ["extract", file, "--prefix", "it", "--table", "legacy.part", "--out", out, *more]


def take(file: Path, out: Path, *more: object) -> list[tuple[Any, ...]]:
    """Take an extract; returns what has been added."""
    before = len(events(out))
    run(*arguments(file, out, *more))
    return [event.short for event in events(out)[before:]]


def written(path: Path, text: str) -> Path:
    path.write_text(text, newline="")
    return path


def test_differences_by_key(tmp_path: Path, out: Path) -> None:
    first = written(tmp_path / "1.csv", "id,name,price\n1,bolt,1.10\n2,nut,\n3,rod,5\n")
    options = ("--key", "id", "--type", "id=integer", "--type", "price=numeric(12,2)")
    assert take(first, out, *options) == [
        ("r", 1, "bolt", Decimal("1.10")), ("r", 2, "nut", None), ("r", 3, "rod", Decimal("5.00")),
    ]  # fmt: skip
    assert take(first, out, *options) == []
    second = written(tmp_path / "2.csv", 'id,name,price\r\n3,rod,5.00\r\n2,nut,0\r\n4,"a,b\nc""d",\r\n')
    assert take(second, out, *options) == [
        ("u", 2, "nut", 0),
        ("c", 4, 'a,b\nc"d', None),
        ("d", 1, "bolt", Decimal("1.10")),
    ]
    found = events(out)
    assert found[3].before == {"id": 2, "name": "nut", "price": None}
    assert found[3].key == {"id": 2}
    sources = [event.source for event in found]
    assert {(s["connector"], s["name"], s["db"], s["schema"], s["table"]) for s in sources} == {
        ("entrepot-extract", "it", None, "legacy", "part")
    }
    # the position is the extract's time, and rows are told apart by their place in it
    assert [s["lsn"] for s in sources[:3]] == [first.stat().st_mtime_ns // 1000] * 3
    assert sources[0]["ts_us"] == sources[0]["lsn"] and sources[3]["lsn"] > sources[0]["lsn"]
    assert [event.transaction and event.transaction["total_order"] for event in found] == [1, 2, 3, 1, 2, 3]
    assert replayed(found).keys() == {(2,), (3,), (4,)}


def test_rows_without_a_key_are_counted(tmp_path: Path, out: Path) -> None:
    take(written(tmp_path / "1.csv", "a,b\nx,1\nx,1\ny,2\nx,1\nx,1\n"), out)
    assert take(written(tmp_path / "2.csv", "a,b\ny,2\nx,1\ny,2\nx,1\nx,2\nx,1\n"), out) == [
        ("c", "y", "2"), ("c", "x", "2"), ("d", "x", "1"),
    ]  # fmt: skip
    assert {event.key is None for event in events(out)} == {True}


def test_null_and_empty(tmp_path: Path, out: Path) -> None:
    """Python's csv does not tell a quoted empty field: what is null is one text, the empty one by default."""
    text = 'id,a\n1,\n2,""\n3,\\N\n4,NULL\n'
    take(written(tmp_path / "1.csv", text), out, "--key", "id")
    assert [event.after and event.after["a"] for event in events(out)] == [None, None, "\\N", "NULL"]
    assert take(tmp_path / "1.csv", out, "--key", "id", "--null", "\\N") == [
        ("u", "1", ""), ("u", "2", ""), ("u", "3", None),
    ]  # fmt: skip
    assert take(written(tmp_path / "2.csv", "id,a\n1,\n2,\n4,NULL\n"), out, "--key", "id", "--null", "\\N") == [
        ("d", "3", None)
    ]


def test_ways_to_write_a_csv(tmp_path: Path, out: Path) -> None:
    content = "id\tname\n1\t\u00e4\n\n".encode("latin-1")
    (tmp_path / "1.csv.gz").write_bytes(gzip.compress(content))
    options = ("--delimiter", "\\t", "--encoding", "latin-1", "--key", "id", "--at", "2026-03-01T10:00:00")
    assert take(tmp_path / "1.csv.gz", out, *options) == [("r", "1", "ä")]
    assert events(out)[0].source["ts_ms"] == 1772359200000
    (tmp_path / "2.csv").write_bytes("\ufeffid;name\n1;ä\n".encode())
    assert take(tmp_path / "2.csv", out, "--delimiter", ";", "--key", "id") == []


def test_columns_that_come_and_change_their_types(tmp_path: Path, out: Path) -> None:
    key = ("--key", "id")
    take(written(tmp_path / "1.csv", "id,price\n1,1.25\n2,2.50\n"), out, *key, "--type", "price=numeric(5,2)")
    # the same number of other digits looks alike on the wire, and is another value
    second = written(tmp_path / "2.csv", "id,price\n1,0.125\n2,2.500\n")
    assert take(second, out, *key, "--type", "price=numeric(5,3)") == [
        ("u", "1", Decimal("0.125")),
        ("u", "2", Decimal("2.5")),
    ]
    assert events(out)[-1].before == {"id": "2"}
    third = written(tmp_path / "3.csv", "price,id,more\n0.125,1,x\n2.500,2,\n")
    assert take(third, out, *key, "--type", "price=numeric(5,3)") == [
        ("u", Decimal("0.125"), "1", "x"), ("u", Decimal("2.5"), "2", None),
    ]  # fmt: skip
    assert events(out)[-1].before == {"price": Decimal("2.5"), "id": "2"}


def test_the_order_of_columns_is_no_change(tmp_path: Path, out: Path) -> None:
    keyed, counted = out, out.with_name("counted.jsonl")
    first = written(tmp_path / "1.csv", "id,a,b\n1,x,y\n2,x,z\n")
    take(first, keyed, "--key", "id")
    take(first, counted)
    second = written(tmp_path / "2.csv", "b,id,a\ny,1,x\nz,2,w\n")
    assert take(second, keyed, "--key", "id") == [("u", "2", "w", "z")]
    assert take(second, counted) == [("c", "2", "w", "z"), ("d", "2", "x", "z")]
    third = written(tmp_path / "3.csv", "id,a,b\n1,x,y\n2,x,z\n")
    assert take(third, keyed, "--key", "id") == [("u", "2", "x", "z")]


def test_an_output_that_was_archived_is_begun_anew(tmp_path: Path, out: Path) -> None:
    """What comes next is what has changed since then, with deletes."""
    take(written(tmp_path / "1.csv", "id,a\n1,x\n2,y\n"), out, "--key", "id")
    out.rename(tmp_path / "archived.jsonl")
    assert take(tmp_path / "1.csv", out, "--key", "id") == []
    assert not out.exists()
    assert take(written(tmp_path / "2.csv", "id,a\n1,z\n"), out, "--key", "id") == [("u", "1", "z"), ("d", "2", "y")]
    positions = [event.source["lsn"] for path in (tmp_path / "archived.jsonl", out) for event in events(path)]
    assert positions == sorted(positions) and len(set(positions)) == 2


def test_rows_that_are_missing_are_counted_of_those_that_were_there(tmp_path: Path, out: Path) -> None:
    """Not of those that are new: another table's file has more of them."""
    key = ("--key", "id")
    take(written(tmp_path / "1.csv", "id\n" + "".join(f"{number}\n" for number in range(10))), out, *key)
    other = written(tmp_path / "2.csv", "id\n" + "".join(f"{number}\n" for number in range(100, 111)))
    assert "lacks 10 of the 10 rows of the extract before" in refused(*arguments(other, out, *key))
    half = written(tmp_path / "3.csv", "id\n" + "".join(f"{number}\n" for number in (0, 1, 2, 3, 100, 101)))
    assert "lacks 6 of the 10 rows" in refused(*arguments(half, out, *key))
    assert len(take(half, out, *key, "--most-deletes", 0.6)) == 2 + 6


def test_keys_that_no_record_can_carry(tmp_path: Path, out: Path) -> None:
    file = written(tmp_path / "1.csv", "k,note\nNaN,a\nInfinity,b\n1,c\n")
    said = run(*arguments(file, out, "--key", "k", "--type", "k=numeric"))
    assert "legacy.part: 1 change of a row with NaN in key column 'k', which no record can carry" in said
    assert [event.key for event in events(out)] == [{"k": None}, {"k": None}, {"k": Decimal(1)}]
    assert take(file, out, "--key", "k", "--type", "k=numeric") == []


def test_parquet_with_columns_that_would_get_other_names(tmp_path: Path, out: Path) -> None:
    """DuckDB calls the second one of `Name` and `name` `name_1`."""
    file, ones = tmp_path / "1.parquet", pyarrow.array([1])
    for names, words in (
        (["id", "Name", "name"], "Columns 'Name' and 'name' of"),
        (["v", "id", "v"], "Columns 'v' and 'v' of"),
    ):
        pyarrow.parquet.write_table(pyarrow.Table.from_arrays([ones] * 3, names), file)
        assert words in refused(*arguments(file, out, "--key", "id"))
    fields = pyarrow.StructArray.from_arrays([ones, ones], ["Id", "x"])
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays([fields, ones], ["nested", "id"]), file)
    assert take(file, out, "--key", "id") == [("r", {"Id": 1, "x": 1}, 1)]


def test_parquet(tmp_path: Path, out: Path) -> None:
    """Types come from the file; every digit is kept."""
    file = tmp_path / "1.parquet"
    select = """select 1::integer as id, 12345678901234567890.12::decimal(38,2) as n, 18446744073709551615::ubigint as u,
        timestamp '2026-03-01 10:11:12.123456' as at, timestamptz '2026-03-01 10:11:12.5+01' as zoned, date '0999-01-01' as day,
        '2026-03-01 10:11:12.123456789'::timestamp_ns as nanos, '\\x00\\xff'::blob as raw, ['a"b', null, ''] as tags,
        [1.10::decimal(5,2), null] as prices, {'a': 1, 'b': [2]} as doc, 'NaN'::double as d, 'x' as "it's \"\"odd %"
    """
    duckdb.sql(f"copy ({select} union all by name select 2::integer as id) to '{file}'")
    take(file, out, "--key", "id")
    first, second = (event.after for event in events(out))
    assert first is not None and second is not None
    assert first["n"] == Decimal("12345678901234567890.12")
    assert first["u"] == Decimal(2**64 - 1)
    assert (first["at"].isoformat(), first["zoned"].isoformat()) == (
        "2026-03-01T10:11:12.123456",
        "2026-03-01T09:11:12.500000+00:00",
    )
    assert (first["day"].isoformat(), first["nanos"], first["raw"]) == ("0999-01-01", 1772359872123456789, b"\0\xff")
    assert (first["tags"], first["prices"]) == (['a"b', None, ""], [Decimal("1.10"), None])
    assert (first["doc"], first["d"]) == ({"a": 1, "b": [2]}, "NaN")
    assert set(second.values()) == {2, None}
    assert events(out)[0].types["nanos"]["name"] == "io.debezium.time.NanoTimestamp"
    assert take(file, out, "--key", "id") == []
    duckdb.sql(f"copy (select * replace (3::integer as id) from '{file}' where id = 1) to '{tmp_path / '2.parquet'}'")
    again = take(tmp_path / "2.parquet", out, "--key", "id", "--most-deletes", 1)
    assert [change[:2] for change in again] == [("c", 3), ("d", 1), ("d", 2)]


def test_extracts_that_are_refused(tmp_path: Path, out: Path) -> None:
    key = ("--key", "id", "--type", "id=integer")
    good = written(tmp_path / "good.csv", "id,name\n1,a\n2,b\n3,c\n")
    take(good, out, *key)
    before = (out.read_bytes(), len(events(out)))

    def expect(content: str | bytes, *words: str, options: tuple[object, ...] = key, name: str = "bad.csv") -> None:
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        said = refused(*arguments(tmp_path / name, out, *options))
        assert all(word in said for word in words), said
        assert out.read_bytes() == before[0]

    expect("id,name\n1,a\n", "lacks 2 of the 3 rows", "--most-deletes 1")
    expect("id,name\n", "lacks 3 of the 3 rows")
    expect("", "The first line of", "is []")
    expect("id,id\n1,2\n", "each by another name")
    expect("id,name\n1\n", "Line 2 of", "has 1 fields", "names 2")
    expect("id,name\n1,a\n1,b\n", "Row 2 of", 'has the key {"id":1}, as a row before it')
    expect("id,name\n,a\n", "'id' belongs to the key and is null")
    expect("id,name\nx,a\n", "Row 1 of", "column 'id' holds 'x', which is no integer")
    expect('id,name\n1,"a\n', "cannot be read", "--delimiter")
    expect(b"id,name\n1,\xe4\n", "cannot be read", "--encoding")
    expect(b"not gzip", "cannot be read", name="bad.csv.gz")
    expect(b"PAR1 or not", "The Parquet file", name="bad.parquet", options=("--key", "id"))
    expect("id\n1\n", "says its types itself", name="bad.parquet")
    expect("number,name\n1,a\n", "has no column 'id'", "number, name", options=("--key", "id"))
    expect("number,name\n1,a\n", "has no column 'id', of which a type was given")
    expect("id,name\n1,a\n", "whose key is '[\"id\"]'", options=())
    expect("id,name\n1,a\n", "is not known: write it as PostgreSQL does", options=("--type", "id=integre"))
    expect("id,name\n1,a\n", "is not column=type", options=("--type", "id"))
    expect("id,name\n1,a\n", "is not one character", options=("--delimiter", ";;"))
    expect("id,name\n1,a\n", "extracts have to come in their order", options=(*key, "--at", "2020-01-01"))
    said = refused("extract", good, "--prefix", "it", "--table", "part", "--out", out)
    assert "write schema.table" in said
    assert "cannot be read (No such file" in refused(*arguments(tmp_path / "missing.csv", out))
    duckdb.sql(f"copy (select 1 as id) to '{tmp_path / 'fine.parquet'}'")
    assert take(written(tmp_path / "2.csv", "id,name\n2,b\n3,c\n"), out, *key) == [("d", 1, "a")]


def test_a_file_that_changes_while_it_is_read(tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "1.csv", "id\n1\n")
    append = Journal.remember

    def late(self: Journal, name: str, value: str) -> None:
        with file.open("a") as more:
            more.write("2\n")
        append(self, name, value)

    monkeypatch.setattr(Journal, "remember", late)
    assert "has changed while it was read" in refused(*arguments(file, out))
    assert not out.exists()


def test_missed_between_two_extracts(tmp_path: Path, out: Path) -> None:
    """What happened in between is told as one difference; without a key an update is a delete and an insert."""
    take(written(tmp_path / "1.csv", "id,name\n1,a\n2,b\n3,c\n"), out)
    assert take(written(tmp_path / "2.csv", "id,name\n1,z\n2,b\n3,c\n"), out) == [("c", "1", "z"), ("d", "1", "a")]


@pytest.mark.campaign
def test_random_extracts_are_replayed(tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Extracts of a random table, in either format, and runs that end anywhere: the events lead to the last extract."""
    generator = random.Random(workload.seed())
    keyed = generator.random() < 0.7
    rows: dict[int, tuple[str, str]] = {}
    real_write = os.write

    class Killed(BaseException):
        pass

    def torn(descriptor: int, data: Any) -> int:
        if generator.random() < 0.2:
            real_write(descriptor, data[: generator.randrange(len(data) + 1)])
            raise Killed
        return real_write(descriptor, data)

    monkeypatch.setattr(module.os, "write", torn)
    for number in range(int(os.environ.get("ENTREPOT_TEST_JOBS", "4")) * 5):
        for _ in range(generator.randrange(8)):
            if rows and generator.random() < 0.4:
                del rows[generator.choice(list(rows))]
            rows[generator.randrange(20)] = (generator.choice(["", "a", 'b,"\n']), generator.choice("xyz"))
        table = [{"id": str(key) if keyed else "0", "a": a or None, "b": b} for key, (a, b) in rows.items()]
        generator.shuffle(table)
        file = tmp_path / f"{number}.{generator.choice(['csv', 'parquet'])}"
        write(file, table)
        options: list[object] = ["--most-deletes", 1, *(["--key", "id"] if keyed else [])]
        while True:
            try:
                run(*arguments(file, out, *options))
                break
            except Killed:
                continue
        found = events(out)
        if keyed:
            assert replayed(found) == {(row["id"],): row for row in table}
        else:
            counted: Counter[str] = Counter()
            for event in found:
                counted[json.dumps(event.after or event.before, sort_keys=True)] += -1 if event.op == "d" else 1
            assert +counted == Counter(json.dumps(row, sort_keys=True) for row in table)


def write(file: Path, table: Rows) -> None:
    """A table as CSV or Parquet, by the name of the file."""
    text = file.with_suffix(".csv")
    with text.open("w", newline="") as opened:
        writer = csv.DictWriter(opened, ["id", "a", "b"])
        writer.writeheader()
        writer.writerows(table)
    if file.suffix == ".parquet":
        duckdb.sql(f"copy (from read_csv('{text}', all_varchar = true, header = true)) to '{file}'")
