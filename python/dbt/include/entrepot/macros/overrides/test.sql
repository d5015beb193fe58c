{#- dbt's data test. One that an earlier job has run, without failing, on the same versions of all that it reads is not run again by this job
    (`entrepot.jobs.states`); `dbt test`, `--full-refresh` and `store_failures` run them all. Where all that it reads is known, tables of few files
    are read by those. -#}
{% materialization test, adapter='entrepot' -%}
  {%- do jobs_know() -%}
  {%- set rows = get_limit_subquery_sql(sql, config.get('limit')) -%}
  {%- set asks = get_test_sql(rows, config.get('fail_calc'), config.get('warn_if'), config.get('error_if'), none) -%}
  {%- set state = none if should_store_failures() else adapter.jobs_test_state(model, asks) -%}
  {%- if state and state.job and not should_full_refresh() -%}
    {%- do adapter.jobs_stands(state) -%}
    {%- set code = 'as in job ' ~ state.job -%}
    {%- do store_raw_result(name='main', message='unchanged', code=code, rows_affected=0, agate_table=adapter.jobs_test_found(state)) -%}
    {{ return({'relations': []}) }}
  {%- endif -%}
  {%- if not state -%}
    {{ return(materialization_test_default()) }}
  {%- endif -%}
  {%- call statement('main', fetch_result=True) -%}
    {{ adapter.jobs_at_hand(model, asks) }}
  {%- endcall -%}
  {%- do adapter.jobs_test_done(model, state, load_result('main')) -%}
  {{ return({'relations': []}) }}
{%- endmaterialization %}
