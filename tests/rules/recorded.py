"""What Spark's plan says of the constructs, recorded: `tests/analysis/test_random_plans.py` compares it with Spark."""

from __future__ import annotations

import json
from pathlib import Path

from entrepot.analysis import Findings

FILE = Path(__file__).parent / "findings.json"


def recorded_findings() -> dict[str, Findings]:
    """Findings by construct."""
    told = {name: Findings.from_json(json.dumps(found)) for name, found in json.loads(FILE.read_text()).items()}
    return {name: found for name, found in told.items() if found is not None}


def record(findings: dict[str, Findings]) -> None:
    """Write them, one construct a line."""
    lines = [f"{json.dumps(name)}: {found.to_json()}" for name, found in findings.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
