"""`entrepot verify`: published models against their full recompute."""

from __future__ import annotations

import json
from typing import Any

import click

from entrepot.commands.dbt import run_dbt, sentence_of
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

    All models that delta rules maintain, or those named. Writes nothing; exit code 1 where one differs. The same as
    `dbt run-operation verify`; in CI use the generic test `incremental_equals_full`.

    \b
    entrepot verify fct_order_line mart_sales_daily
    """
    arguments = ["--args", json.dumps({"models": list(models)}), "--vars", json.dumps({"entrepot_verify_rows": rows})]
    result = run_dbt(place, "run-operation", "verify", *arguments)
    if not result.success:
        raise DifferenceError(sentence_of(result), "")
