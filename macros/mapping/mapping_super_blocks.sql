{#- SQL of the version super-blocks of a matrix (METL 5.3.2): one row for each schema and each entity that it feeds, with
      versions  all versions of the schema, from the lowest on: structs of version, names (of its attributes) and renames
                (structs of renamed_from and attribute)
      blocks    the elements by version, for those versions that have a block here; a null block has no elements
    The arguments are those of `mapping_decompact`. -#}
{% macro mapping_super_blocks(blocks, tree) -%}
with
schema_version as (
  select
    schema,
    version,
    collect_set(attribute) as names,
    array_sort(collect_set(struct(renamed_from, attribute)) filter (where renamed_from <> '')) as renames
  from {{ tree }}
  group by schema, version
),
schema_history as (
  select schema, array_sort(collect_list(struct(version, names, renames))) as versions
  from schema_version
  group by schema
),
block as (
  select
    schema,
    version,
    entity,
    collect_set(struct(entity_version, attribute, entity_attribute))
      filter (where attribute <> '' and entity_attribute <> '') as elements
  from {{ blocks }}
  group by schema, version, entity
)
select schema, entity, any_value(versions) as versions, map_from_entries(collect_list(struct(version, elements))) as blocks
from block join schema_history using (schema)
group by schema, entity
{%- endmacro %}
