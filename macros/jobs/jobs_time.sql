{#- A timestamp that a query returned as one that can be compared with others: in local time, without a zone, as Spark's
    session hands them out; a server hands out text. -#}
{% macro jobs_time(value) %}
  {%- if value is string -%}
    {%- set value = modules.datetime.datetime.fromisoformat(value[:19]) -%}
  {%- endif -%}
  {{ return(value.replace(tzinfo=none) if value else none) }}
{% endmacro %}


{#- When a version of a relation was committed, known without asking where it was the newest one when this job began; else none. -#}
{% macro jobs_head_time(relation, version) %}
  {%- set state = entrepot.jobs_state() -%}
  {%- if version is not none and state['heads'].get(relation | string) == version -%}
    {{ return(state['head_times'].get(relation | string)) }}
  {%- endif -%}
  {{ return(none) }}
{% endmacro %}
