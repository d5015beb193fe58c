{#- Changes of the log that no history holds, because they have no key, no place in the log, or could not be mapped. -#}
{% test history_complete(model, column_name=none) %}
  {%- if execute -%}
    {%- set node = tests_history(model, 'history_complete') -%}
    {%- set keys = tests_history_keys(node) -%}
select *
from (
  select
    {{ keys | join(', ') }}, schema_name, op, commit_position,
    case
      when mapping_error is not null then mapping_error
      when not ({{ history_has_place('commit_position') }}) then 'no place in the log: commit_position, or a part of it, is null'
      when op in ('c', 'r', 'u', 'd') and ({{ keys | join(' is null or ') }} is null) then 'no key: {{ keys | join(', ') }}'
    end as problem
  from {{ tests_history_log(node) }}
)
where problem is not null
  {%- endif -%}
{% endtest %}
