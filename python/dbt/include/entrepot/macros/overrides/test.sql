{#- dbt's data test. One that has passed in an earlier job on the same versions of all that it reads does not run again in this job
    (`entrepot.jobs.states`); `dbt test`, `--full-refresh` and `store_failures` run them all. -#}
{% materialization test, adapter='entrepot' -%}
  {%- do jobs_know() -%}
  {%- set state = none if should_store_failures() else adapter.jobs_test_state(model, sql) -%}
  {%- if state and state.job and not should_full_refresh() -%}
    {%- do adapter.jobs_stands(state) -%}
    {%- set code = 'as in job ' ~ state.job -%}
    {%- do store_raw_result(name='main', message='unchanged', code=code, rows_affected=0, agate_table=adapter.jobs_passed()) -%}
    {{ return({'relations': []}) }}
  {%- endif -%}
  {%- set tested = materialization_test_default() -%}
  {%- do adapter.jobs_done(state) if state and adapter.jobs_has_passed(load_result('main')) -%}
  {{ return(tested) }}
{%- endmaterialization %}
