{#- on-run-start: opens the maintenance job (OD-ETL 3.2): bookkeeping tables, the job's lock, and what every
    relation contained when the job began (two statements, however many relations there are). Called again in the same
    invocation, by the hooks of a package and of the project that installs it, it does nothing. -#}
{% macro jobs_start() %}
  {%- if execute and flags.WHICH in ['build', 'run', 'test', 'seed', 'snapshot'] -%}
    {%- do jobs_know() -%}
    {%- set schema = jobs_relation('job_event').schema -%}
    {%- if flags.WHICH == 'test' -%}
      {%- do adapter.jobs_open(schema) -%}
    {%- else -%}
      {%- set killed = adapter.jobs_start(schema, flags.WHICH) -%}
      {%- do log("Job " ~ killed ~ " was killed; this job contains its changes.", info=True) if killed is not none -%}
    {%- endif -%}
  {%- endif -%}
{% endmacro %}
