"""What the tests of the overrides share: cases without a job around them, and the statements of one node."""

from __future__ import annotations

import re
from typing import Any

from tests.support.dbt_case import CHANGE_FEED, DbtCase, Outcome

# Most tests here need no maintenance job around the build, and are faster without the adapter's hooks.
NO_HOOKS = {"+enabled": False}
NO_JOB: dict[str, Any] = {
    "models": {"entrepot": {"+tblproperties": CHANGE_FEED, "+schema": "marts"}, "dbt_entrepot": NO_HOOKS},
}


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
