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
  {%- endif -%}
{% endmacro %}
