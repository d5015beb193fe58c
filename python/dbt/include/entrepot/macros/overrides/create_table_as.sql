{#- dbt-spark's statement. Where there is nothing yet, it creates a Delta table and replaces none: Delta would look for the files of the table that
    it replaces, in a job of Spark's, even where there is none. -#}
{% macro entrepot__create_table_as(temporary, relation, compiled_code, language='sql') %}
  {%- set statement = spark__create_table_as(temporary, relation, compiled_code, language) -%}
  {%- if language == 'sql' and not temporary and config.get('file_format') == 'delta' and not config.get('location_root')
      and adapter.is_nothing_yet(relation) -%}
    {%- set statement = statement.replace('create or replace table', 'create table', 1) -%}
  {%- endif -%}
  {{ return(statement) }}
{% endmacro %}
