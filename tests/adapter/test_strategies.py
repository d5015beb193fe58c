"""Incremental strategies of dbt-spark: append, merge, insert_overwrite, microbatch."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.adapter.incremental.test_incremental_merge_exclude_columns import BaseMergeExcludeColumns
from dbt.tests.adapter.incremental.test_incremental_microbatch import BaseMicrobatch
from dbt.tests.adapter.incremental.test_incremental_on_schema_change import BaseIncrementalOnSchemaChange
from dbt.tests.adapter.incremental.test_incremental_predicates import BaseIncrementalPredicates
from dbt.tests.adapter.incremental.test_incremental_unique_id import BaseIncrementalUniqueKey

pytestmark = pytest.mark.long

MERGE = {"models": {"+incremental_strategy": "merge"}}


class TestMergeExcludeColumns(BaseMergeExcludeColumns):
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, object]:
        # dbt-spark's default is append, which excludes nothing
        return MERGE


class TestUniqueKey(BaseIncrementalUniqueKey):
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, object]:
        # dbt-spark's default is append, which has no key
        return MERGE


class TestPredicates(BaseIncrementalPredicates):
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, object]:
        # delete+insert, which the original uses, is no strategy of dbt-spark
        predicates = ["dbt_internal_dest.id != 2"]
        return {"models": {"+incremental_strategy": "merge", "+incremental_predicates": predicates}}


class TestOnSchemaChange(BaseIncrementalOnSchemaChange):
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, object]:
        # the models name no strategy and a key
        return MERGE

    def test_run_incremental_append_new_columns(self, project: Any) -> None:
        # without the half that removes a column, which Delta's merge refuses, and dbt-spark's own tests leave out
        self.run_incremental_append_new_columns(project)

    @pytest.mark.skip(
        reason="sync_all_columns removes columns: dbt-spark refuses that, and so does Delta without column mapping"
    )
    def test_run_incremental_sync_all_columns(self) -> None:
        pass


class TestMicrobatch(BaseMicrobatch):
    @pytest.fixture(scope="class")
    def microbatch_model_sql(self) -> str:
        # dbt-spark replaces a batch by its partition
        return """
        {{ config(materialized='incremental', incremental_strategy='microbatch', event_time='event_time',
            batch_size='day', begin='2020-01-01', partition_by=['event_day']) }}
        select *, cast(event_time as date) as event_day from {{ ref('input_model') }}
        """
