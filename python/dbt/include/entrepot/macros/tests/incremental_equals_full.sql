{#- Rows in which a model that the delta strategy maintains differs from its full recompute on the versions that it has consumed. -#}
{% test incremental_equals_full(model, column_name=none) %}
  {%- if execute -%}
    {%- set node = tests_node('incremental_equals_full', model) -%}
    {%- do jobs_know() -%}
    {%- set difference = adapter.delta_difference(node) -%}
    {%- if difference -%}
{{ difference }}
    {%- else -%}
select '{{ node.name }} was not written by the delta strategy: build it first' as _side
    {%- endif -%}
  {%- endif -%}
{% endtest %}
