"""The variable `connectors`: which settings concern a schema, and what is said of settings that do not exist. Needs no Spark."""

from __future__ import annotations

from typing import Any

import pytest
from dbt_common.exceptions import CompilationError

from tests.support.render import Renderer

CONNECTORS = {
    "shop": {"decimal.handling.mode": "string"},
    "shop.eu": {"decimal.handling.mode": "double", "time.precision.mode": "connect"},
    "plant": None,
}


def settings(schema: str, connectors: Any = None) -> Any:
    """What `mapping_settings` finds."""
    return Renderer(var=lambda name, default=None: {"connectors": connectors}.get(name, default)).call(
        "mapping_settings", schema
    )


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ("shop.public.item", CONNECTORS["shop"]),
        ("shop.eu.public.item", CONNECTORS["shop.eu"]),
        ("shopping.public.item", {}),
        ("plant.mes.run", {}),
        ("other.public.item", {}),
    ],
)
def test_settings_of_a_schema(schema: str, expected: dict[str, str]) -> None:
    assert settings(schema, CONNECTORS) == expected


def test_nobody_has_said_any() -> None:
    assert settings("shop.public.item") == {}


@pytest.mark.parametrize(
    ("connectors", "sentence"),
    [
        (
            {"shop": {"decimal.handling.mode": "text"}},
            "decimal.handling.mode is text. It is one of precise, string, double",
        ),
        (
            {"shop": {"snapshot.mode": "never"}},
            "Properties that change how values travel are decimal.handling.mode, time.precision.mode",
        ),
    ],
)
def test_settings_that_do_not_exist(connectors: Any, sentence: str) -> None:
    with pytest.raises(CompilationError) as error:
        settings("plant.mes.run", connectors)
    assert "dbt_project.yml, variable connectors, shop: " in str(error.value)
    assert sentence in str(error.value)
