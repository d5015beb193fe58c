"""The files of an entity: its mapped model, history and view of what is valid now, their descriptions and tests, as people write them."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Collection
from itertools import chain, count

import yaml

from entrepot.mapping.project import Project
from entrepot.mapping.proposal import GUESSED
from entrepot.mapping.repeated import columns_of, parts_of, spark_name
from entrepot.mapping.trees import Entity, EntityAttribute
from entrepot.mapping.types import described_type

WIDTH, LINE = 113, 120
POSITION = (
    ">-\n          struct<committed_at:timestamp, source_system:string, log_commit:bigint, log_position:bigint,\n"
    "          log_serial:bigint, event_id:string>"
)
EVENT = {
    "event_id": "string", "source_system": "string", "schema_name": "string", "schema_version": "int", "op": "string",
    "commit_position": POSITION, "committed_at": "timestamp", "transaction_id": "string",
}  # fmt: skip
VERSION = {
    "dbt_scd_id": "string", "dbt_updated_at": "timestamp", "dbt_valid_from": "timestamp", "dbt_valid_to": "timestamp",
    "valid_from_position": POSITION, "valid_to_position": POSITION, "is_first_version": "boolean",
}  # fmt: skip


def entity_files(entity: Entity, project: Project) -> dict[str, tuple[str, str]]:
    """Return the files of an entity, {path within the project: (name of its model or snapshot, text)}.

    The mapped model is the last one: an entity that has it has the others, too.
    """
    mapped, current = f"mapped_{entity.name}", f"int_{entity.name}_current"
    models = f"{project.models}/mapped/{mapped}"
    views = f"{project.models}/intermediate/{current}"
    docs = _docs_file(entity, project)
    return docs | {
        f"{views}.sql": (current, current_sql(entity)),
        f"{views}.yml": (current, current_yaml(entity)),
        f"{project.snapshots}/{entity.name}_history.yml": (f"{entity.name}_history", history_yaml(entity)),
        f"{models}.yml": (mapped, mapped_yaml(entity)),
        f"{models}.sql": (mapped, mapped_sql(entity, project.macro)),
    }


def _docs_file(entity: Entity, project: Project) -> dict[str, tuple[str, str]]:
    """The docs blocks that the project does not have yet, beside a file of the entity's name where there is one."""
    if all(f"{entity.name}__{one.name}" in project.blocks for one in _columns(entity) if _has_block(one)):
        return {}
    names = (
        f"{project.docs}/entities/{entity.name}{end}.md" for end in chain([""], (f"_{number}" for number in count(2)))
    )
    return {next(name for name in names if not project.has(name)): ("", docs_blocks(entity, project.blocks))}


def mapped_sql(entity: Entity, macro: str = "map_to_entity") -> str:
    """Return the mapped model; its macro compiles the mapping."""
    return (
        f"-- Grain: one change event of a source that feeds the entity {entity.name}.\n"
        f"{{{{ config(alias='{entity.name}', entity='{entity.name}') }}}}\n"
        f"{{{{ {macro}('{entity.name}') }}}}\n"
    )


def mapped_yaml(entity: Entity) -> str:
    """Return the descriptions of the mapped model."""
    image = _struct(_mapped_order(entity))
    fed = _listed(entity.schemas) or "none yet"
    columns = [_column(name, data_type) for name, data_type in EVENT.items()]
    for key in sorted(entity.keys, key=lambda one: one.name):
        says = f"Key {key.name} of the {_words(entity)}, from the after image, else from the before image. Null for a truncate."
        columns.append(
            f"      - name: {_plain(key.name)}\n{_folded('        description', says)}        data_type: {_typed(described_type(key.data_type))}\n"
        )
    columns += [
        _column("before", image, "mapped_before"),
        _column("after", image, "mapped_after"),
        _column("present", "array<string>"),
        _column("mapping_error", "string"),
    ]
    says = (
        f"Grain: one change event of a source that feeds the entity {entity.name} ({fed} in the seed unique_block). The event is "
        "relabelled to the entity's attributes and types by the mapping as it stands (METL, algorithm 6); a changed mapping maps "
        "its events again."
    )
    return (
        f"models:\n  - name: mapped_{entity.name}\n{_folded('    description', says)}    columns:\n{''.join(columns)}"
    )


def history_yaml(entity: Entity) -> str:
    """Return the snapshot with `strategy: commit_order` and the test of its key."""
    keys = [_plain(key.name) for key in entity.keys]
    unique_key = keys[0] if len(keys) == 1 else f"[{', '.join(keys)}]"
    says = (
        f"Grain: one version of one {_words(entity)} (SCD type 2 by commit position, docs/history.md). Late and out-of-order "
        "events repair the intervals; a delete leaves a gap until the key comes back."
    )
    return (
        f"version: 2\n\nsnapshots:\n  - name: {entity.name}_history\n{_folded('    description', says)}"
        f"    relation: ref('mapped_{entity.name}')\n    config:\n      strategy: commit_order\n      unique_key: {unique_key}\n"
        f"    data_tests:\n      - unique_key\n    columns:\n{_versions(entity)}"
    )


def current_sql(entity: Entity) -> str:
    """Return the view of the versions that are valid now."""
    return (
        f"-- Grain: one {_words(entity)} as it is now.\nselect *\nfrom {{{{ ref('{entity.name}_history') }}}}\n"
        "where valid_to_position is null\n"
    )


