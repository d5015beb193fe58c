{#- Notes what this job has written into a relation that reads no other; returns it for `jobs_end_run`, none where nothing was. -#}
{% macro jobs_written(relation) %}
  {%- set written = adapter.jobs_written(relation) -%}
  {%- do jobs_warn_of_intruder(relation, written.intruder) if written -%}
  {{ return(written) }}
{% endmacro %}


{#- Records a run for `ops.model_run` and gives dbt its line: rule, rows in and out. `run` is what `adapter.jobs_begin_run` gave. -#}
{% macro jobs_end_run(run, plan, written) %}
  {%- do jobs_tell(adapter.jobs_end_run(model, run, plan, written)) -%}
{% endmacro %}


{#- Gives dbt the line of a run. -#}
{% macro jobs_tell(run) %}
  {%- do store_raw_result(name='main', message=run.message, code=run.rule, rows_affected=run.rows.total) -%}
{% endmacro %}


{#- Warns of a version that somebody else has written in the middle of this job; none where there is none. -#}
{% macro jobs_warn_of_intruder(relation, version) %}
  {%- if version is not none -%}
    {%- do exceptions.warn(relation ~ " was written by somebody else in the middle of this job (version " ~ version ~ "). It is not published; "
      ~ "the next job computes it in full.") -%}
  {%- endif -%}
{% endmacro %}
