{#- Reads the mapping as it stands, once per job: a dict
      entities  {entity: [{'name', 'data_type', 'is_key'}, …]}: attributes of the newest version, keys first
      blocks    {entity: [{'schema', 'versions', 'first_version', 'elements'}, …]}: D_P, versions of a schema that share one block put
                together; elements are {'attribute', 'data_type', 'entity_attribute'}
      state     content hash of the two (METL: the state i that trees, matrix and compiled mappings share)
    Both are empty where the mapping models have not been built yet. -#}
{% macro mapping_read() %}
  {%- do jobs_know() -%}
  {{ return(adapter.jobs_once('mapping', entrepot.mapping_read_anew)) }}
{% endmacro %}


{#- Reads the mapping (see `mapping_read`): as it was published, else from the mapping models. -#}
{% macro mapping_read_anew() %}
  {%- set mapping = entrepot.mapping_published() or {'entities': {}, 'blocks': {}, 'state': none} -%}
  {%- if mapping.state is none and load_cached_relation(jobs_named_relation('balanced_set', 'the mapping (docs/mapping.md)')) -%}
    {%- do entrepot.mapping_refuse_contradictions() -%}
    {%- for row in jobs_query(adapter.jobs_at_hand(model, entrepot.mapping_entities_sql())) -%}
      {%- do mapping.entities.setdefault(row.entity, []).append({'name': row.entity_attribute, 'data_type': row.data_type, 'is_key': row.is_key}) -%}
    {%- endfor -%}
    {%- for row in jobs_query(adapter.jobs_at_hand(model, entrepot.mapping_blocks_sql())) -%}
      {%- do mapping.blocks.setdefault(row.entity, []).append({
        'schema': row.schema, 'versions': fromjson(row.versions), 'elements': fromjson(row.elements),
        'first_version': row.first_version | int,
      }) -%}
    {%- endfor -%}
    {%- do mapping.update({'state': local_md5(tojson([mapping.entities, mapping.blocks], sort_keys=true))}) -%}
  {%- endif -%}
  {{ return(mapping) }}
{% endmacro %}


{#- The mapping as the newest snapshot published it, where none of its relations has moved since; else none. -#}
{% macro mapping_published() %}
  {%- for name in ['balanced_set', 'entity_attribute', 'schema_attribute', 'discovered_schema_attribute'] -%}
    {%- set relation = jobs_named_relation(name, 'the mapping (docs/mapping.md)') -%}
    {%- set published = adapter.jobs_published(relation) -%}
    {%- if published is none or published.version is none or jobs_pin(relation) != published.version -%}
      {{ return(none) }}
    {%- endif -%}
  {%- endfor -%}
  {%- set detail = adapter.jobs_published(jobs_named_relation('balanced_set', 'the mapping (docs/mapping.md)')).detail -%}
  {{ return(fromjson(detail) if detail else none) }}
{% endmacro %}


{#- What a published snapshot keeps of relations for the next job, {relation: text}: of balanced_set the mapping, as JSON. -#}
{% macro mapping_published_details() %}
  {%- do jobs_know() -%}
  {%- set node = adapter.jobs_node('balanced_set') -%}
  {%- set mapping = adapter.jobs_made('mapping') or entrepot.mapping_published() if node is not none else none -%}
  {{ return({node.relation: tojson(mapping)} if mapping and mapping.state is not none else {}) }}
{% endmacro %}


{#- SQL: the attributes of the newest version of every entity, keys first. -#}
{% macro mapping_entities_sql() %}
select entity, entity_attribute, data_type, coalesce(is_key, false) as is_key
from {{ jobs_named_relation('entity_attribute', 'the mapping (docs/mapping.md)') }}
qualify entity_version = max(entity_version) over (partition by entity)
order by entity, is_key desc, entity_attribute
{% endmacro %}


{#- SQL: D_P to the newest version of every entity with the type of every attribute, one row per entity, schema and block:
    versions that share a block (and their types) share a row. A version whose types nobody knows parses with the types of
    the version before. -#}
{% macro mapping_blocks_sql() %}
with typed as (
  select
    schema,
    version,
    attribute,
    coalesce(data_type, last_value(data_type, true) over (partition by schema, attribute order by version)) as data_type
  from {{ jobs_named_relation('schema_tree', 'the mapping (docs/mapping.md)') }}
),
newest as (
  select entity, max(entity_version) as entity_version from {{ jobs_named_relation('entity_attribute', 'the mapping (docs/mapping.md)') }} group by entity
),
block as (
  select
    balanced_set.entity,
    balanced_set.schema,
    balanced_set.version,
    to_json(array_sort(collect_list(struct(
      balanced_set.entity_attribute, balanced_set.attribute, coalesce(typed.data_type, 'text') as data_type
    )))) as elements
  from {{ jobs_named_relation('balanced_set', 'the mapping (docs/mapping.md)') }} as balanced_set
  inner join newest on balanced_set.entity = newest.entity and balanced_set.entity_version = newest.entity_version
  inner join typed
    on balanced_set.schema = typed.schema and balanced_set.version = typed.version and balanced_set.attribute = typed.attribute
  group by balanced_set.entity, balanced_set.schema, balanced_set.version
)
select
  entity,
  schema,
  elements,
  to_json(array_sort(collect_list(version))) as versions,
  min(min(version)) over (partition by entity, schema) as first_version
from block
group by entity, schema, elements
order by entity, schema, versions
{% endmacro %}
