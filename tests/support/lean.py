"""What dbt does in each of a thousand commands, and need not do again in one process of tests.

Each of these is a cost alone: what dbt makes and says of a project stays the same. `make lint` and the tests that start dbt as a user does
have dbt as it is.
"""

from __future__ import annotations

import dataclasses
import functools
import gc
import importlib
import io
import itertools
import pickle
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dbt.clients import jinja_static
from dbt.context import base as context
from dbt.contracts.graph.manifest import Manifest
from dbt.parser import base
from dbt.parser import manifest as parsing
from dbt_common.behavior_flags import BehaviorFlagRendered
from dbt_common.dataclass_schema import ValidatedStringMixin, dbtClassMixin
from dbt_common.events.base_types import EventLevel
from dbt_common.events.event_manager import EventManager
from dbt_common.tests import enable_test_caching
from py4j import java_collections

from dbt.include import entrepot as include

COMPLETE = include.PACKAGE_PATH
# a module's tests take turns with few projects
KEPT = 4
# what dbt leaves out of the file (`__post_serialize__` of its classes), and what makes each as it is in the beginning
UNWRITTEN = {"_event_status": dict} | dict.fromkeys(
    ("contents", "pp_dict", "pp_test_index", "_has_this", "previous_batch_results"), type(None)
)
# of the events that dbt has for its log file alone: those that tests, or the adapter, look at
HEARD = frozenset({"SQLQuery", "SQLQueryStatus", "AdapterEventDebug", "NodeFinished", "CommandCompleted"})


def lighten(folder: Path) -> None:
    """Make dbt's commands cheaper in this process; before the adapter is imported.

    Args:
        folder: where to put a copy of what comes with the adapter
    """
    # as dbt's own tests have it: a text of Jinja is parsed once in a process, and not once for each of the projects that the tests write
    enable_test_caching()
    jinja_static.get_environment = functools.cache(jinja_static.get_environment)
    # for a text that nobody reads, dbt asks for the source of all that is being called; a sixth of a process's time
    BehaviorFlagRendered._default_source = staticmethod(lambda: "dbt")
    # of Python's modules, what a text of Jinja may call: made for each text, and always the same
    context.get_context_modules = functools.cache(context.get_context_modules)
    base.generate_generate_name_macro_context = _once_a_manifest(base.generate_generate_name_macro_context)
    parsing.generate_runtime_docs_context = _where_described(parsing.generate_runtime_docs_context)
    # names of a class's fields, for each config of each node
    dbtClassMixin._get_field_names = classmethod(functools.cache(dbtClassMixin._get_field_names.__func__))
    dbtClassMixin.validate = classmethod(_once_a_value(dbtClassMixin.validate.__func__))
    EventManager.fire_event = _where_heard(EventManager.fire_event)
    # what dbt knows of a project between two commands: to read it takes a third of a second, most of which goes to macros
    Manifest.from_msgpack(Manifest().to_msgpack())
    Manifest.to_msgpack, Manifest.from_msgpack = _remembered(Manifest.to_msgpack, Manifest.from_msgpack)
    # whether an argument for Java is a list or a map: py4j looks through all attributes of each text
    java_collections.hasattr2 = lambda value, name: _has(type(value), name)
    # what describes macros to people is half of a new project's parsing. The folder's name says to dbt whose it is
    lean = folder / "entrepot"
    shutil.copytree(include.PACKAGE_PATH, lean, ignore=without_macro_docs)
    include.PACKAGE_PATH = str(lean)


@contextmanager
def with_macro_docs() -> Iterator[None]:
    """Let dbt read what comes with the adapter as it is."""
    plugin = importlib.import_module("dbt.adapters.entrepot").Plugin
    lean, plugin.include_path = plugin.include_path, COMPLETE
    try:
        yield
    finally:
        plugin.include_path = lean


def collect_less_garbage() -> None:
    """Let Python look for garbage less often; after the imports. dbt makes objects by the hundred thousand, few of which are garbage."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


def without_macro_docs(folder: str, names: Sequence[str]) -> list[str]:
    """Name the files of a folder that describe macros, as `shutil.copytree` asks for what it shall not copy."""
    return [name for name in names if name.endswith(".yml") and "macros" in Path(folder).parts]


@functools.cache
def _has(kind: type, name: str) -> bool:
    return hasattr(kind, name)


def _once_a_value(validate: Any) -> Any:
    """Hold a value to its class's JSON schema where none that is written alike has passed: dbt does so with each config of each command."""
    passed: set[tuple[type, str]] = set()

    def validated(kind: type, data: Any) -> None:
        written = kind, repr(data)
        if written not in passed:
            validate(kind, data)
            passed.add(written)

    return validated


class _Pickler(pickle.Pickler):
    """Writes dbt's texts that were held to a pattern as texts, as a manifest in a file has them."""

    def reducer_override(self, value: Any) -> Any:
        """Say how a value is written."""
        return (str, (str(value),)) if isinstance(value, ValidatedStringMixin) else NotImplemented


def _remembered(write: Any, read: Any) -> tuple[Any, Any]:
    """Read a manifest that this process has written from a copy in memory; the file is written all the same.

    Both put something quicker in their place when they are called first, so that has to have been.
    """
    public = [field.name for field in dataclasses.fields(Manifest) if field.init and not field.name.startswith("_")]
    copies: dict[bytes, bytes] = {}

    def written(manifest: Manifest, *encoder: Any) -> bytes:
        text: bytes = write(manifest, *encoder)
        copy = io.BytesIO()
        _Pickler(copy, protocol=5).dump({name: getattr(manifest, name) for name in public})
        for old in list(copies)[: -KEPT + 1]:
            del copies[old]
        copies[text] = copy.getvalue()
        return text

    def manifest_of(kind: type[Manifest], text: bytes, **how: Any) -> Any:
        if text not in copies:
            return read(text, **how)
        manifest = kind(**pickle.loads(copies[text]))
        for value in itertools.chain(manifest.files.values(), manifest.nodes.values()):
            for name, first in UNWRITTEN.items():
                if hasattr(value, name):
                    setattr(value, name, first())
        return manifest

    return written, classmethod(manifest_of)


def _where_heard(fire: Any) -> Any:
    """Make a message of an event where somebody hears it: dbt does for a log file that tests do without."""

    def fired(
        manager: Any, e: Any, level: Any = None, node: Any = None, force_warn_or_error_handling: bool = False
    ) -> None:
        if (
            (level or e.level_tag()) is not EventLevel.DEBUG
            or type(e).__name__ in HEARD
            or force_warn_or_error_handling
        ):
            fire(manager, e, level, node, force_warn_or_error_handling)

    return fired


def _once_a_manifest(make: Any) -> Any:
    """Keep what macros that name relations see: dbt makes it for each parser of each package, from all macros."""
    made: dict[str, Any] = {}
    of: list[Any] = []

    def context(macro: Any, config: Any, manifest: Any) -> Any:
        if not of or of[0] is not manifest or of[1] is not config:
            of[:] = manifest, config
            made.clear()
        if macro.unique_id not in made:
            made[macro.unique_id] = make(macro, config, manifest)
        return made[macro.unique_id]

    return context


def _where_described(make: Any) -> Any:
    """Make what the texts that describe a macro may call where there is such a text: dbt does for each of eight hundred macros."""

    def context(config: Any, described: Any, manifest: Any, project: str) -> Any:
        if described.resource_type == "macro" and not described.description and not described.arguments:
            return {}
        return make(config, described, manifest, project)

    return context
