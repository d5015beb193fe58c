"""Contracts of models that delta rules maintain: whether the columns of a table are those that its contract names (decision 48)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from entrepot.errors import ModelError
from entrepot.jobs.columns import Columns, column_differences
from entrepot.jobs.model import Model
from entrepot.jobs.new_columns import stored_columns
from entrepot.jobs.state import Job
from entrepot.sql import quoted


def contract_of(model: Mapping[str, Any]) -> Columns:
    """Return the columns that a model's enforced contract names and their types, as dbt has the model; none without one.

    >>> contract_of({"config": {"contract": {"enforced": True}}, "columns": {"n": {"name": "n", "data_type": "int"}}})
    [('n', 'int')]
    """
    if not ((model["config"].get("contract") or {}).get("enforced")):
        return []
    return [(column["name"], str(column.get("data_type") or "")) for column in model["columns"].values()]


def check_contract(job: Job, model: Model, columns: Columns) -> None:
    """Refuse a model whose rows have other columns than its contract says. Nothing is asked of Spark where types are spelled as Spark has them.

    A table that is made anew is checked by dbt, when it is made.

    Args:
        job: the job
        model: the model
        columns: the columns that its table is to have, where they are others than it has; empty where it keeps those

    Raises:
        ModelError: they are not those of the contract
    """
    have, promised = columns or stored_columns(job, model.relation), model.contract
    if not have or _same(have, promised):
        return
    # `integer` is int, `decimal` is decimal(10,0): Spark says so
    promised = job.query_columns(
        "select " + ", ".join(f"cast(null as {type_}) as {quoted(name)}" for name, type_ in promised)
    )
    if _same(have, promised):
        return
    raise ModelError(
        model.node.name,
        f"has a contract of other columns than its rows have ({column_differences(have, promised)})",
        "an enforced contract names all columns of the SELECT and their types",
        f"correct the SELECT, or data_type in its YAML; then dbt build --select {model.node.name} --full-refresh where a type has changed",
    )


def _same(some: Columns, others: Columns) -> bool:
    return _in_any_order(some) == _in_any_order(others)


def _in_any_order(columns: Columns) -> list[tuple[str, str]]:
    return sorted((name.lower(), type_.lower().replace(" ", "")) for name, type_ in columns)
