{#- The body of a mapped model: the change events of every source schema that has a block to `entity`, relabelled to the
    attributes of the entity in one version, the newest where none is named (METL, algorithm 6). Compiled from D_P as it stands in this job: a typed
    `from_json` for each block and image, and one projection for all blocks whose images are parsed into the same fields.
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
  {%- set blocks = mapping.blocks.get(entity, {}).get(number, []) -%}
  {{ return(entrepot.mapping_entity_sql(blocks, attributes, events) if blocks else entrepot.mapping_nothing_sql(attributes or [], events)) }}
{% endmacro %}


{#- SQL of some blocks to one version of an entity: a branch for those that share a projection. What they do not share, how images are parsed and which events
    are theirs, is in a `case` and in the last condition of all: so a job sees which events are mapped as before where a block comes, goes or changes. -#}
{% macro mapping_entity_sql(blocks, attributes, events) %}
  {%- set shared = {} -%}
  {%- for block in blocks -%}
    {%- set columns = entrepot.mapping_block_columns(block, attributes) -%}
    {%- set projection = tojson(dict(columns, images=columns.images.keys() | list, documents=columns.documents.keys() | list)) -%}
    {%- do shared.setdefault(projection, []).append(dict(block, columns=columns)) -%}
  {%- endfor -%}
  {%- set branches = [] -%}
  {%- for alike in shared.values() -%}
    {%- do branches.append(entrepot.mapping_branch_sql(alike, attributes, events)) -%}
  {%- endfor -%}
  {{ return(branches | join('\nunion all\n')) }}
{% endmacro %}


{#- SQL of the events of some blocks that share a projection; `columns` of each are its parts (`mapping_block_columns`). -#}
{% macro mapping_branch_sql(blocks, attributes, events) %}
  {%- set columns = blocks[0].columns -%}
  {%- set found = namespace(rows=entrepot.mapping_parsed_sql(blocks, events)) -%}
  {#- what a level names is of the level below -#}
  {%- for level in [columns.fields, columns.source, columns['values'].after + columns['values'].before, columns.told] if level -%}
    {%- set found.rows = '\n  select\n    *,\n    ' ~ level | join(',\n    ') ~ '\n  from (' ~ found.rows ~ '\n  )\n' -%}
  {%- endfor -%}
{%- for block in blocks -%}
-- {{ block.schema.split() | join(' ') }} versions {{ block.versions | join(', ') }}: {{ block.elements | length }} of {{ attributes | length }} attributes
{% endfor -%}
select
  event_id, source_system, schema_name, schema_version, op, commit_position, committed_at, transaction_id,
{%- for attribute in attributes if attribute.is_key %}
  coalesce({{ adapter.sql_name('after_' ~ attribute.name) }}, {{ adapter.sql_name('before_' ~ attribute.name) }}) as {{ adapter.sql_name(attribute.name) }},
{%- endfor %}
  if(image_before is null, null, struct({{ columns.before | join(', ') }})) as before,
  if(image_after is null, null, struct({{ columns.after | join(', ') }})) as after,
  if(image_after is null, array(), {{ entrepot.mapping_present(columns) }}) as present,
  {{ entrepot.mapping_error(columns) }} as mapping_error
from ({{ found.rows }})
where {{ entrepot.mapping_events_of(blocks) }}
{% endmacro %}


{#- SQL of the names of the attributes that an after image carries: mostly all of them, one array for all rows. A lambda picks them out where some are not there, and
    where asking costs more than picking. -#}
{% macro mapping_present(columns) -%}
{%- set carried = entrepot.mapping_with_alike(columns.carried, columns.carried_alike) -%}
{%- set picked = 'array_compact(' ~ entrepot.mapping_with_alike(columns.present, columns.present_alike) ~ ')' -%}
{%- set asked = columns.present | reject('in', columns.carried) | list -%}
{%- if not asked and columns.present_alike == columns.carried_alike -%}
{{ carried }}
{%- elif columns.told or columns.paths -%}
{{ picked }}
{%- else -%}
if({{ asked | join(' is null or ') }} is null, {{ picked }}, {{ carried }})
{%- endif -%}
{%- endmacro %}


{#- SQL of an array of some values, those of the attributes that are mapped alike, which are arrays, behind the others. -#}
{% macro mapping_with_alike(values, alike) -%}
{%- set array = 'array(' ~ values | join(', ') ~ ')' -%}
{{ 'concat(' ~ ([array] + alike) | join(', ') ~ ')' if alike else array }}
{%- endmacro %}


{#- SQL of what did not fit, each in a sentence; null where all is well, as mostly: sentences are put together only where there is one. -#}
{% macro mapping_error(columns) -%}
{%- set said = "concat_ws('; ',\n    " ~ columns.checks | join(',\n    ') ~ '\n  )' -%}
{%- if columns.told -%}
nullif({{ said }}, '')
{%- else -%}
if(
    {{ columns.checks | join(' is not null\n    or ') }} is not null,
    {{ said }}, null
  )
{%- endif -%}
{%- endmacro %}


{#- SQL of all events with their images parsed as the block of each says: `<struct>_after` and `<struct>_before` of each struct. -#}
{% macro mapping_parsed_sql(blocks, events) -%}
{%- set columns = blocks[0].columns -%}
{%- if columns.documents %}
    select
      *,
      {{ entrepot.mapping_parsed_by_block(blocks, 'documents') | join(',\n      ') }}
    from (
{%- endif %}
    select
      * except (after, before),
      coalesce({{ entrepot.landing_half_character('after') }}, false) or coalesce({{ entrepot.landing_half_character('before') }}, false) as half_a_character,
      after as json_after,
      before as json_before,
      {{ entrepot.mapping_parsed_by_block(blocks, 'images') | join(',\n      ') }}
    from (
      select
        *,
        {{ columns.texts | join(',\n        ') }}
      from {{ events }}
    )
{%- if columns.documents %}
    )
{%- endif %}
{%- endmacro %}


{#- A list of SQL of columns: images or documents (`part`), each parsed as the block of the event says. -#}
{% macro mapping_parsed_by_block(blocks, part) %}
  {%- set found = [] -%}
  {%- for column in blocks[0].columns[part] -%}
    {%- set schemas = [] -%}
    {%- for schema, own in blocks | groupby('schema') -%}
      {%- set versions = [] -%}
      {%- for block in own -%}
        {%- do versions.append('when schema_version in (' ~ block.versions | join(', ') ~ ') then ' ~ block.columns[part][column]) -%}
      {%- endfor -%}
      {%- do schemas.append('when schema_name = ' ~ adapter.sql_literal(schema) ~ ' then case\n        ' ~ versions | join('\n        ') ~ '\n      end') -%}
    {%- endfor -%}
    {%- do found.append('case ' ~ schemas | join('\n      ') ~ ' end as ' ~ column) -%}
  {%- endfor -%}
  {{ return(found) }}
{% endmacro %}


{#- SQL of a condition: the events of some blocks. Truncates have no version; they go with the first block of their schema. -#}
{% macro mapping_events_of(blocks) %}
  {%- set schemas = [] -%}
  {%- for schema, own in blocks | groupby('schema') -%}
    {%- set versions = own | map(attribute='versions') | sum(start=[]) | sort -%}
    {%- set events = 'schema_version in (' ~ versions | join(', ') ~ ')' -%}
    {%- set events = '(' ~ events ~ " or op = 't')" if own[0].first_version in versions else events -%}
    {%- do schemas.append('schema_name = ' ~ adapter.sql_literal(schema) ~ ' and ' ~ events) -%}
  {%- endfor -%}
  {{ return(schemas[0] if schemas | length == 1 else '(' ~ schemas | join(')\n  or (') ~ ')') }}
{% endmacro %}


{#- SQL without rows, with the columns of a mapped model: for an entity that no block feeds yet. -#}
{% macro mapping_nothing_sql(attributes, events) %}
  {%- set block = {'schema': '', 'versions': [0], 'first_version': none, 'elements': []} -%}
  {{ return(entrepot.mapping_entity_sql([block], attributes, events)) }}
{% endmacro %}
