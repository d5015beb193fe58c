{#- Runs one Spark statement, counts it in the run state, and returns its rows as a list of dicts. -#}
{% macro jobs_query(sql) %}
  {%- set state = jobs_state() -%}
  {%- do state.update({'statements': state['statements'] + 1}) -%}
  {%- set table = run_query(sql) -%}
  {%- set rows = [] -%}
  {%- for row in table.rows -%}
    {%- do rows.append(dict(zip(table.column_names, row))) -%}
  {%- endfor -%}
  {{ return(rows) }}
{% endmacro %}
