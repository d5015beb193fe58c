{#- Opens the bookkeeping tables of the ops layer, and makes those that do not exist yet (`adapter.books_open`). -#}
{% macro jobs_open() %}
  {%- set locations = {} -%}
  {%- for name in adapter.books_tables() if jobs_location(jobs_relation(name)) -%}
    {%- do locations.update({name: jobs_location(jobs_relation(name))}) -%}
  {%- endfor -%}
  {%- do adapter.books_open(jobs_relation('job_event').schema, locations) -%}
{% endmacro %}


{#- Takes the chain's lock: one job at a time (docs/decisions/0006-job-events-as-lock.md). -#}
{% macro jobs_begin() %}
  {%- set lock = adapter.books_begin(jobs_state()['job'], flags.WHICH, var('entrepot_lock_minutes', 10)) -%}
  {%- if lock.killed is not none -%}
    {%- do log("Job " ~ lock.killed ~ " was killed; this job contains its changes.", info=True) -%}
  {%- endif -%}
  {%- do jobs_state().update({'number': lock.number, 'after_failure': lock.after_failure}) -%}
{% endmacro %}
