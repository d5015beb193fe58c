{#- on-run-start: opens the maintenance job (OD-ETL 3.2): bookkeeping tables, the job's lock, and what every
    relation contained when the job began (two statements, however many relations there are). Called again in the same
    invocation, by the hooks of a package and of the project that installs it, it does nothing. -#}
{% macro jobs_start() %}
  {%- if execute and flags.WHICH in ['build', 'run', 'test', 'seed', 'snapshot'] and not jobs_state().get('opened') -%}
    {%- do jobs_state().update({'opened': true}) -%}
    {%- do jobs_open() -%}
    {%- if flags.WHICH != 'test' -%}
      {%- do jobs_one_thread() -%}
      {%- do jobs_begin() -%}
    {%- endif -%}
    {%- do jobs_state().update({'ledger': adapter.books_published()}) -%}
    {%- do jobs_heads_read() -%}
    {%- if jobs_state().get('after_failure') -%}
      {%- do jobs_undo_half_applied() -%}
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


{#- After a job that was killed or failed: restores every table that it left between two commits that belong together, before
    anything reads it, this job's own materializations or dbt's. A failed job of the same session may have left its commit's metadata. -#}
{% macro jobs_undo_half_applied() %}
  {%- do adapter.facts_say_nothing() -%}
  {%- for node in graph.nodes.values() if node.config.enabled and jobs_keeps_up(node) -%}
    {%- set relation = jobs_node_relation(node) -%}
    {%- if (relation | string) in jobs_state()['heads'] -%}
      {%- do jobs_contents(relation) -%}
    {%- endif -%}
  {%- endfor -%}
{% endmacro %}
