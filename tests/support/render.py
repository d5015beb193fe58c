"""Rendering of macros, models and dbt tests as text: dbt's own Jinja, without project, connection or Spark."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, NamedTuple

from dbt.context.base import generate_base_context
from dbt.context.exceptions_jinja import wrapped_exports
from dbt_common.clients.jinja import CallableMacroGenerator, get_template, parse, render_template
from dbt_common.utils.jinja import MACRO_PREFIX
from jinja2 import nodes

from dbt.adapters.entrepot.landing_patterns import LandingPatterns
from dbt.adapters.entrepot.mapping_types import MappingTypes
from dbt.adapters.entrepot.sql_methods import SqlMethods
from dbt.adapters.entrepot.wire_schemas import WireSchemas

ROOT = Path(__file__).resolve().parents[2]
_MACROS = (ROOT / "python/dbt/include/entrepot/macros", ROOT / "macros")


class _Macro(NamedTuple):
    """A macro as dbt's generator wants it: its name and the text of its file."""

    name: str
    macro_sql: str


class _Config(dict[str, Any]):
    """`config(…)` renders nothing; `config.get(…)` reads what the renderer was given."""

    def __call__(self, *_arguments: Any, **_settings: Any) -> str:
        return ""


class TextAdapter(SqlMethods, LandingPatterns, MappingTypes, WireSchemas):
    """Those methods of the adapter that ask no connection; of a project into which nothing has been pulled, or with its own folder."""

    def __init__(self, registry: Path | None = None) -> None:
        """Take the folder with what has been pulled."""
        self._registry = registry

    def registry_folder(self) -> Path:
        """Return the folder."""
        return self._registry or ROOT / "registry"


@functools.cache
def _macros() -> list[_Macro]:
    texts = [path.read_text() for folder in _MACROS for path in sorted(folder.rglob("*.sql"))]
    return [
        _Macro(found.name.removeprefix(MACRO_PREFIX), text)
        for text in texts
        for found in parse(text).find_all(nodes.Macro)
    ]


@functools.cache
def plain_renderer() -> Renderer:
    """Return a renderer that is made once in a process."""
    return Renderer()


class _Package:
    """`entrepot` in a macro: the package's macros as its attributes."""

    def __init__(self, context: dict[str, Any]) -> None:
        """Look macros up in `context`."""
        self._context = context

    def __getattr__(self, name: str) -> Any:
        """Return the macro of that name, or what stands in for it."""
        try:
            return self._context[name]
        except KeyError:
            raise AttributeError(name) from None


class Renderer:
    """Every macro and generic test of the repository, each calling the others as in a dbt project.

    `Renderer().call("mapping_compact", "d_p", "tree")` gives what the macro returns, text without the lines around it;
    `Renderer().file("models/mapping/matrix.sql")` gives the SQL of a model or of a dbt test. A `ref` renders as the
    bare name, so that temporary views can stand for models.
    """

    def __init__(self, config: dict[str, Any] | None = None, **context: Any) -> None:
        """Load the macros.

        Args:
            config: what `config.get()` finds
            context: what there is besides dbt's base context (`model`, `this`, …); stubs here replace macros that query
        """
        self.context: dict[str, Any] = generate_base_context({})
        self.context |= {"exceptions": wrapped_exports(None), "execute": True, "ref": lambda *names: names[-1]}
        for macro in _macros():
            self.context[macro.name] = CallableMacroGenerator(macro, self.context)
        self.context |= {"entrepot": _Package(self.context), "adapter": TextAdapter(), "context": self.context}
        self.context |= {"config": _Config(config or {}), **context}

    def call(self, macro: str, *arguments: Any, **named: Any) -> Any:
        """Call one macro by its name; a generic test is called `test_<name>`."""
        result = self.context[macro](*arguments, **named)
        return result.strip("\n") if isinstance(result, str) else result

    def file(self, path: str) -> str:
        """Render one file of the repository, given by its path."""
        return render_template(get_template((ROOT / path).read_text(), {}), self.context).strip("\n")
