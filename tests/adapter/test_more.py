"""Descriptions, contracts, seeds, stored failures."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.adapter.constraints.fixtures import model_schema_yml
from dbt.tests.adapter.constraints.test_constraints import (
    BaseConstraintsRollback,
    BaseIncrementalConstraintsColumnsEqual,
    BaseIncrementalConstraintsRollback,
    BaseTableConstraintsColumnsEqual,
    BaseViewConstraintsColumnsEqual,
)
from dbt.tests.adapter.persist_docs.test_persist_docs import BasePersistDocs, BasePersistDocsColumnMissing
from dbt.tests.adapter.simple_seed.test_seed import (
    BaseSimpleSeedEnabledViaConfig,
    BaseTestEmptySeed,
)
from dbt.tests.adapter.store_test_failures_tests.basic import StoreTestFailuresAsInteractions
from dbt.tests.adapter.store_test_failures_tests.test_store_test_failures import BaseStoreTestFailures

pytestmark = pytest.mark.long


def comments(project: Any, relation: str) -> dict[str, str]:
    """The stored comments of a relation by column; `Comment` is its own. dbt-spark's catalog has none of them."""
    rows = project.run_sql(f"describe extended {project.test_schema}.{relation}", fetch="all")
    columns = {row[0]: row[2] for row in rows if row[2]}
    return columns | {row[0]: row[1] for row in rows if row[0] == "Comment"}


class TestPersistDocs(BasePersistDocs):
    def test_has_comments_pglike(self, project: Any) -> None:
        # the original reads dbt's catalog
        table, view = comments(project, "table_model"), comments(project, "view_model")
        assert table["Comment"].startswith("Table model description")
        assert table["name"].startswith("Some stuff here and then a call to")
        assert view["Comment"].startswith("View model description")
        self._assert_common_comments(table["Comment"], table["id"], table["name"], view["Comment"], view["id"])
        assert comments(project, "no_docs_model") == {}


class TestPersistDocsColumnMissing(BasePersistDocsColumnMissing):
    def test_missing_column(self, project: Any) -> None:
        # the original reads dbt's catalog
        assert comments(project, "missing_column")["id"].startswith("test id column description")


class SparkTypes:
    """Contracts in Spark's types, in lower case, as Spark says them in errors."""

    @pytest.fixture(scope="class")
    def properties(self) -> dict[str, str]:
        # Spark has no type text; comes after the original's file of the same name
        return {"constraints_schema.yml": model_schema_yml.replace("data_type: text", "data_type: string")}

    @pytest.fixture
    def string_type(self) -> str:
        return "string"

    @pytest.fixture
    def int_type(self) -> str:
        return "int"

    @pytest.fixture
    def data_types(self, int_type: str, string_type: str) -> list[list[str]]:
        # column, type of the contract, type in the error: the original's have casts by `::`
        return [
            ["1", int_type, int_type],
            ["'1'", string_type, string_type],
            ["true", "boolean", "boolean"],
            ["timestamp '2013-11-03 00:00:00'", "timestamp", "timestamp"],
            ["array(1, 2, 3)", "array<int>", "array<int>"],
            ["cast(1 as decimal(10, 2))", "decimal(10, 2)", "decimal(10,2)"],
        ]


class TestTableConstraintsColumnsEqual(SparkTypes, BaseTableConstraintsColumnsEqual):
    pass


class TestViewConstraintsColumnsEqual(SparkTypes, BaseViewConstraintsColumnsEqual):
    pass


class TestIncrementalConstraintsColumnsEqual(SparkTypes, BaseIncrementalConstraintsColumnsEqual):
    pass


class DeltaErrors:
    """What Delta says where a contract's constraint is violated."""

    @pytest.fixture(scope="class")
    def properties(self) -> dict[str, str]:
        # Spark has no type text
        return {"constraints_schema.yml": model_schema_yml.replace("data_type: text", "data_type: string")}

    @pytest.fixture(scope="class")
    def expected_error_messages(self) -> list[str]:
        return ["DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", "violated by row with values"]


class TestConstraintsRollback(DeltaErrors, BaseConstraintsRollback):
    pass


class TestIncrementalConstraintsRollback(DeltaErrors, BaseIncrementalConstraintsRollback):
    pass


class TestSeedEnabledViaConfig(BaseSimpleSeedEnabledViaConfig):
    pass


class TestEmptySeed(BaseTestEmptySeed):
    pass


class TestStoreTestFailuresInteractions(StoreTestFailuresAsInteractions):
    pass


class TestStoreTestFailures(BaseStoreTestFailures):
    pass
