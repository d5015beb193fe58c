"""What macros ask about views and tests: which of them stand as an earlier job has left them (see `entrepot.jobs.states`)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from importlib.metadata import version as installed_version
from importlib.util import find_spec
from typing import Any

from dbt_common.clients.agate_helper import table_from_data_flat

from dbt.adapters.entrepot.__version__ import version
from dbt.adapters.entrepot.for_macros import for_macros
from dbt.adapters.entrepot.jobs import Jobs
from entrepot.jobs import State

# behind a server it is that of the client
SPARK_VERSION = installed_version("pyspark") if find_spec("pyspark") else ""

# dbt's own words in the result of a unit test
SIDE, ACTUAL, EXPECTED = "actual_or_expected", "actual", "expected"


class States(Jobs):
    """The states of views and tests, in a maintenance job."""

    @for_macros
    def jobs_view_state(self, model: Mapping[str, Any], text: str) -> State | None:
        """The state of a view (`entrepot.jobs.states`), with the job that left it so; none where it has to be made in each job.

        Args:
            model: dbt's
            text: its SQL, as the catalogue tells it
        """
        config = model["config"]
        if not self._keeps_states() or any(config.get(key) for key in ("pre-hook", "post-hook", "grants")):
            return None
        described = {name: column["description"] for name, column in model["columns"].items()}
        shape = {
            "config": config,
            "contract": model.get("contract"),
            "description": model["description"],
            "columns": described,
            "session": self._session_shape(),
        }
        return self.job.states.of_view(self.node_of(model), text, shape)

    @for_macros
    def jobs_test_state(self, model: Mapping[str, Any], sql: str) -> State | None:
        """The state of a data test (`entrepot.jobs.states`), with the job that found it so; none where it has to run in each job.

        Args:
            model: dbt's
            sql: the statement that asks for its result
        """
        if not self._keeps_states():
            return None
        return self.job.states.of_test(
            self.node_of(model), sql, {"config": model["config"], "session": self._session_shape()}
        )

    @for_macros
    def jobs_unit_test_state(self, model: Mapping[str, Any], sql: str) -> State | None:
        """The state of a unit test (`entrepot.jobs.states`), with the job in which it passed; none where it has to run in each job.

        Args:
            model: dbt's, of the test; its configuration has the expected rows
            sql: the model's SQL on the rows of the test
        """
        if not self._keeps_states():
            return None
        return self.job.states.of_unit_test(
            model["unique_id"], sql, {"config": model["config"], "session": self._session_shape()}
        )

    @for_macros
    def jobs_unit_test_done(self, state: State, result: Any) -> None:
        """Note that a unit test has passed, where the rows that came are those that are expected.

        Args:
            state: its state
            result: dbt's of it, whose rows say in one column which they are
        """
        found: dict[str, Counter[str]] = {ACTUAL: Counter(), EXPECTED: Counter()}
        for row in result["table"].rows:
            values = dict(row)
            found[str(values.pop(SIDE))][repr(list(values.values()))] += 1
        if found[ACTUAL] == found[EXPECTED]:
            self.job.states.note_done(state)

    @for_macros
    def jobs_unit_test_found(self) -> Any:
        """What a unit test that stands has found, as dbt reads it: no row that came, and none that is expected."""
        return table_from_data_flat([], [SIDE, "unchanged"])

    @for_macros
    def jobs_stands(self, state: State) -> None:
        """Note that a view or test stands as an earlier job has left it."""
        self.job.states.note_standing(state)

    @for_macros
    def jobs_view_done(self, model: Mapping[str, Any], state: State | None) -> None:
        """Note that a view is made.

        Args:
            model: dbt's
            state: its state; none where nobody knows it
        """
        if state is not None:
            self.job.states.note_done(state)
        elif self._keeps_states():
            self.job.states.note_made(self.node_of(model))

    @for_macros
    def jobs_test_done(self, model: Mapping[str, Any], state: State, result: Any) -> None:
        """Note what a test has found, unless it has failed.

        Args:
            model: dbt's
            state: its state
            result: dbt's of it, with one row
        """
        names = [name.lower() for name in result["table"].column_names]
        row = dict(zip(names, result["table"].rows[0], strict=True))
        failures, truths = row["failures"], ("should_warn", "should_error")
        if failures is None or int(failures) != failures:  # dbt has words for that
            return
        found = {"failures": int(failures)} | {name: _is_true(row[name]) for name in truths}
        if not (found["should_error"] and model["config"]["severity"].upper() == "ERROR"):
            self.job.states.note_done(state, json.dumps(found))

    @for_macros
    def jobs_test_found(self, state: State) -> Any:
        """What a test that stands has found, as dbt reads it."""
        found = json.loads(state.result or "{}")
        return table_from_data_flat([found], list(found))

    def _keeps_states(self) -> bool:
        """Whether views and tests may stand: in a maintenance job on all rows."""
        return self._job is not None and self.job.holds_lock() and not self.job.options.is_cut_down

    def _session_shape(self) -> dict[str, str]:
        """Return what the same SQL may mean something else by: the versions of programs, and the profile's settings of Spark SQL."""
        given = self.config.credentials.server_side_parameters
        settings = {key: str(value) for key, value in given.items() if key.startswith(("spark.sql.", "spark.jars."))}
        return settings | {"entrepot": version, "pyspark": SPARK_VERSION}


def _is_true(value: Any) -> bool:
    """Return what a truth value of Spark's is, which may come as text or number."""
    return str(value).lower() in ("true", "1")
