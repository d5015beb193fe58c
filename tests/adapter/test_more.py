"""Descriptions, contracts, seeds, stored failures."""

from __future__ import annotations

import pytest
from dbt.tests.adapter.constraints.test_constraints import (
    BaseConstraintsRollback,
    BaseIncrementalConstraintsColumnsEqual,
    BaseIncrementalConstraintsRollback,
    BaseTableConstraintsColumnsEqual,
    BaseViewConstraintsColumnsEqual,
)
from dbt.tests.adapter.persist_docs.test_persist_docs import BasePersistDocs, BasePersistDocsColumnMissing
from dbt.tests.adapter.simple_seed.test_seed import (
    BaseSeedConfigFullRefreshOn,
    BaseSimpleSeedEnabledViaConfig,
    BaseTestEmptySeed,
)
from dbt.tests.adapter.store_test_failures_tests.basic import StoreTestFailuresAsInteractions
from dbt.tests.adapter.store_test_failures_tests.test_store_test_failures import BaseStoreTestFailures

pytestmark = pytest.mark.campaign


class TestPersistDocs(BasePersistDocs):
    pass


class TestPersistDocsColumnMissing(BasePersistDocsColumnMissing):
    pass


class SparkTypes:
    """Contracts in Spark's types."""

    @pytest.fixture
    def string_type(self) -> str:
        return "STRING"

    @pytest.fixture
    def int_type(self) -> str:
        return "INT"

    @pytest.fixture
    def data_types(self, int_type: str, string_type: str) -> list[list[str]]:
        # column, type of the contract, type in the error: the original's have casts by `::`
        return [
            ["1", int_type, int_type],
            ["'1'", string_type, string_type],
            ["true", "boolean", "BOOLEAN"],
            ["timestamp '2013-11-03 00:00:00'", "timestamp", "TIMESTAMP"],
            ["array(1, 2, 3)", "array<int>", "ARRAY<INT>"],
            ["cast(1 as decimal(10, 2))", "decimal(10, 2)", "DECIMAL(10,2)"],
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
    def expected_error_messages(self) -> list[str]:
        return ["DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", "violated by row with values"]


class TestConstraintsRollback(DeltaErrors, BaseConstraintsRollback):
    pass


class TestIncrementalConstraintsRollback(DeltaErrors, BaseIncrementalConstraintsRollback):
    pass


class TestSeedConfigFullRefreshOn(BaseSeedConfigFullRefreshOn):
    pass


class TestSeedEnabledViaConfig(BaseSimpleSeedEnabledViaConfig):
    pass


class TestEmptySeed(BaseTestEmptySeed):
    pass


class TestStoreTestFailuresInteractions(StoreTestFailuresAsInteractions):
    pass


class TestStoreTestFailures(BaseStoreTestFailures):
    pass
