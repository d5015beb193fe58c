{#- dbt's unit test. One that has passed in an earlier job does not run again while its SQL, in which are its rows, and the rows that it expects
    are the same (`entrepot.jobs.states`); `dbt test` and `--full-refresh` run them all. -#}
{% materialization unit, adapter='entrepot' -%}
  {%- set state = adapter.jobs_unit_test_state(model, sql) -%}
  {%- if state and state.job and not should_full_refresh() -%}
    {%- do adapter.jobs_stands(state) -%}
    {%- set code = 'as in job ' ~ state.job -%}
    {%- do store_raw_result(name='main', message='unchanged', code=code, rows_affected=0, agate_table=adapter.jobs_unit_test_found()) -%}
    {{ return({'relations': []}) }}
  {%- endif -%}
  {%- set done = materialization_unit_default() -%}
  {%- if state -%}
    {%- do adapter.jobs_unit_test_done(state, load_result('main')) -%}
  {%- endif -%}
  {{ return(done) }}
{%- endmaterialization %}
