{#- SQL of up to when a source system has been heard: the commit of its latest change, the end of its latest transaction or its latest heartbeat that
    has landed; null where it never was. For `loaded_at_query` of dbt's sources. The times of files say nothing. -#}
{% macro landing_heard(source_system) %}
  {%- set cuts = load_cached_relation(jobs_relation('source_cut')) -%}
  {%- if not cuts -%}
    {{ return('select cast(null as timestamp) as heard_at') }}
  {%- endif -%}
  {{ return('select max(heard_at) as heard_at from ' ~ cuts ~ ' where source_system = ' ~ adapter.sql_literal(source_system)) }}
{% endmacro %}
