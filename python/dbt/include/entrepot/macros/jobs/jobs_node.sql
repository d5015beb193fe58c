{#- The model, seed or snapshot of dbt's graph that has a name; none where there is none. -#}
{% macro jobs_node(name) %}
  {%- for node in graph.nodes.values() if node.name == name and node.resource_type in ['model', 'seed', 'snapshot'] -%}
    {{ return(node) }}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}


{#- The relation of a model, seed or snapshot, by its name; raises where the project has none. `needed_by` says who needs it, and where to read on. -#}
{% macro jobs_named_relation(name, needed_by) %}
  {%- set node = jobs_node(name) -%}
  {%- if node is none -%}
    {%- do exceptions.raise_compiler_error("The project has no model or seed " ~ name ~ ": " ~ needed_by ~ " needs it.") -%}
  {%- endif -%}
  {{ return(jobs_node_relation(node)) }}
{% endmacro %}
