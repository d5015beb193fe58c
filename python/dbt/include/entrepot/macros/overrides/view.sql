{#- dbt's `view`; its text is noted down, because models that read it inline it. One that stands as an earlier job made it, over the same
    columns, is not made again (`entrepot.jobs.states`). -#}
{% materialization view, adapter='entrepot' -%}
  {%- do jobs_know() -%}
  {%- set text = adapter.sql_view_text_told(sql) -%}
  {%- do adapter.jobs_view_made(this, text) -%}
  {%- set state = adapter.jobs_view_state(model, text) -%}
  {%- if state and state.job and not should_full_refresh() -%}
    {%- do adapter.jobs_stands(state) -%}
    {%- do store_raw_result(name='main', message='unchanged', code='as in job ' ~ state.job, rows_affected=0) -%}
    {%- do adapter.jobs_view_passed(model) -%}
    {{ return({'relations': [this.incorporate(type='view')]}) }}
  {%- endif -%}
  {%- set made = materialization_view_spark() -%}
  {%- do adapter.jobs_view_done(model, state) -%}
  {%- do adapter.jobs_view_passed(model) -%}
  {{ return(made) }}
{%- endmaterialization %}
