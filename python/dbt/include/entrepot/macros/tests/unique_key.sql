{#- Keys that a stored model or snapshot has more than once, or with a null in them: its config `unique_key`; of a
    snapshot the key of a version, dbt_scd_id. -#}
{% test unique_key(model, column_name=none) %}
  {%- if execute -%}
    {%- set keys = tests_key_columns(model) -%}
select {{ keys | join(', ') }}, count(*) as rows_found
from {{ model }}
group by {{ keys | join(', ') }}
having count(*) > 1 or {{ keys | join(' is null or ') }} is null
  {%- endif -%}
{% endtest %}


{#- The columns that tell the rows of a tested relation apart; `tested` is the relation, or a subquery on it. -#}
{% macro tests_key_columns(tested) %}
  {%- set node = tests_node('unique_key', tested) -%}
  {%- set keys = 'dbt_scd_id' if node.resource_type == 'snapshot' else node.config.get('unique_key') -%}
  {%- if not keys -%}
    {%- do exceptions.raise_compiler_error(
      "Test unique_key: " ~ node.name ~ " has no unique_key; the columns that tell its rows apart are needed. "
      ~ "For example: config(unique_key='order_id') or config(unique_key=['order_id', 'line_number'])."
    ) -%}
  {%- endif -%}
  {{ return([keys] if keys is string else keys) }}
{% endmacro %}


{#- The model or snapshot that a generic test is about; `tested` is its relation, or a subquery on it. -#}
{% macro tests_node(test, tested) %}
  {%- for node in graph.nodes.values() if node.resource_type in ['model', 'snapshot'] -%}
    {%- set relation = api.Relation.create(schema=node.schema, identifier=node.alias or node.name) -%}
    {%- if adapter.sql_mention_count('select * from ' ~ tested, relation) -%}
      {{ return(node) }}
    {%- endif -%}
  {%- endfor -%}
  {%- do exceptions.raise_compiler_error(
    "Test " ~ test ~ ": " ~ tested ~ " is no model or snapshot of this project; write the test under one with a unique_key."
  ) -%}
{% endmacro %}
