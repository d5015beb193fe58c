{#- Adds to a snapshot's table the columns that it lacks. dbt-spark takes the keys `dbt_unique_key_1`, `dbt_unique_key_2` … of a `unique_key` that is a list
    for columns of the snapshot: with them in its table the next run cannot tell them from its own. -#}
{% macro entrepot__create_columns(relation, columns) %}
  {%- set wanted = [] -%}
  {%- for column in columns if not modules.re.fullmatch('(?i)dbt_unique_key_[0-9]+', column.name) -%}
    {%- do wanted.append(column) -%}
  {%- endfor -%}
  {{ return(spark__create_columns(relation, wanted)) }}
{% endmacro %}
