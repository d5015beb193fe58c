{#- The relation of a model, seed or snapshot, by its name; raises where the project has none. `needed_by` says who needs it, and where to read on. -#}
{% macro jobs_named_relation(name, needed_by) %}
  {%- do jobs_know() -%}
  {%- set node = adapter.jobs_node(name) -%}
  {%- if node is none -%}
    {%- do exceptions.raise_compiler_error("The project has no model or seed " ~ name ~ ": " ~ needed_by ~ " needs it.") -%}
  {%- endif -%}
  {{ return(api.Relation.create(schema=node.schema, identifier=node.identifier)) }}
{% endmacro %}


{#- The version of a relation that everything in this job reads; none where it has no versions. As the job found it when
    it began, or wrote it since. -#}
{% macro jobs_pin(relation) %}
  {%- do jobs_know() -%}
  {{ return(adapter.jobs_pin(relation)) }}
{% endmacro %}
