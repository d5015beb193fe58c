{#- The dict that keeps `row_count` and `bytes` of a relation, none or missing where not known yet: its contents (`jobs_contents`); of a source,
    whose contents nobody needs for that, one of its own. -#}
{% macro jobs_size(relation) %}
  {%- set state = jobs_state() -%}
  {%- if relation | string in state['sources'] -%}
    {{ return(state['source_sizes'].setdefault(relation | string, {})) }}
  {%- endif -%}
  {{ return(jobs_contents(relation)) }}
{% endmacro %}
