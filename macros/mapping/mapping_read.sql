{#- Reads the mapping as it stands, once per job: a dict
      entities  {entity: [{'name', 'data_type', 'is_key'}, …]}: attributes of the newest version, keys first
      blocks    {entity: [{'schema', 'versions', 'elements'}, …]}: D_P, versions of a schema that share one block put
                together; elements are {'attribute', 'data_type', 'entity_attribute'}
      state     content hash of the two (METL: the state i that trees, matrix and compiled mappings share)
    Both are empty where the mapping models have not been built yet. -#}
{% macro mapping_read() %}
  {%- set state = jobs_state() -%}
  {%- if 'mapping' not in state -%}
    {%- set mapping = {'entities': {}, 'blocks': {}, 'state': none} -%}
    {%- if load_cached_relation(mapping_relation('balanced_set')) -%}
      {%- for row in jobs_query(mapping_entities_sql()) -%}
        {%- do mapping.entities.setdefault(row.entity, []).append({'name': row.entity_attribute, 'data_type': row.data_type, 'is_key': row.is_key}) -%}
      {%- endfor -%}
      {%- for row in jobs_query(mapping_blocks_sql()) -%}
        {%- do mapping.blocks.setdefault(row.entity, []).append({
          'schema': row.schema, 'versions': fromjson(row.versions), 'elements': fromjson(row.elements),
          'first_version': row.first_version | int,
        }) -%}
      {%- endfor -%}
      {%- do mapping.update({'state': local_md5(tojson([mapping.entities, mapping.blocks], sort_keys=true))}) -%}
    {%- endif -%}
    {%- do state.update({'mapping': mapping}) -%}
  {%- endif -%}
  {{ return(state['mapping']) }}
{% endmacro %}


{#- SQL: the attributes of the newest version of every entity, keys first. -#}
{% macro mapping_entities_sql() %}
select entity, entity_attribute, data_type, coalesce(is_key, false) as is_key
from {{ mapping_relation('entity_attribute') }}
qualify entity_version = max(entity_version) over (partition by entity)
order by entity, is_key desc, entity_attribute
{% endmacro %}


{#- SQL: D_P with the type of every attribute, one row per entity, schema and block: versions that share a block (and
    their types) share a row. A version whose types nobody knows parses with the types of the version before. -#}
{% macro mapping_blocks_sql() %}
with typed as (
  select
    schema,
    version,
    attribute,
    coalesce(data_type, last_value(data_type, true) over (partition by schema, attribute order by version)) as data_type
  from {{ mapping_relation('schema_tree') }}
),
block as (
  select
    balanced_set.entity,
    balanced_set.schema,
    balanced_set.version,
    to_json(array_sort(collect_list(struct(
      balanced_set.entity_attribute, balanced_set.attribute, coalesce(typed.data_type, 'text') as data_type
    )))) as elements
  from {{ mapping_relation('balanced_set') }} as balanced_set
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


{#- The relation of one of the mapping models or seeds, by its name. -#}
{% macro mapping_relation(name) %}
  {%- for node in graph.nodes.values() if node.resource_type in ['model', 'seed'] and node.name == name -%}
    {{ return(jobs_node_relation(node)) }}
  {%- endfor -%}
  {%- do exceptions.raise_compiler_error("The project has no model or seed " ~ name ~ ": the mapping needs it (docs/mapping.md).") -%}
{% endmacro %}
