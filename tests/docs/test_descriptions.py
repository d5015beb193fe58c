"""Every model, seed, snapshot, source, column, macro and argument of the project is described."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner
from dbt_common.clients.jinja import parse
from dbt_common.utils.jinja import MACRO_PREFIX
from jinja2.nodes import Macro

from tests.conftest import ROOT
from tests.docs.practices import Practices
from tests.support.lean import with_macro_docs


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The project as dbt parses it; no Spark."""
    target = tmp_path_factory.mktemp("target")
    arguments = [
        "--quiet",
        "parse",
        "--project-dir",
        str(ROOT),
        "--profiles-dir",
        str(ROOT),
        "--target-path",
        str(target),
    ]
    with with_macro_docs():
        result = dbtRunner().invoke(arguments)
    assert result.success, result.exception
    return result.result


def test_nodes_and_columns(manifest: Any) -> None:
    nodes = [node for node in manifest.nodes.values() if node.resource_type in ("model", "seed", "snapshot")]
    nodes += list(manifest.sources.values())
    assert len(nodes) > 50
    without = [node.unique_id for node in nodes if not node.description or not node.columns]
    without += [
        f"{node.name}.{name}" for node in nodes for name, column in node.columns.items() if not column.description
    ]
    assert without == []


def test_no_sql_of_ours_asks_for_letters_of_all_alphabets(manifest: Any) -> None:
    """The first `lower` or `upper` of a process takes Spark 2 s (decision 10)."""
    written = [macro for macro in manifest.macros.values() if macro.package_name in ("entrepot", "dbt_entrepot")]
    texts = {macro.unique_id: macro.macro_sql for macro in written}
    texts |= {node.unique_id: node.raw_code for node in manifest.nodes.values() if node.resource_type != "seed"}
    assert len(texts) > 300
    code = {name: re.sub(r"\{#.*?#\}|--[^\n]*", "", text, flags=re.DOTALL) for name, text in texts.items()}
    assert [
        name for name, text in code.items() if re.search(r"(?<![.\w])([lu]case|lower|upper|initcap)[(]|\bilike\b", text)
    ] == []


def test_macros_and_arguments(manifest: Any) -> None:
    macros = [macro for macro in manifest.macros.values() if macro.package_name in ("entrepot", "dbt_entrepot")]
    assert sorted(macro.name for macro in macros) == _defined()
    without = [macro.name for macro in macros if not macro.description]
    without += [
        f"{macro.name}({argument.name})" for macro in macros for argument in macro.arguments if not argument.description
    ]
    assert [name for name in without if "supported_languages" not in name] == []


def test_the_rules_of_dbt_project_evaluator_hold_or_are_answered(manifest: Any) -> None:
    """docs/practices.md has a line for each rule; where a rule does not hold, the line names every model that breaks it, or its prefix."""
    rows = [
        line.split("|")[1:4] for line in (ROOT / "docs/practices.md").read_text().splitlines() if line.startswith("| `")
    ]
    answers = {rule.strip(" `"): (holds.strip(), why) for rule, holds, why in rows}
    broken = Practices(manifest).broken()
    assert sorted(answers) == sorted(broken)
    assert {rule: holds for rule, (holds, _) in answers.items()} == {
        rule: "no" if nodes else "yes" for rule, nodes in broken.items()
    }
    unnamed = {
        rule: [
            name
            for name in sorted(nodes)
            if not any(fnmatch(name, one) for one in re.findall(r"`([\w*]+)`", answers[rule][1]))
        ]
        for rule, nodes in broken.items()
    }
    assert {rule: names for rule, names in unnamed.items() if names} == {}


def _defined() -> list[str]:
    """The names of all macros that the files define."""
    folders = (ROOT / "macros", ROOT / "python/dbt/include/entrepot/macros")
    texts = [path.read_text() for folder in folders for path in folder.rglob("*.sql")]
    found = [macro.name for text in texts for macro in parse(text).find_all(Macro)]
    return sorted(name.removeprefix(MACRO_PREFIX) for name in found)


def test_one_model_one_file_of_yaml() -> None:
    models = {path.stem for path in Path(ROOT / "models").rglob("*.sql")}
    assert models <= {path.stem for path in Path(ROOT / "models").rglob("*.yml")}
