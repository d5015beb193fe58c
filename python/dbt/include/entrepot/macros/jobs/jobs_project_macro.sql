{#- A macro that a project may have or not: of the model's project, of the root project, or of entrepot's own (landing and mapping), which may
    be installed as a package. None where none has it. -#}
{% macro jobs_project_macro(name) %}
  {{ return(context.get(name) or context.get('entrepot', {}).get(name)) }}
{% endmacro %}
