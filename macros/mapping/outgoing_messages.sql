{#- The messages that a mapped model sends (METL: the outgoing message, with the attributes that are not null): one for each of its events
    that could be mapped and is not empty. `mapped` is the model's relation.
    Columns: event_id, commit_position, op, message_key and message (JSON). -#}
{% macro outgoing_messages(entity, mapped) %}
  {%- if not execute -%}
    {{ return('') }}
  {%- endif -%}
  {%- set attributes = entrepot.mapping_read().entities.get(entity, []) -%}
  {%- set keys = attributes | selectattr('is_key') | map(attribute='name') | list -%}
select
  event_id, commit_position, op,
  if(op = 't', null, to_json(struct({{ adapter.sql_names(keys) }}))) as message_key,
  to_json(
    struct(
      '{{ entity }}' as entity, op, before, after,
      nullif(array_compact(array(
{%- for attribute in attributes -%}
        {{ entrepot.outgoing_null(attribute.name) }}{{ ', ' if not loop.last }}
{%- endfor -%}
      )), array()) as nulls,
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
