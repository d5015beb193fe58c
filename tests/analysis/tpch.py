"""TPC-H's 22 queries as models (`tpch.sql`), their plans as Spark prints them (`tpch_plans.txt`), and the verdicts on them."""

from __future__ import annotations

from pathlib import Path

from entrepot.analysis import Findings, Occurrence, Settings, Verdict, verdict_of
from entrepot.analysis.findings import findings_by_text
from entrepot.sql import (
    TableName,
    code_only,
    mark_mentions,
    numbered_mentions,
    union_branches,
    with_texts_masked,
)

QUERIES = Path(__file__).with_name("tpch.sql")
PLANS = Path(__file__).with_name("tpch_plans.txt")
_MONEY = "decimal(15,2)"
_OF_LINES = dict.fromkeys(("l_quantity", "l_extendedprice", "l_discount", "l_tax"), _MONEY)
_OF_LINES |= dict.fromkeys(("l_returnflag", "l_linestatus"), "string")
_OF_LINES |= dict.fromkeys(("l_shipdate", "l_commitdate", "l_receiptdate"), "date")
_OF_LINES |= dict.fromkeys(("l_shipinstruct", "l_shipmode", "l_comment"), "string")
# columns by table, the key first
TABLES = {
    "part": {
        "p_partkey": "bigint", "p_name": "string", "p_mfgr": "string", "p_brand": "string", "p_type": "string", "p_size": "int",
        "p_container": "string", "p_retailprice": _MONEY, "p_comment": "string",
    },
    "supplier": {
        "s_suppkey": "bigint", "s_name": "string", "s_address": "string", "s_nationkey": "bigint", "s_phone": "string",
        "s_acctbal": _MONEY, "s_comment": "string",
    },
    "partsupp": {
        "ps_partkey": "bigint", "ps_suppkey": "bigint", "ps_availqty": "int", "ps_supplycost": _MONEY, "ps_comment": "string",
    },
    "customer": {
        "c_custkey": "bigint", "c_name": "string", "c_address": "string", "c_nationkey": "bigint", "c_phone": "string",
        "c_acctbal": _MONEY, "c_mktsegment": "string", "c_comment": "string",
    },
    "orders": {
        "o_orderkey": "bigint", "o_custkey": "bigint", "o_orderstatus": "string", "o_totalprice": _MONEY, "o_orderdate": "date",
        "o_orderpriority": "string", "o_clerk": "string", "o_shippriority": "int", "o_comment": "string",
    },
    "lineitem": {
        "l_orderkey": "bigint", "l_linenumber": "int", "l_partkey": "bigint", "l_suppkey": "bigint", **_OF_LINES,
    },
    "nation": {"n_nationkey": "bigint", "n_name": "string", "n_regionkey": "bigint", "n_comment": "string"},
    "region": {"r_regionkey": "bigint", "r_name": "string", "r_comment": "string"},
}  # fmt: skip
NAMES = [TableName("tpch", name) for name in TABLES]
_OF_TWO = ("partsupp", "lineitem")


def queries() -> dict[str, str]:
    """The queries by their numbers."""
    return dict(map(_block, QUERIES.read_text().split("##### ")[1:]))


def plans() -> dict[str, str]:
    """What Spark prints, by the numbers of the queries."""
    return dict(map(_block, PLANS.read_text().split("##### ")[1:]))


def explained(sql: str) -> str:
    """A query as Spark is asked for its plan."""
    return with_texts_masked(mark_mentions(sql, NAMES))


def occurrences(sql: str) -> list[Occurrence]:
    """The namings of the tables in a query."""
    return [
        Occurrence(
            str(number), f"tpch.{table.identifier}", table.identifier, TABLES[table.identifier],
            tuple(TABLES[table.identifier])[: 2 if table.identifier in _OF_TWO else 1],
        )
        for number, table in enumerate(numbered_mentions(sql, NAMES))
    ]  # fmt: skip


def findings(sql: str, plan: str) -> Findings:
    """What a printed plan says of a query."""
    printed = f"== Analyzed Logical Plan ==\n{plan}\n\n== Optimized Logical Plan ==\n"
    return findings_by_text(printed, sql, code_only(sql), occurrences(sql), explained(sql))


def verdict(sql: str, found: Findings) -> Verdict:
    """The verdict on a query."""
    branches = union_branches(sql)
    return verdict_of(Settings("query"), occurrences(sql), found, None if branches is None else len(branches))


def _block(block: str) -> tuple[str, str]:
    name, text = block.split("\n", 1)
    return name, text.strip()
