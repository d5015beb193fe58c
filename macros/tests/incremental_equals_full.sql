{#- Rows in which a model that the delta strategy keeps up differs from its full recompute on the versions that it has consumed. -#}
{% test incremental_equals_full(model, column_name=none) %}
  {%- if execute -%}
    {%- set node = entrepot.tests_node('incremental_equals_full', model) -%}
    {%- set relation = entrepot.jobs_node_relation(node) -%}
    {%- if not entrepot.jobs_keeps_up(node) or node.config.get('incremental_strategy') == 'land' -%}
      {%- do exceptions.raise_compiler_error(
        "Test incremental_equals_full: " ~ node.name ~ " is not kept up by delta rules; models with incremental_strategy 'delta' and "
        ~ "snapshots with strategy 'commit_order' are. Take the test away, or configure the model so."
      ) -%}
    {%- endif -%}
    {%- set contents = entrepot.jobs_contents(relation) if load_cached_relation(relation) else {'reads': none} -%}
    {%- set body = entrepot.delta_body(relation, contents.sql_hash) if contents.reads is not none else none -%}
    {%- if body -%}
{{ entrepot.delta_difference(node, contents.version, contents.reads, body) }}
    {%- else -%}
select '{{ node.name }} was not written by the delta strategy: build it first' as _side
    {%- endif -%}
  {%- endif -%}
{% endtest %}
