"""What macros ask about views and data tests: which of them stand as an earlier job has left them (see `entrepot.jobs.states`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dbt_common.clients.agate_helper import table_from_data_flat

from dbt.adapters.entrepot.__version__ import version
from dbt.adapters.entrepot.for_macros import for_macros
from dbt.adapters.entrepot.jobs import Jobs
from entrepot.jobs import Node, State

PASSED = {"failures": 0, "should_warn": False, "should_error": False}


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
        shape = {"config": config, "description": model["description"], "columns": described}
        return self.job.states.of_view(self.node_of(model), text, shape)

    @for_macros
    def jobs_test_state(self, model: Mapping[str, Any], sql: str) -> State | None:
        """The state of a data test (`entrepot.jobs.states`), with the job in which it passed so; none where it has to run in each job.

        Args:
            model: dbt's
            sql: its SQL, compiled
        """
        if not self._keeps_states():
            return None
        test = Node(model["unique_id"], "test", model["name"], "", "", reads=tuple(model["depends_on"]["nodes"]))
        return self.job.states.of_test(test, sql, {"config": model["config"], "session": self._session_shape()})

    @for_macros
    def jobs_stands(self, state: State) -> None:
        """Note that a view or test stands as an earlier job has left it."""
        self.job.states.note_standing(state)

    @for_macros
    def jobs_done(self, state: State) -> None:
        """Note that a view is made, or a test has passed."""
        self.job.states.note_done(state)

    @for_macros
    def jobs_has_passed(self, result: Any) -> bool:
        """Whether a test has neither failed nor warned, by its result."""
        names = [name.lower() for name in result["table"].column_names]
        found = dict(zip(names, result["table"].rows[0], strict=True))
        return not (_is_true(found["should_warn"]) or _is_true(found["should_error"]))

    @for_macros
    def jobs_passed(self) -> Any:
        """The result of a test in which nothing was found, as dbt reads it."""
        return table_from_data_flat([PASSED], list(PASSED))

    def _keeps_states(self) -> bool:
        """Whether views and tests may stand: in a maintenance job on all rows."""
        return self.job.holds_lock() and not self.job.options.is_cut_down

    def _session_shape(self) -> dict[str, str]:
        """Return what the same SQL may give something else by: this program's version, and the profile's settings of Spark SQL."""
        given = self.config.credentials.server_side_parameters
        return {"entrepot": version} | {key: str(value) for key, value in given.items() if key.startswith("spark.sql.")}


def _is_true(value: Any) -> bool:
    """Return what a truth value of Spark's is, which may come as text or number."""
    return str(value).lower() not in ("false", "0")
