"""Writes a case as a complete dbt project that repeats it with dbt alone."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.fuzz.case import Case, Failure
from tests.fuzz.change_stream import BY_NAME, SOURCES, apply, create_statement
from tests.fuzz.render import model_sql
from tests.fuzz.runner import write_project
from tests.support.dbt_case import DbtCase

SCHEMA = "{{ target.schema }}_source"
README = """# {kind} failure of {model}, fuzzer's seed {seed}

`{model}` is wrong after job {job}: {message}

```
{failure}
```

To repeat it with entrepot's development environment (`make setup-dev`), in this folder:

```
export DBT_PROFILES_DIR=$PWD ENTREPOT_WAREHOUSE=$PWD/warehouse
for job in {jobs}; do dbt run-operation changes_$job; dbt build; done
```

`macros/changes/changes_N.sql` are the changes of the sources before job N. `tests/` compares every stored model with its own SQL, computed anew;
a test of the last build fails. Where only DuckDB disagrees, the rows above are all there is. To begin again: `rm -rf warehouse target`.
"""


def write_reproduction(case: Case, failure: Failure, root: Path, folder: Path) -> Path:
    """Write the project into a folder of its own below `folder`, and return that.

    Args:
        case: what to repeat
        failure: what it shows
        root: the repository whose macros to use
        folder: where reproductions are kept
    """
    path = (folder / f"seed_{case.seed}_{failure.model}").absolute()
    shutil.rmtree(path, ignore_errors=True)
    project = DbtCase(root, path, "reproduction", None, project=case.project)  # type: ignore[arg-type]
    write_project(case, project, SCHEMA)
    contents = case.contents
    used = {name for model in case.models for name in model.reads} & set(BY_NAME)
    statements = [f"create schema if not exists {SCHEMA}"]
    for source in SOURCES:
        if source.name in used:
            statements.append(create_statement(source, SCHEMA, contents[source.name]))
    for number in range(len(case.jobs) + 1):
        if number:
            statements = []
            for change in case.jobs[number - 1]:
                statement, contents = apply(change, contents, SCHEMA)
                statements += [statement] if statement and change.table in used else []
        calls = "\n".join(f"{{% call statement() %}}\n{statement}\n{{% endcall %}}" for statement in statements)
        project.put(
            f"macros/changes/changes_{number}.sql", f"{{% macro changes_{number}() %}}\n{calls}\n{{% endmacro %}}\n"
        )
    for model in case.models:
        if model.is_stored:
            full, stored = f"(\n{model_sql(model, 'spark')}\n)", f"(select * from {{{{ ref('{model.name}') }}}})"
            test = (
                f"select 'missing' as what, * from ({full} except all {stored})\n"
                f"union all\nselect 'extra' as what, * from ({stored} except all {full})\n"
            )
            project.put(f"tests/{model.name}_equals_recompute.sql", test)
    jobs = " ".join(str(number) for number in range(len(case.jobs) + 1))
    text = README.format(
        kind=failure.kind.capitalize(),
        model=failure.model,
        seed=case.seed,
        job=failure.job,
        message=failure.message[:300],
        failure=failure,
        jobs=jobs,
    )
    project.put("README.md", text)
    return path
