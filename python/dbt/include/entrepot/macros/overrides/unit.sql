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
  {%- set done = unit_run() -%}
  {%- if state -%}
    {%- do adapter.jobs_unit_test_done(state, load_result('main')) -%}
  {%- endif -%}
  {{ return(done) }}
{%- endmaterialization %}


{#- Runs a unit test as dbt's own materialization does, but for one thing: the temporary view that tells the columns has all of the model's rows, and
    they are read from it. dbt makes it without rows and says the model's SQL again; Spark would analyse that twice. -#}
{% macro unit_run() %}
  {%- set actual = make_temp_relation(this.incorporate(type='table')) -%}
  {%- do run_query(get_create_table_as_sql(True, actual, sql)) -%}
  {%- set types, quoted, tested = {}, {}, [] -%}
  {%- for column in adapter.get_columns_in_relation(actual) -%}
    {%- do types.update({column.name | lower: column.data_type}) -%}
    {%- do quoted.update({column.name | lower: column.quoted}) -%}
  {%- endfor -%}
  {%- set rows = config.get('expected_rows') -%}
  {%- for name in (rows[0] if rows else quoted) -%}
    {%- do tested.append(quoted[name | lower]) -%}
  {%- endfor -%}
  {%- set expected = config.get('expected_sql') or get_expected_sql(rows, types, quoted) -%}
  {% call statement('main', fetch_result=True) %}
    {{- (config.get('sql_header') or '') if flags.REQUIRE_SQL_HEADER_IN_TEST_CONFIGS else '' }}
    {{ get_unit_test_sql('select * from ' ~ actual, expected, tested) }}
  {% endcall %}
  {%- do adapter.drop_relation(actual) -%}
  {{ return({'relations': []}) }}
{% endmacro %}
