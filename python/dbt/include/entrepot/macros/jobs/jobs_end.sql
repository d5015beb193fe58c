{#- on-run-end: says what tests of the mapping have found, writes down what ran, publishes one snapshot if everything passed (write, audit,
    publish), and ends the job. -#}
{% macro jobs_end(results) %}
  {%- set explain = jobs_project_macro('mapping_explain_failures') -%}
  {%- if execute and explain and (flags.WHICH == 'test' or adapter.jobs_hold_lock()) -%}
    {%- do explain(results) -%}
  {%- endif -%}
  {%- if execute and flags.WHICH in ['build', 'run', 'seed', 'snapshot'] and adapter.jobs_hold_lock() -%}
    {%- set failed = results | selectattr('status', 'in', ['error', 'fail', 'runtime error', 'partial success']) | list -%}
    {%- set publishes = adapter.jobs_publishes() and not failed -%}
    {%- set details = jobs_project_macro('mapping_published_details') -%}
    {%- set feeds = jobs_project_macro('mapping_feeds') -%}
    {%- do adapter.jobs_end(results, publishes, details() if publishes and details else {}, feeds() if publishes and feeds else {}) -%}
  {%- endif -%}
{% endmacro %}
