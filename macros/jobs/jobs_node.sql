{#- The model, seed or snapshot of dbt's graph that has a name; none where there is none. -#}
{% macro jobs_node(name) %}
  {%- for node in graph.nodes.values() if node.name == name and node.resource_type in ['model', 'seed', 'snapshot'] -%}
    {{ return(node) }}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}
