{#- The body of a mapped model: the change events of every source schema that has a block to `entity`, relabelled to the
    attributes of the entity in one version, the newest where none is named (METL, algorithm 6, one block at a time). Compiled from D_P as it stands in this job; per
    schema and block one typed `from_json` per image and one projection.
    Columns: event_id, source_system, schema_name, schema_version, op, commit_position, committed_at, transaction_id,
    the entity's key columns, `before` and `after` (structs of all its attributes; of a delete only the key is known),
    `present` (the attributes that the after image carries: absent is not null), `mapping_error` (what did not fit). -#}
{% macro map_to_entity(entity, version=none) %}
  {%- set events = ref('change_event') -%}
  {%- set tree = [ref('balanced_set'), ref('schema_tree'), ref('entity_attribute')] -%}
  {%- if not execute -%}
    {{ return('') }}
  {%- endif -%}
  {%- set mapping = entrepot.mapping_read() -%}
  {%- set versions = mapping.entities.get(entity, {}) -%}
  {%- if not versions and mapping.state is not none -%}
    {%- do exceptions.raise_compiler_error(
      "map_to_entity('" ~ entity ~ "'): the seed entity_attribute has no such entity. It has: "
      ~ (mapping.entities.keys() | sort | join(', ') or 'none') ~ ". Add its attributes to the seed, or correct the name in " ~ model.path ~ "."
    ) -%}
  {%- elif version is not none and version | string not in versions and mapping.state is not none -%}
    {%- do exceptions.raise_compiler_error(
      "map_to_entity('" ~ entity ~ "', " ~ version ~ "): the seed entity_attribute has no such version. It has: " ~ versions.keys() | join(', ')
      ~ ". Take " ~ model.path ~ " out where the version is retired, or correct the number."
    ) -%}
  {%- endif -%}
  {%- set number = (mapping.newest.get(entity) if version is none else version) | string -%}
  {%- set attributes = versions.get(number) -%}
  {%- set branches = [] -%}
  {%- for block in mapping.blocks.get(entity, {}).get(number, []) -%}
    {%- do branches.append(entrepot.mapping_block_sql(block, attributes, events)) -%}
  {%- endfor -%}
  {{ return(branches | join('\nunion all\n') or entrepot.mapping_nothing_sql(attributes or [], events)) }}
{% endmacro %}


{#- SQL of one block: the events of `block.versions` of `block.schema`; its first block takes the schema's truncates. The versions are the last
    condition of all, and the only thing that changes where one joins or leaves the block: so a job sees which events are mapped as before. -#}
{% macro mapping_block_sql(block, attributes, events) %}
  {%- set columns = entrepot.mapping_block_columns(block, attributes) -%}
-- {{ block.schema }} versions {{ block.versions | join(', ') }}: {{ block.elements | length }} of {{ attributes | length }} attributes
select
  event_id, source_system, schema_name, schema_version, op, commit_position, committed_at, transaction_id,
{%- for attribute in attributes if attribute.is_key %}
  coalesce({{ adapter.sql_name('after_' ~ attribute.name) }}, {{ adapter.sql_name('before_' ~ attribute.name) }}) as {{ adapter.sql_name(attribute.name) }},
{%- endfor %}
  if(image_before is null, null, struct({{ columns.before | join(', ') }})) as before,
  if(image_after is null, null, struct({{ columns.after | join(', ') }})) as after,
  if(image_after is null, array(), array_compact(array({{ columns.present | join(', ') }}))) as present,
  nullif(array_join(array_compact(array(
    {{ columns.checks | join(',\n    ') }}
  )), '; '), '') as mapping_error
from (
  select
    *,
    {{ (columns['values'].after + columns['values'].before) | join(',\n    ') }}
  from (
{%- if columns.source %}
    select
      *,
      {{ columns.source | join(',\n      ') }}
    from (
{%- endif %}
{{- entrepot.mapping_parsed_sql(block, columns.parsing, events) }}
{%- if columns.source %}
    )
{%- endif %}
  )
)
where schema_version in ({{ block.versions | join(', ') }}){{ " or op = 't'" if block.versions | min == block.first_version }}
{% endmacro %}


{#- SQL of the events of a schema with their images parsed: `<struct>_after` and `<struct>_before` of each struct. -#}
{% macro mapping_parsed_sql(block, parsing, events) -%}
{%- set of_documents = parsing.documents | map(attribute='structs') | sum(start=[]) -%}
{%- if of_documents %}
    select
      *,
      {{ entrepot.mapping_parsed_documents(parsing) | join(',\n      ') }}
    from (
{%- endif %}
    select
      * except (after, before),
      coalesce({{ entrepot.landing_half_character('after') }}, false) or coalesce({{ entrepot.landing_half_character('before') }}, false) as half_a_character,
{%- if parsing.paths %}
      after as json_after,
{%- endif %}
{%- for struct in parsing.structs if struct not in of_documents %}
{%- for image in ['after', 'before'] %}
      {{ entrepot.mapping_parsed_image(parsing, struct, image) }}{{ ',' if not loop.last }}
{%- endfor %}{{ ',' if not loop.last }}
{%- endfor %}
    from {{ events }}
    where schema_name = {{ adapter.sql_literal(block.schema) }}
{%- if of_documents %}
    )
{%- endif %}
{%- endmacro %}


{#- SQL without rows, with the columns of a mapped model: for an entity that no block feeds yet. -#}
{% macro mapping_nothing_sql(attributes, events) %}
  {%- set block = {'schema': '', 'versions': [0], 'first_version': none, 'elements': []} -%}
  {{ return(entrepot.mapping_block_sql(block, attributes, events)) }}
{% endmacro %}
