{#- The messages that a mapped model sends, `mapped` being its ref (METL, algorithm 6: only attributes that are not null; a message without any is not sent):
    one for each of its events that could be mapped.
    Columns: event_id, commit_position, op, message_key and message (JSON). -#}
{% macro outgoing_messages(mapped) %}
  {%- if not execute -%}
    {{ return('') }}
  {%- endif -%}
  {%- set mapping = entrepot.mapping_read() -%}
  {%- set node = entrepot.outgoing_mapped_node(mapped) -%}
  {%- set entity, number = node.config.entity, entrepot.outgoing_version(node, mapping) -%}
  {%- if mapping.state is not none and adapter.jobs_hold_lock() -%}
    {%- do adapter.mapping_refuse_older_rows(adapter.jobs_node(node.name), entity, mapping) -%}
  {%- endif -%}
  {%- set attributes = adapter.mapping_columns(mapping.entities.get(entity, {}).get(number, [])) -%}
select
  event_id, commit_position, op,
  {% if attributes %}if(op = 't', null, to_json(struct(
{%- for attribute in attributes | selectattr('is_key') -%}
    {{ adapter.sql_name(attribute.name) }}{{ ', ' if not loop.last }}
{%- endfor -%}
  ))){% else %}cast(null as string){% endif %} as message_key,
  to_json(
    struct(
      {{ adapter.sql_literal(entity) }} as entity, {{ number }} as entity_version, op, before, after,
      nullif(array_compact(array(
{%- for attribute in attributes %}
        if(after.{{ adapter.sql_name(attribute.name) }} is null and array_contains(present, {{ adapter.sql_literal(attribute.name) }}), {{ adapter.sql_literal(attribute.name) }}, null){{ ',' if not loop.last }}
{%- endfor %}
      )), array()) as nulls,
      {{ entrepot.outgoing_state(mapping.blocks.get(entity, {}).get(number, [])) }} as mapping_state,
      struct(
        source_system as system, schema_name as schema, schema_version as version, event_id, transaction_id,
        commit_position.committed_at, commit_position.log_commit, commit_position.log_position, commit_position.log_serial
      ) as source
    ),
    map('timestampFormat', "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX")
  ) as message
from {{ mapped }}
where mapping_error is null and (op = 't' or to_json(coalesce(after, before)) != '{}')
{% endmacro %}


{#- The mapped model that messages are made from, a node of dbt's graph. -#}
{% macro outgoing_mapped_node(mapped) %}
  {%- for node in adapter.jobs_graph().nodes.values() if node.resource_type == 'model' and node.schema == mapped.schema and node.alias == mapped.identifier -%}
    {%- if node.config.get('entity') -%}
      {{ return(node) }}
    {%- endif -%}
  {%- endfor -%}
  {%- do exceptions.raise_compiler_error(
    "outgoing_messages(" ~ mapped ~ "): messages are made from a mapped model, and this one names no entity in its config. "
    ~ "For example: {{ outgoing_messages(ref('mapped_customer')) }}. See docs/mapping.md."
  ) -%}
{% endmacro %}


{#- The version of the entity that a mapped model, a node of dbt's graph, maps to, as text. -#}
{% macro outgoing_version(node, mapping) %}
  {{ return((node.config.get('entity_version') or mapping.newest.get(node.config.entity, 1)) | string) }}
{% endmacro %}


{#- What is kept with the messages of a model: the state of the mapping, the version of their entity, and its name. -#}
{% macro outgoing_state_of_model(model) %}
  {%- set mapping = entrepot.mapping_read() -%}
  {%- for node in adapter.jobs_graph().nodes.values() if node.unique_id in model.depends_on.nodes and node.config.get('entity') and mapping.state is not none -%}
    {{ return(mapping.state ~ ' ' ~ entrepot.outgoing_version(node, mapping) ~ ' ' ~ node.config.entity) }}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}


{#- SQL: the state of the block that has mapped an event (METL 3.4), a content hash of its elements with their types; null of a truncate. -#}
{% macro outgoing_state(blocks) -%}
{%- if blocks -%}
case
{%- for block in blocks %}
        when schema_name = {{ adapter.sql_literal(block.schema) }} and schema_version in ({{ block.versions | join(', ') }}) then '{{ local_md5(tojson(block.elements, sort_keys=true)) }}'
{%- endfor %}
      end
{%- else -%}
cast(null as string)
{%- endif -%}
{%- endmacro %}
