{#- Rows in which a model that the delta strategy keeps up differs from its full recompute on the versions that it has consumed. -#}
{% test incremental_equals_full(model, column_name=none) %}
  {%- if execute -%}
    {%- set node = tests_node('incremental_equals_full', model) -%}
    {%- set relation = jobs_node_relation(node) -%}
    {%- if not jobs_keeps_up(node) or node.config.get('incremental_strategy') == 'land' -%}
      {%- do exceptions.raise_compiler_error(
        "Test incremental_equals_full: " ~ node.name ~ " is not kept up by delta rules; models with incremental_strategy 'delta' and "
        ~ "snapshots with strategy 'commit_order' are. Take the test away, or configure the model so."
      ) -%}
    {%- endif -%}
    {%- set contents = jobs_contents(relation) if load_cached_relation(relation) else {'reads': none} -%}
    {%- set body = delta_body(relation, contents.sql_hash) if contents.reads is not none else none -%}
    {%- if body -%}
{{ delta_difference(node, contents.version, contents.reads, body) }}
    {%- else -%}
select '{{ node.name }} was not written by the delta strategy: build it first' as _side
    {%- endif -%}
  {%- endif -%}
{% endtest %}
