{#- `dbt run-operation explain`: prints what the next job would do with a model whose compiled SQL is given, and the statements that it would
    run. Writes nothing. `entrepot explain MODEL --next` compiles the model and calls it. -#}
{% macro explain(model, sql) %}
  {%- do jobs_know() -%}
  {%- if load_cached_relation(jobs_relation('published_snapshot')) -%}
    {%- do adapter.jobs_open(jobs_relation('published_snapshot').schema) -%}
  {%- endif -%}
  {%- do print(adapter.delta_explained(graph.nodes[model], sql)) -%}
{% endmacro %}
