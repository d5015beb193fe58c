{#- on-run-start: opens the maintenance job (OD-ETL 3.2): bookkeeping tables, the job's lock, and what every
    relation contained when the job began (two statements, however many relations there are). Called again in the same
    invocation, by the hooks of a package and of the project that installs it, it does nothing. -#}
{% macro jobs_start() %}
  {%- if execute and flags.WHICH in ['build', 'run', 'test', 'seed', 'snapshot'] and not jobs_notes().get('opened') -%}
    {%- do jobs_notes().update({'opened': true}) -%}
    {%- set schema = jobs_relation('job_event').schema -%}
    {%- if flags.WHICH == 'test' -%}
      {%- do adapter.jobs_open(schema) -%}
    {%- else -%}
      {%- do jobs_one_thread() -%}
      {%- set killed = adapter.jobs_start(schema, flags.WHICH) -%}
      {%- do log("Job " ~ killed ~ " was killed; this job contains its changes.", info=True) if killed is not none -%}
    {%- endif -%}
  {%- endif -%}
{% endmacro %}


{#- Refuses more than one thread: each has a Spark session of its own, but they would share the run state, which is not made for that yet. -#}
{% macro jobs_one_thread() %}
  {%- if target.threads | int > 1 -%}
    {%- do exceptions.raise_compiler_error(
      "Profile " ~ target.profile_name ~ ", target " ~ target.name ~ ", has threads: " ~ target.threads ~ ". What a job notes down of its models is not "
      ~ "made for several at a time yet: write threads: 1. Spark itself works with as many cores as it has (spark.master)."
    ) -%}
  {%- endif -%}
{% endmacro %}
