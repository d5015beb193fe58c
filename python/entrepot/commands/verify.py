"""`entrepot verify`: published models against their full recompute."""

from __future__ import annotations

import json
from typing import Any

import click

from entrepot.errors import EntrepotError


class DifferenceError(EntrepotError):
    """A model is not what its SQL gives, or cannot be compared."""

    exit_code = 1


@click.command()
@click.argument("models", nargs=-1)
@click.option("--rows", default=10, show_default=True, help="How many differing rows to show per model.")
@click.pass_obj
def verify(place: dict[str, Any], models: tuple[str, ...], rows: int) -> None:
    """Compare what is published of models with a full recompute on the versions that they were made from.

    All models that delta rules keep up, or those named. Writes nothing; exit code 1 where one differs. The same as
    `dbt run-operation verify`; in CI use the generic test `incremental_equals_full`.

    \b
    entrepot verify fct_order_line mart_sales_daily
    """
    from dbt.cli.main import dbtRunner

    arguments = ["run-operation", "verify", "--quiet", "--args", json.dumps({"models": list(models)})]
    arguments += ["--vars", json.dumps({"entrepot_verify_rows": rows})]
    for option in ("project_dir", "profiles_dir", "target"):
        if place.get(option):
            arguments += [f"--{option.replace('_', '-')}", str(place[option])]
    result = dbtRunner().invoke(arguments)
    if not result.success:
        raise DifferenceError(_sentence(result), "")


def _sentence(result: Any) -> str:
    """Return what dbt says, without its headings."""
    said = [str(node.message) for node in getattr(result.result, "results", None) or [] if node.message]
    text = str(result.exception) if result.exception is not None else "\n".join(said)
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("> ")]
    return " ".join(
        line for line in lines if not line.endswith("Error") and not line.startswith("Compilation Error in")
    )
