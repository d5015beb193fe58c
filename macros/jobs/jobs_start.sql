{#- on-run-start: opens the maintenance job (OD-ETL 3.2): bookkeeping tables, the job's lock, and what every
    relation contained when the job began (two statements, however many relations there are). -#}
{% macro jobs_start() %}
  {%- if execute and flags.WHICH in ['build', 'run', 'test', 'seed', 'snapshot'] -%}
    {%- do jobs_create_tables() -%}
    {%- if flags.WHICH != 'test' -%}
      {%- do jobs_lock_acquire() -%}
    {%- endif -%}
    {%- do jobs_ledger_read() -%}
    {%- do jobs_heads_read() -%}
    {%- if jobs_state().get('after_failure') -%}
      {%- do jobs_undo_half_applied() -%}
    {%- endif -%}
  {%- endif -%}
{% endmacro %}


{#- After a job that was killed or failed: restores every table that it left between two commits that belong together, before
    anything reads it, this job's own materializations or dbt's. -#}
{% macro jobs_undo_half_applied() %}
  {%- for node in graph.nodes.values() if node.config.enabled and jobs_keeps_up(node) -%}
    {%- set relation = jobs_node_relation(node) -%}
    {%- if (relation | string) in jobs_state()['heads'] -%}
      {%- do jobs_contents(relation) -%}
    {%- endif -%}
  {%- endfor -%}
{% endmacro %}
