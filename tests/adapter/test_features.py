"""What dbt offers around models: show, --empty, unit tests, aliases, ephemeral models, query comments, Python models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.tests.adapter.aliases.test_aliases import BaseAliasErrors
from dbt.tests.adapter.dbt_show.test_dbt_show import BaseShowLimit, BaseShowSqlHeader
from dbt.tests.adapter.empty.test_empty import BaseTestEmpty, BaseTestEmptyInlineSourceRef
from dbt.tests.adapter.ephemeral.test_ephemeral import BaseEphemeralErrorHandling
from dbt.tests.adapter.python_model.test_python_model import (
    BasePythonEmptyTests,
    BasePythonIncrementalTests,
    BasePythonModelTests,
)
from dbt.tests.adapter.query_comment.test_query_comment import (
    BaseEmptyQueryComments,
    BaseMacroArgsQueryComments,
    BaseMacroInvalidQueryComments,
    BaseMacroQueryComments,
    BaseNullQueryComments,
    BaseQueryComments,
)
from dbt.tests.adapter.relations.test_changing_relation_type import BaseChangeRelationTypeValidator
from dbt.tests.adapter.unit_testing.test_case_insensitivity import BaseUnitTestCaseInsensivity
from dbt.tests.adapter.unit_testing.test_invalid_input import BaseUnitTestInvalidInput
from dbt.tests.adapter.unit_testing.test_types import BaseUnitTestingTypes

from dbt.adapters.entrepot.impl import EntrepotAdapter
from tests.support.spark import Spark

pytestmark = pytest.mark.long


class TestAliasErrors(BaseAliasErrors):
    pass


class TestShowLimit(BaseShowLimit):
    pass


class TestShowSqlHeader(BaseShowSqlHeader):
    pass


class TestEmpty(BaseTestEmpty):
    pass


class TestEmptyInlineSourceRef(BaseTestEmptyInlineSourceRef):
    pass


class TestEphemeralErrorHandling(BaseEphemeralErrorHandling):
    pass


class RunHere:
    """dbt-spark sends a model in Python to Databricks; here its code runs on this suite's Spark."""

    @pytest.fixture(scope="class", autouse=True)
    def submit(self, spark: Spark) -> Iterator[None]:
        def submit_python_job(adapter: Any, model: dict[str, Any], code: str) -> AdapterResponse:
            exec(code, {"spark": spark.session})
            return AdapterResponse("OK")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(EntrepotAdapter, "submit_python_job", submit_python_job)
            yield


class TestPythonModel(RunHere, BasePythonModelTests):
    pass


class TestPythonIncremental(RunHere, BasePythonIncrementalTests):
    pass


class TestPythonEmpty(RunHere, BasePythonEmptyTests):
    pass


class TestQueryComments(BaseQueryComments):
    pass


class TestMacroQueryComments(BaseMacroQueryComments):
    pass


class TestMacroArgsQueryComments(BaseMacroArgsQueryComments):
    pass


class TestMacroInvalidQueryComments(BaseMacroInvalidQueryComments):
    pass


class TestNullQueryComments(BaseNullQueryComments):
    pass


class TestEmptyQueryComments(BaseEmptyQueryComments):
    pass


class TestChangeRelationType(BaseChangeRelationTypeValidator):
    pass


class TestUnitTestingTypes(BaseUnitTestingTypes):
    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        # SQL, YAML
        return [
            ["1", "1"],
            ["2.0", "2.0"],
            ["'12345'", "12345"],
            ["'string'", "string"],
            ["true", "true"],
            ["date '2011-11-11'", "2011-11-11"],
            ["timestamp '2013-11-03 00:00:00-0'", "2013-11-03 00:00:00-0"],
            ["array(1, 2, 3)", "'array(1, 2, 3)'"],
            ["map('10', 't', '15', 'f', '20', NULL)", """'map("10", "t", "15", "f", "20", NULL)'"""],
            ['named_struct("a", 1, "b", 2, "c", 3)', """'named_struct("a", 1, "b", 2, "c", 3)'"""],
        ]


class TestUnitTestCaseInsensitivity(BaseUnitTestCaseInsensivity):
    pass


class TestUnitTestInvalidInput(BaseUnitTestInvalidInput):
    pass
