{#- The mapping that this job maps by, read once: a dict
      entities  {entity: {version: [{'name', 'data_type', 'is_key'}, …]}}: attributes of every version, keys first; versions are texts
      newest    {entity: its newest version}
      blocks    {entity: {version: [{'schema', 'versions', 'first_version', 'elements'}, …]}}: D_P, versions of a schema that share one block put
                together; elements are {'attribute', 'data_type', 'entity_attribute'}, and
                of an attribute inside of a column `parents`, [{'attribute', 'data_type'}, …]
      state     content hash of entities and blocks (METL 3.4: the state i that trees, matrix, compiled models and mapped rows share)
    All are empty where the mapping models have not been built yet. Variable `mapping_state` holds the mapping in an earlier state. -#}
{% macro mapping_read() %}
  {%- do jobs_know() -%}
  {%- if var('mapping_state', none) and adapter.jobs_hold_lock() -%}
    {{ return(adapter.jobs_once('mapping held', entrepot.mapping_read_held)) }}
  {%- endif -%}
  {{ return(adapter.jobs_once('mapping', entrepot.mapping_read_anew)) }}
{% endmacro %}


{#- Reads the mapping (see `mapping_read`): as it was published, else from the mapping models. What is out of sync is refused where rows are written by it. -#}
{% macro mapping_read_anew() %}
  {%- if adapter.jobs_hold_lock() -%}
    {%- do adapter.mapping_refuse_older_blocks(var('entrepot_seed_reader', none)) -%}
  {%- endif -%}
  {%- set mapping = entrepot.mapping_as_it_is() -%}
  {%- for sentence in adapter.mapping_versions_without_model(mapping, project_name) -%}
    {%- do exceptions.warn(sentence) -%}
  {%- endfor -%}
  {{ return(mapping) }}
{% endmacro %}


{#- The mapping in the state that variable `mapping_state` names; says what is held back. -#}
{% macro mapping_read_held() %}
  {{ return(adapter.mapping_held(var('mapping_state'), entrepot.mapping_as_it_is())) }}
{% endmacro %}


{#- The mapping of the seeds and of what has been discovered: as it was published, else from the mapping models. -#}
{% macro mapping_as_it_is() %}
  {%- set mapping = entrepot.mapping_published() or {'entities': {}, 'newest': {}, 'blocks': {}, 'state': none} -%}
  {%- if mapping.state is none and load_cached_relation(jobs_named_relation('balanced_set', 'the mapping (docs/mapping.md)')) -%}
    {%- do entrepot.mapping_refuse_contradictions() -%}
    {%- for row in jobs_query(adapter.jobs_at_hand(model, entrepot.mapping_entities_sql())) -%}
      {%- set version = row.entity_version | int | string -%}
      {%- do mapping.newest.update({row.entity: version}) -%}
      {%- do mapping.entities.setdefault(row.entity, {}).setdefault(version, []).append({
        'name': row.entity_attribute, 'data_type': row.data_type, 'is_key': row.is_key,
      }) -%}
    {%- endfor -%}
    {%- for row in jobs_query(adapter.jobs_at_hand(model, entrepot.mapping_blocks_sql())) -%}
      {%- do mapping.blocks.setdefault(row.entity, {}).setdefault(row.entity_version | int | string, []).append({
        'schema': row.schema, 'versions': fromjson(row.versions), 'elements': fromjson(row.elements),
        'first_version': row.first_version | int,
      }) -%}
    {%- endfor -%}
    {%- do mapping.update({'state': local_md5(tojson([mapping.entities, mapping.blocks], sort_keys=true))}) -%}
  {%- endif -%}
  {{ return(mapping) }}
{% endmacro %}


{#- The state of the mapping that a model's rows are mapped by; of messages with the version and the name of their entity behind it; none of other models. -#}
{% macro mapping_state_of_model(model) %}
  {%- if 'macro.entrepot.outgoing_messages' in model.depends_on.macros -%}
    {{ return(entrepot.outgoing_state_of_model(model)) }}
  {%- endif -%}
  {{ return(entrepot.mapping_read().state if model.config.get('entity') else none) }}
{% endmacro %}


{#- The attributes of the version of an entity that a mapped model maps to (`config` is its config), keys first; none where there is no such version. Raises
    where the model's rows are of another state of the mapping. -#}
{% macro mapping_attributes_of_model(node, config) %}
  {%- set mapping, entity = entrepot.mapping_read(), config.get('entity') -%}
  {%- if entity and mapping.state is not none and adapter.jobs_hold_lock() -%}
    {%- do adapter.mapping_refuse_older_rows(node, entity, mapping) -%}
  {%- endif -%}
  {%- set attributes = mapping.entities.get(entity, {}).get((config.get('entity_version') or mapping.newest.get(entity)) | string) -%}
  {{ return(adapter.mapping_columns(attributes) if attributes else attributes) }}
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
  {%- set mapping = fromjson(detail) if detail else none -%}
  {#- an older entrepot has written it without versions -#}
  {{ return(mapping if mapping and mapping.get('newest') is not none else none) }}
{% endmacro %}


{#- What a published snapshot keeps of relations for the next job, {relation: text}: of balanced_set the mapping, as JSON;
    nothing where this job does not know it. -#}
{% macro mapping_published_details() %}
  {%- do jobs_know() -%}
  {%- set node = adapter.jobs_node('balanced_set') -%}
  {%- set mapping = adapter.jobs_made('mapping') or entrepot.mapping_published() if node is not none else none -%}
  {{ return({node.relation: tojson(mapping) if mapping and mapping.state is not none else ''} if node is not none else {}) }}
{% endmacro %}


{#- The schemas whose changes come into a mapped model, {relation: schemas}: those with a block to its entity, in any version; nothing where this job does
    not know the mapping. -#}
{% macro mapping_feeds() %}
  {%- do jobs_know() -%}
  {%- set mapping = adapter.jobs_made('mapping') or (entrepot.mapping_published() if adapter.jobs_node('balanced_set') is not none else none) -%}
  {{ return(adapter.mapping_feeds(mapping) if mapping else {}) }}
{% endmacro %}


{#- SQL: the attributes of every version of every entity, older versions and keys first. -#}
{% macro mapping_entities_sql() %}
select entity, entity_version, entity_attribute, data_type, coalesce(is_key, false) as is_key
from {{ jobs_named_relation('entity_attribute', 'the mapping (docs/mapping.md)') }}
order by entity, entity_version, is_key desc, entity_attribute
{% endmacro %}


{#- SQL: D_P with the type of every attribute, one row per entity version, schema and block: versions that share a block (and
    their types) share a row. A version whose types nobody knows parses with the types of the version before. An attribute that is inside of others
    has their types, too (`parents`): they say how it travels. -#}
{% macro mapping_blocks_sql() %}
with typed as (
  select
    schema,
    version,
    attribute,
    coalesce(data_type, last_value(data_type, true) over (partition by schema, attribute order by version)) as data_type
  from {{ jobs_named_relation('schema_tree', 'the mapping (docs/mapping.md)') }}
),
inside as (
  select
    field.schema,
    field.version,
    field.attribute,
    array_sort(collect_list(struct(parent.attribute, parent.data_type))) as parents
  from typed as field
  inner join typed as parent
    on field.schema = parent.schema and field.version = parent.version and {{ entrepot.landing_is_inside('field.attribute', 'parent.attribute') }}
  where {{ entrepot.landing_may_be_inside('field.attribute') }} and parent.data_type is not null
  group by field.schema, field.version, field.attribute
),
block as (
  select
    balanced_set.entity,
    balanced_set.entity_version,
    balanced_set.schema,
    balanced_set.version,
    to_json(array_sort(collect_list(struct(
      balanced_set.entity_attribute, balanced_set.attribute, coalesce(typed.data_type, '') as data_type, inside.parents
    )))) as elements
  from {{ jobs_named_relation('balanced_set', 'the mapping (docs/mapping.md)') }} as balanced_set
  inner join typed
    on balanced_set.schema = typed.schema and balanced_set.version = typed.version and balanced_set.attribute = typed.attribute
  left join inside
    on balanced_set.schema = inside.schema and balanced_set.version = inside.version and balanced_set.attribute = inside.attribute
  group by balanced_set.entity, balanced_set.entity_version, balanced_set.schema, balanced_set.version
)
select
  entity,
  entity_version,
  schema,
  elements,
  to_json(array_sort(collect_list(version))) as versions,
  min(min(version)) over (partition by entity, entity_version, schema) as first_version
from block
group by entity, entity_version, schema, elements
order by entity, entity_version, schema, versions
{% endmacro %}
