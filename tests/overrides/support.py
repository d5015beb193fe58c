"""What the tests of the overrides share: cases with and without an override, and the statements of one node."""

from __future__ import annotations

import re

from tests.support.dbt_case import DbtCase, Outcome

# Most tests here need no maintenance job around the build, and are faster without.
NO_JOB: dict[str, object] = {"on-run-start": [], "on-run-end": []}


def without(case: DbtCase, override: str) -> DbtCase:
    """Take one override out of a project: what dbt-spark does by itself."""
    (case.path / "macros" / "overrides" / override).unlink()
    return case


def statements(outcome: Outcome, node: str) -> list[str]:
    """The statements sent for one node, such as `seed.entrepot.item`, without comment and line breaks."""
    sent = []
    for sql in outcome.statements:
        comment, _, text = sql.partition("*/")
        if f'"node_id": "{node}"' in comment:
            sent.append(re.sub(r"\s+", " ", text).strip())
    return sent


def properties(case: DbtCase, table: str) -> dict[str, str]:
    """The table properties of a table."""
    return {row.key: row.value for row in case.spark.sql(f"show tblproperties {table}")}