def current_yaml(entity: Entity) -> str:
    """Return the descriptions of that view."""
    says = (
        f"Grain: one {_words(entity)} as it is now, the version of {entity.name}_history that is valid. One that has been "
        "deleted is not here."
    )
    docs = dict.fromkeys(("dbt_valid_to", "valid_to_position"), "dbt_valid_to_current")
    return f"models:\n  - name: int_{entity.name}_current\n{_folded('    description', says)}    columns:\n{_versions(entity, docs)}"


def docs_blocks(entity: Entity, there: Collection[str] = ()) -> str:
    """Return the docs blocks of the attributes, which models that use the entity share; without those that are there already."""
    blocks = [
        f"{{% docs {entity.name}__{one.name} %}}\n{_described(one)}\n{{% enddocs %}}\n"
        for one in _columns(entity)
        if _has_block(one) and f"{entity.name}__{one.name}" not in there
    ]
    about = f"Attributes of the entity {entity.name}."
    if entity.says:
        about += f" {_sentence(entity.says)}"
    return "\n".join([f"{about}\n", *blocks])


def _versions(entity: Entity, docs: dict[str, str] | None = None) -> str:
    """The columns of a history: key, attributes, what makes a version."""
    attributes = entity.keys + [one for one in _mapped_order(entity) if not one.is_key]
    columns = [
        _column(one.name, described_type(one.data_type), f"{entity.name}__{one.name}")
        if _has_block(one)
        else f"      - name: {_plain(one.name)}\n        description: {_quoted(_described(one))}\n"
        f"        data_type: {_typed(described_type(one.data_type))}\n"
        for one in attributes
    ]
    return "".join(columns + [_column(name, data_type, (docs or {}).get(name)) for name, data_type in VERSION.items()])


def _mapped_order(entity: Entity) -> list[EntityAttribute]:
    """The attributes as mapped models have them: keys first, then by name."""
    return sorted(_columns(entity), key=lambda one: (not one.is_key, one.name))


def _columns(entity: Entity) -> list[EntityAttribute]:
    """The attributes; those of an array or a map as one column, its fields as mapped models have them: by name."""
    first: dict[str, int] = {}
    for place, one in enumerate(entity.attributes):
        first.setdefault(parts_of(one.name)[0], place)
    by_column = sorted(entity.attributes, key=lambda one: (first[parts_of(one.name)[0]], one.name))
    return [one.attribute for one in columns_of(by_column)]


def _column(name: str, data_type: str, docs: str | None = None) -> str:
    described = f"\"{{{{ doc('{docs or name}') }}}}\""
    return f"      - name: {_plain(name)}\n        description: {described}\n        data_type: {_typed(data_type)}\n"


def is_jinja(name: str) -> bool:
    """Whether dbt would evaluate a name, as it does with names of columns in YAML."""
    return _without_jinja(name) != name


def _has_block(one: EntityAttribute) -> bool:
    """Whether a docs block can be called as an attribute; any other has its description in place."""
    return bool(re.fullmatch(r"\w+", one.name, re.ASCII))


def _described(one: EntityAttribute) -> str:
    return _sentence(one.description.removesuffix(GUESSED))


def _plain(name: str) -> str:
    """A name as YAML reads it, in lists too.

    >>> _plain("order_id"), _plain("on"), _plain("no"), _plain("unit-price"), _plain("a, b")
    ('order_id', '"on"', '"no"', 'unit-price', '"a, b"')
    """
    return name if re.fullmatch(r"[^\W\d][\w-]*", name) and yaml.safe_load(name) == name else _quoted(name)


def _typed(data_type: str) -> str:
    """A type as YAML reads it: on lines of its own as it is, in quotes where a name in it needs them."""
    return data_type if data_type.startswith(">") or re.fullmatch(r"\w[\w<>(),:]*", data_type) else _quoted(data_type)


def _quoted(text: str) -> str:
    """A text in quotes, as YAML reads it.

    >>> print(_quoted('x: "y"'), _quoted("%s"), _quoted("a" + chr(127)))
    "x: \\"y\\"" "%s" "a\\x7F"
    """
    return str(yaml.safe_dump(text, default_style='"', allow_unicode=True, width=math.inf)).rstrip("\n")


def _struct(attributes: list[EntityAttribute]) -> str:
    """The type of an image: on one line where it fits."""
    fields = [f"{spark_name(one.name)}:{described_type(one.data_type)}" for one in attributes]
    short = f"struct<{','.join(fields)}>"
    if len(short) + len("        data_type: ") <= LINE or "`" in short:
        return short
    lines = textwrap.wrap(f"struct<{', '.join(fields)}>", WIDTH - 10, break_long_words=False, break_on_hyphens=False)
    return ">-\n" + "\n".join(f"          {line}" for line in lines)


def _folded(key: str, text: str) -> str:
    """A text under a key of YAML, as long lines as there may be."""
    text = "".join(one if one.isprintable() else " " for one in _without_jinja(text))
    indent = " " * (len(key) - len(key.lstrip()) + 2)
    lines = textwrap.wrap(text, WIDTH - len(indent), break_long_words=False, break_on_hyphens=False)
    return f"{key}: >\n" + "".join(f"{indent}{line}\n" for line in lines)


def _words(entity: Entity) -> str:
    return entity.name.replace("_", " ").strip()


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), *names[-1:]])


def _sentence(text: str) -> str:
    """A description as a sentence that neither dbt nor Jinja takes for anything else."""
    plain = _without_jinja(" ".join(text.split()))
    return plain if plain.endswith((".", "!", "?")) else f"{plain}."


def _without_jinja(text: str) -> str:
    """A text in which Jinja finds nothing.

    >>> _without_jinja("{{{ x }}} {% y %}")
    '{ { { x }}} { % y %}'
    """
    return re.sub(r"\{(?=[{%#])", "{ ", text)
