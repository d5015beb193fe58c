"""The plans of `plans.txt`: SQL, what Spark 4.2 prints of its analyzed plan, and the findings on it as JSON.

One case after another: `##### name`, the SQL, a blank line, what `explain extended` printed of the analyzed plan, `=>`, the findings.
Occurrences 0 and 2 are `orders` (key `id`), 1 is `cust` (key `id`, of another integer type).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from entrepot.analysis.findings import Findings, findings_of
from entrepot.analysis.from_text import plan_of_text
from entrepot.analysis.rows import Occurrence

FILE = Path(__file__).with_name("plans.txt")
_ORDERS = {
    "id": "int", "cust": "int", "amount": "decimal(10,2)", "d": "date", "tags": "array<string>", "s": "struct<a:int>",
}  # fmt: skip
_CUSTOMER = {"id": "bigint", "name": "string", "region": "string"}
OCCURRENCES = (
    Occurrence("0", "zz.orders", "orders", _ORDERS, ("id",)),
    Occurrence("1", "zz.cust", "cust", _CUSTOMER, ("id",)),
    Occurrence("2", "zz.orders", "orders", _ORDERS, ("id",)),
)


class Case(NamedTuple):
    """A model's SQL, its plan as Spark prints it, and the findings as text."""

    sql: str
    plan: str
    findings: str


def cases() -> dict[str, Case]:
    """The cases by their names."""
    found = {}
    for block in FILE.read_text().split("##### ")[1:]:
        name, sql, rest = block.split("\n", 2)
        plan, _, findings = rest.strip().partition("\n=>\n")
        found[name] = Case(sql, plan, findings)
    return found


def code_of(sql: str) -> str:
    """The SQL without comments and texts."""
    return re.sub(r"(?s)--[^\n]*|/\*.*?\*/|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "''", sql)


def findings_on(sql: str, plan: str) -> Findings:
    """The findings by the front end for text."""
    printed = f"== Analyzed Logical Plan ==\n{plan}\n\n== Optimized Logical Plan ==\n"
    return findings_of(plan_of_text(printed), code_of(sql), OCCURRENCES)


def as_text(findings: Findings) -> str:
    """Findings as JSON, one line for each of its parts."""
    parts = json.loads(findings.to_json()).items()
    return "{\n" + ",\n".join(f' "{part}": {json.dumps(found)}' for part, found in parts) + "\n}"
