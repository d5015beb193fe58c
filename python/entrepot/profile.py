"""A target of profiles.yml without dbt, where its texts are so plain that dbt could read nothing else in them.

dbt takes a second to import, and more to load an adapter's credentials. Most profiles need none of it: their texts are plain, or ask for
environment variables. Whatever goes beyond that is left to dbt (`entrepot.target.load_target`), errors too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, TemplateError, nodes

WAREHOUSE = "spark.sql.warehouse.dir"
TYPES = ("entrepot", "spark")
# dbt hides variables of these names, or puts them in later
DBTS_OWN = ("DBT_ENV_SECRET", "DBT_ENV_PRIVATE")
# what the engine relies on in every session, whatever the profile says
ALWAYS = {
    # Delta would refuse to read a version that was committed longer ago than the table's retention, even one that was the
    # newest until a moment ago and is complete; what may be incomplete we see from the history
    "spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration": "false",
    # Spark skips batches of tables in memory by their smallest and largest values, for which NaN does not count:
    # `x > 1` would lose rows with NaN
    "spark.sql.inMemoryColumnarStorage.partitionPruning": "false",
    # Delta hands rows of a change feed on through Java's types: these are exact for every day and moment, the older ones are not
    "spark.sql.datetime.java8API.enabled": "true",
    # Delta would answer the largest date of a whole table from its statistics, and fails at it with those types
    "spark.databricks.delta.optimizeMetadataQuery.enabled": "false",
    # Spark would write moments as days and nanoseconds (INT96), which readers other than Spark count in 64 bits: 9999-12-31
    # is 1816 for them
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Spark spreads single partitions that it thinks large, and of rows in memory or behind a few joins it thinks wildly: small tables
    # are read in one partition (`entrepot.spark.files`) so that nothing has to be exchanged
    "spark.sql.maxSinglePartitionBytes": "1024p",
    # Delta would list all files of a table in each commit's checksum file, which Delta on Spark never reads, and work them out by a job
    # of Spark's for each table that is made, and behind each commit that is not Spark's
    "spark.databricks.delta.allFilesInCrc.enabled": "false",
    # plans are read by the analyzer, which needs all columns of them
    "spark.sql.debug.maxToStringFields": "100000",
}
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class PlainTarget:
    """What a target says of the place of its warehouse.

    Attributes:
        name: the target's name
        schema: the profile's schema
        warehouse: `spark.sql.warehouse.dir`
        settings: all settings of a Spark in dbt's process (method `session`), with ours; none where only dbt knows them
    """

    name: str
    schema: str
    warehouse: str
    settings: Mapping[str, str] | None = None


def with_ours(settings: Mapping[str, Any], ansi: bool) -> dict[str, Any]:
    """Return a profile's settings of Spark, with those that every session has; `ansi` says whether casts that fail are errors."""
    return {**settings, **ALWAYS, "spark.sql.ansi.enabled": str(ansi).lower()}


class _NotPlainError(Exception):
    """Only dbt knows what a text means."""


def plain_target(project: Path, profiles: Path, target: str | None) -> PlainTarget | None:
    """Return a target; None where it has to be read by dbt, because of a text that is not plain, or of an error.

    Args:
        project: the dbt project's folder
        profiles: the folder of profiles.yml
        target: the target's name; the profile's default when None
    """
    try:
        name = _rendered(_mapping(_loaded(project / "dbt_project.yml"))["profile"])
        profile = _mapping(_mapping(_loaded(profiles / "profiles.yml"))[name])
        chosen = target or _rendered(profile.get("target", "default"))
        output = _mapping(_mapping(profile["outputs"])[chosen])
        settings = _mapping(output["server_side_parameters"])
        if _rendered(output["type"]) not in TYPES:
            return None
        return PlainTarget(chosen, _rendered(output["schema"]), _rendered(settings[WAREHOUSE]), _settings(output))
    except (_NotPlainError, KeyError, OSError, UnicodeError, yaml.YAMLError, TemplateError):
        return None


def _settings(output: Mapping[str, Any]) -> Mapping[str, str] | None:
    """Return all settings of Spark of a target of ours whose Spark is in dbt's process; none where one is not plain."""
    ansi = output.get("ansi", False)
    if (output["type"], output.get("method")) != ("entrepot", "session") or not isinstance(ansi, bool):
        return None
    try:
        return with_ours({key: _rendered(value) for key, value in output["server_side_parameters"].items()}, ansi)
    except (_NotPlainError, TemplateError):
        return None


def _loaded(path: Path) -> Any:
    return yaml.load(path.read_bytes().decode("utf-8"), LOADER)


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _NotPlainError
    return value


def _rendered(value: Any) -> str:
    """Return a text as dbt renders it."""
    if not isinstance(value, str):
        raise _NotPlainError
    environment = Environment()
    if not all(map(_is_plain, environment.parse(value).body)):
        raise _NotPlainError
    return environment.from_string(value).render(env_var=_env_var)


def _is_plain(part: nodes.Node) -> bool:
    """Whether a part of a template is text and calls of `env_var` with literal texts."""
    return isinstance(part, nodes.Output) and all(
        isinstance(one, nodes.TemplateData) or _is_env_var(one) for one in part.nodes
    )


def _is_env_var(call: nodes.Node) -> bool:
    return (
        isinstance(call, nodes.Call)
        and isinstance(call.node, nodes.Name)
        and call.node.name == "env_var"
        and not (call.kwargs or call.dyn_args or call.dyn_kwargs)
        and len(call.args) in (1, 2)
        and all(isinstance(one, nodes.Const) and isinstance(one.value, str) for one in call.args)
    )


def _env_var(name: str, default: str | None = None) -> str:
    """Return an environment variable, or its default, as dbt's function does."""
    value = os.environ.get(name, default)
    if value is None or name.startswith(DBTS_OWN):
        raise _NotPlainError
    return value
