{#- Runs one Spark statement, and returns its rows as a list of dicts. -#}
{% macro jobs_query(sql) %}
  {%- set table = run_query(sql) -%}
  {%- set rows = [] -%}
  {%- for row in table.rows -%}
    {%- do rows.append(dict(zip(table.column_names, row))) -%}
  {%- endfor -%}
  {{ return(rows) }}
{% endmacro %}
