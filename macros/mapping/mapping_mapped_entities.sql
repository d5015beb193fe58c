{#- The entities that have a mapped model, from the variable `entities`: dbt has to know what a model reads while it parses it, and no other
    model then (decision 27). Where there is another mapped model it says so, because nobody would see its mapping errors. -#}
{% macro mapping_mapped_entities() %}
  {%- set listed = var('entities', []) or [] -%}
  {%- if execute -%}
    {%- for node in graph.nodes.values() if node.resource_type == 'model' and node.config.get('entity') and node.config.get('entity') not in listed -%}
      {%- do exceptions.raise_compiler_error(
        node.name ~ ' maps to the entity ' ~ node.config.get('entity') ~ ', which variable entities of dbt_project.yml does not list; it has '
        ~ (listed | join(', ') or 'none') ~ ". Add it, by hand or by `entrepot generate`: ops_unmapped_event reads the mapping errors of those."
      ) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(listed) }}
{% endmacro %}
