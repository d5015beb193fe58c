"""The dbt project that is generated into: its folders, the names that are taken, and the entities that its variable lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from entrepot.dbt_project import project_settings, target_path
from entrepot.mapping.seeds import COLUMNS, Seeds, read_seeds

OWN_NAME = "entrepot"
VARIABLE = "entities"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
BLOCK = re.compile(r"\{%-? *snapshot +(\w+)")
DOCS = re.compile(r"\{%-? *docs +(\w+)")
CALL = re.compile(r"\bmap_to_entity\(\s*['\"]([^'\"]+)['\"]")


@dataclass(frozen=True, slots=True)
class Project:
    """A dbt project.

    Attributes:
        path: its folder
        name: its name
        models, snapshots, docs, target: the folders for models, snapshots, docs blocks and what dbt writes, relative to `path`
        seeds: the mapping's seeds
        nodes: {name of a model or snapshot: its file}, files relative to `path`
        entities: entities that have a mapped model
        blocks: names of docs blocks
        foreign: entities whose mapped models an installed package describes
        listed: entities in the variable `entities`
    """

    path: Path
    name: str
    models: str
    snapshots: str
    docs: str
    target: str
    seeds: Seeds
    nodes: dict[str, str]
    entities: frozenset[str]
    blocks: frozenset[str]
    foreign: frozenset[str]
    listed: tuple[str, ...]

    @property
    def macro(self) -> str:
        """What calls `map_to_entity` in this project: another one than entrepot's own names the package."""
        return "map_to_entity" if self.name == OWN_NAME else f"{OWN_NAME}.map_to_entity"

    def has(self, file: str) -> bool:
        """Whether there is a file of this path."""
        return (self.path / file).exists()


def read_project(path: Path) -> Project:
    """Read a dbt project: its settings, its seeds, and the names of its models and snapshots.

    Raises:
        EntrepotError: dbt_project.yml or a seed cannot be read
    """
    settings = project_settings(path)
    model_paths = list(settings.get("model-paths") or ["models"])
    snapshot_paths = list(settings.get("snapshot-paths") or ["snapshots"])
    seed_paths = list(settings.get("seed-paths") or ["seeds"])
    docs_paths = list(settings.get("docs-paths") or model_paths)
    models = {file.stem: file for folder in model_paths for file in sorted((path / folder).rglob("*.sql"))}
    nodes = models | dict(_snapshots(path, snapshot_paths + model_paths))
    packages = path / str(settings.get("packages-install-path") or "dbt_packages")
    texts = [
        file.read_text(encoding="utf-8") for folder in docs_paths for file in sorted((path / folder).rglob("*.md"))
    ]
    return Project(
        path,
        str(settings.get("name")),
        str(model_paths[0]),
        str(snapshot_paths[0]),
        str(docs_paths[0]),
        target_path(settings),
        read_seeds({name: _seed(path, seed_paths, name) for name in COLUMNS}),
        {name: str(file.relative_to(path)) for name, file in nodes.items()},
        frozenset(entity for file in models.values() for entity in CALL.findall(file.read_text(encoding="utf-8"))),
        frozenset(name for text in texts for name in DOCS.findall(text)),
        frozenset(file.stem.removeprefix("mapped_") for file in packages.glob("*/models/mapped/mapped_*.yml")),
        tuple(map(str, (settings.get("vars") or {}).get(VARIABLE) or ())),
    )


def _seed(path: Path, folders: Sequence[str], name: str) -> Path:
    """The own file of a seed, which others, of owners, lie below; where there is none, the one to write."""
    found = [file for folder in folders for file in sorted((path / folder).rglob(f"{name}.csv"))]
    if not found:
        return path / folders[0] / "mapping" / f"{name}.csv"
    depth = min(len(file.parts) for file in found)
    first, *others = [file for file in found if len(file.parts) == depth]
    above = first.parent.parent
    is_owned = bool(others) or any((above / f"{one}.csv").is_file() for one in COLUMNS)
    return above / first.name if is_owned else first


def _snapshots(path: Path, folders: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Snapshots and where each is defined: in YAML, or as a block of SQL."""
    for folder in dict.fromkeys(folders):
        for file in sorted((path / folder).rglob("*.y*ml")):
            yield from ((name, file) for name in _snapshots_of_yaml(file))
        for file in sorted((path / folder).rglob("*.sql")):
            yield from ((name, file) for name in BLOCK.findall(file.read_text(encoding="utf-8")))


def _snapshots_of_yaml(file: Path) -> list[str]:
    """The snapshots that a file of YAML describes; none where it cannot be read: dbt says so, with the line."""
    try:
        described = (yaml.load(file.read_bytes(), LOADER) or {}).get("snapshots") or ()
        return [str(snapshot["name"]) for snapshot in described]
    except (yaml.YAMLError, AttributeError, TypeError, KeyError):
        return []


def with_entities(text: str, new: Sequence[str]) -> str | None:
    """Return dbt_project.yml with entities added to its variable; None where that needs a person, as with a list in brackets.

    >>> print(with_entities("name: shop\\nvars:\\n  # ours\\n  entities:\\n    - item\\n  other: 1\\n", ["customer"]), end="")
    name: shop
    vars:
      # ours
      entities:
        - item
        - customer
      other: 1
    >>> print(with_entities("name: shop\\nvars:\\n  other: 1", ["item"]), end="")
    name: shop
    vars:
      entities:
        - item
      other: 1
    >>> with_entities("vars: {entities: [item]}\\n", ["customer"]) is None
    True
    """
    try:
        before = yaml.safe_load(text)
        variables = before.get("vars") or {}
        listed = [*map(str, variables.get(VARIABLE) or ()), *new]
        changed = _appended(text, new)
        wanted = before | {"vars": variables | {VARIABLE: listed}}
        return changed if yaml.safe_load(changed) == wanted else None
    except (yaml.YAMLError, AttributeError, TypeError):
        return None


def _appended(text: str, new: Sequence[str]) -> str:
    """The text with entities in it where they are most likely to belong."""
    ends = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines()
    top = next((number for number, line in enumerate(lines) if re.fullmatch(r"vars:\s*(#.*)?", line)), None)
    if top is None:
        lines += ["", "vars:", "  entities:", *(f"    - {name}" for name in new)]
        return ends.join(lines) + ends
    end = next((number for number in range(top + 1, len(lines)) if re.match(r"[^\s#]", lines[number])), len(lines))
    place = next(
        (n for n in range(top + 1, end) if re.fullmatch(rf"\s+{VARIABLE}:\s*(\[\]\s*)?(#.*)?", lines[n])), None
    )
    if place is None:
        lines[top + 1 : top + 1] = ["  entities:", *(f"    - {name}" for name in new)]
        return ends.join(lines) + ends
    indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())] + "  "
    lines[place] = lines[place].replace("[]", "").rstrip()
    last = place
    while last + 1 < end and (item := re.match(r"(\s+)- ", lines[last + 1])):
        last, indent = last + 1, item[1]
    lines[last + 1 : last + 1] = [f"{indent}- {name}" for name in new]
    return ends.join(lines) + ends
