"""The same mapping as people write it: a typed `from_json` for each schema version, in a union or in one SELECT; and METL's algorithm 1."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.mapping.messages.sources import ATTRIBUTES, Attribute, Version

ENVELOPE = "event_id, source_system, schema_name, schema_version, op, commit_position, committed_at, transaction_id"
KEYS = tuple(one for one in ATTRIBUTES if one.name == "thing_id")


def union(versions: Sequence[Version], events: str) -> str:
    """Return a SELECT for each version, of the after image alone: no before image, no word of what does not fit or was absent."""
    return "\nunion all\n".join(_after_alone(one, events) for one in versions)


def one_scan(versions: Sequence[Version], events: str) -> str:
    """Return one SELECT of the same: the version chooses, by CASE, how the image is parsed into fields that all versions share."""
    kinds = ", ".join(f"{one.name}: {one.wire}" for one in ATTRIBUTES)
    arms = "\n".join(
        f"    when schema_name = '{one.schema}' and schema_version = {one.number} then "
        f"cast(from_json(after, '{_fields(one, is_complete=True)}') as struct<{kinds}>)"
        for one in versions
    )
    values = ", ".join(f"{one.typed.format(f'image.{one.name}')} as {one.name}" for one in ATTRIBUTES)
    return (
        f"select {ENVELOPE}, image.thing_id as thing_id, if(image is null, null, struct({values})) as after\n"
        f"from (\n  select *, case\n{arms}\n  end as image\n  from {events}\n)"
    )


def complete(versions: Sequence[Version], events: str) -> str:
    """Return a SELECT for each version that does what the compiled SQL does: both images, what is there, what does not fit."""
    return "\nunion all\n".join(_complete(one, events) for one in versions)


def sparse(matrix: str, events: str) -> str:
    """Return algorithm 1 (METL 5.2): every element of a message's column of M one by one, 0s too; nulls are kept.

    Args:
        matrix: a table of all elements: schema_name, schema_version, attribute, entity_attribute, element (0 or 1)
        events: the table of events
    """
    fields = ", ".join(
        f"{one.typed.format(f'''cast(max(value) filter (where entity_attribute = '{one.name}') as {one.wire})''')} as {one.name}"
        for one in ATTRIBUTES
    )
    return f"""select /*+ broadcast(element) */ event_id, struct({fields}) as after
from (
  select event_id, entity_attribute, if(element = 1, image[attribute], null) as value
  from (select *, from_json(after, 'map<string, string>') as image from {events} where after is not null) as event
  inner join {matrix} as element using (schema_name, schema_version)
)
group by event_id"""


def matrix(versions: Sequence[Version]) -> str:
    """Return the SELECT of all elements of M, 0s too."""
    rows = (
        f"('{one.schema}', {one.number}, '{field.name}', '{attribute.name}', {int(field.fills == attribute)})"
        for one in versions
        for field in one.fields
        for attribute in ATTRIBUTES
    )
    return (
        f"select * from values {', '.join(rows)} as (schema_name, schema_version, attribute, entity_attribute, element)"
    )


def _fields(version: Version, is_complete: bool = False) -> str:
    """The schema of an image: the fields that are mapped, in the entity's order; with a field that never comes for each that is not."""
    found = ((one, version.source_of(one)) for one in ATTRIBUTES)
    return ", ".join(
        f"{field.name if field else f'never_{one.name}'} {one.wire}" for one, field in found if field or is_complete
    )


def _value(version: Version, attribute: Attribute, image: str) -> str:
    field = version.source_of(attribute)
    return attribute.typed.format(f"{image}.{field.name}") if field else f"cast(null as {_spark(attribute)})"


def _spark(attribute: Attribute) -> str:
    return {"integer": "bigint", "text": "string"}.get(attribute.canonical, attribute.canonical)


def _where(version: Version) -> str:
    return f"where schema_name = '{version.schema}' and schema_version = {version.number}"


def _after_alone(version: Version, events: str) -> str:
    values = ", ".join(f"{_value(version, one, 'image')} as {one.name}" for one in ATTRIBUTES)
    keys = ", ".join(f"{_value(version, one, 'image')} as {one.name}" for one in KEYS)
    return (
        f"select {ENVELOPE}, {keys}, if(image is null, null, struct({values})) as after\n"
        f"from (select *, from_json(after, '{_fields(version)}') as image from {events} {_where(version)})"
    )


def _complete(version: Version, events: str) -> str:
    schema, option = f"misfit string, {_fields(version)}", "map('columnNameOfCorruptRecord', 'misfit')"
    typed = {
        image: {one: _value(version, one, f"image_{image}") for one in ATTRIBUTES} for image in ("after", "before")
    }
    keys = ", ".join(f"coalesce({typed['after'][one]}, {typed['before'][one]}) as {one.name}" for one in KEYS)
    after = ", ".join(f"{value} as {one.name}" for one, value in typed["after"].items())
    before = ", ".join(
        f"{value if one in KEYS else f'''if(op = 'd', null, {value})'''} as {one.name}"
        for one, value in typed["before"].items()
    )
    present = ", ".join(f"'{one.name}'" for one in ATTRIBUTES if version.source_of(one))
    return (
        f"select {ENVELOPE}, {keys}, if(image_before is null, null, struct({before})) as before,\n"
        f"  if(image_after is null, null, struct({after})) as after, if(image_after is null, array(), array({present})) as present,\n"
        "  if(image_after.misfit is not null or image_before.misfit is not null, 'an image does not fit its types', null) as mapping_error\n"
        f"from (select *, from_json(after, '{schema}', {option}) as image_after, from_json(before, '{schema}', {option}) as image_before\n"
        f"  from {events} {_where(version)})"
    )
