"""A model that delta rules maintain, and its configuration, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from entrepot.analysis import Rule, Settings
from entrepot.errors import ModelError
from entrepot.jobs.columns import Columns
from entrepot.jobs.project import Node
from entrepot.sql import is_name, quoted

SchemaChange = Literal["ignore", "fail", "append_new_columns", "sync_all_columns"]


@dataclass(frozen=True, slots=True)
class Model:
    """A model that a job brings up to date.

    Attributes:
        node: its place in the project
        settings: how it is maintained
        sql: its SQL, compiled
        on_schema_change: what is done where its SELECT has other columns than its table
        is_there: whether its relation exists
        is_delta: whether that is a Delta table
        full_refresh: whether it is to be built anew
        scope_always: a condition on changed rows that concern every scope; none for most models
        detail: what the project keeps with its rows; of a mapped model the state of the mapping
        contract: the columns that its enforced contract names, with their types; empty without one
    """

    node: Node
    settings: Settings
    sql: str
    on_schema_change: SchemaChange = "ignore"
    is_there: bool = False
    is_delta: bool = False
    full_refresh: bool = False
    scope_always: str | None = None
    detail: str | None = None
    contract: Columns = ()

    @property
    def relation(self) -> str:
        """The name of its table."""
        return self.node.relation


def settings_of(model: str, config: Mapping[str, Any], language: str = "sql") -> Settings:
    """Return a model's settings by its dbt config.

    Args:
        model: its name
        config: its dbt config
        language: what it is written in, `sql` or `python`

    Raises:
        ModelError: what the delta strategy cannot work with
    """
    keys = tuple(_named(column) for column in as_columns(config.get("unique_key")))
    scope: Mapping[str, Any] = config.get("scope") or {}
    rule, scope_key = config.get("delta_rule"), as_columns(config.get("scope_key")) or keys
    if language != "sql":
        written = f"is written in {language.capitalize()}"
        raise ModelError(model, written, "delta rules read a SELECT", "config(incremental_strategy='merge')")
    if not keys:
        raise ModelError(
            model,
            "has no unique_key",
            "the delta strategy replaces rows by their key",
            "config(unique_key='order_id') or config(unique_key=['order_id', 'line_number'])",
        )
    if config.get("file_format") != "delta":
        given = f"file_format {config['file_format']}" if config.get("file_format") else "no file_format"
        raise ModelError(model, f"has {given}", "the delta strategy needs Delta tables", "config(file_format='delta')")
    if rule and rule not in get_args(Rule):
        accepted = "join, aggregate, scope and full are accepted"
        raise ModelError(model, f"has delta_rule '{rule}'", accepted, "config(delta_rule='join')")
    schema_change_of(model, config)
    for name, columns in scope.items():
        if isinstance(columns, str) or len(columns) != len(scope_key):
            raise ModelError(
                model,
                f"has scope {name}: {columns}",
                f"a list with one upstream column for each of {list(scope_key)} is accepted",
                f"config(scope={{'{name}': [{len(scope_key)} columns]}}, scope_key=[…])",
            )
    return Settings(
        model,
        keys,
        cast("Rule | None", rule or None),
        {name: tuple(columns) for name, columns in scope.items()},
        scope_key,
        bool(config.get("strict")),
        bool(config.get("total_order")),
        bool(config.get("deterministic")),
    )


def _named(column: str) -> str:
    """Return a column of the key as SQL names it, with or without the author's backticks."""
    name = column.strip("`")
    return name if is_name(name) else quoted(name)


def schema_change_of(model: str, config: Mapping[str, Any]) -> SchemaChange:
    """Return what config `on_schema_change` asks for.

    Raises:
        ModelError: nobody knows it
    """
    wanted = config.get("on_schema_change") or "ignore"
    if wanted not in get_args(SchemaChange):
        raise ModelError(
            model,
            f"has on_schema_change '{wanted}'",
            "ignore, fail, append_new_columns and sync_all_columns are accepted",
            "config(on_schema_change='sync_all_columns')",
        )
    return cast("SchemaChange", wanted)


def as_columns(value: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    """Return columns that a config names alone or as a list.

    >>> as_columns("id"), as_columns(["a", "b"]), as_columns(None)
    (('id',), ('a', 'b'), ())
    """
    return (value,) if isinstance(value, str) else tuple(value or ())
