{#- The columns of a query, a list of [name, type]. -#}
{% macro delta_columns_of(sql) %}
  {%- set columns = [] -%}
  {%- for column in jobs_query('describe query\n' ~ sql) -%}
    {%- do columns.append([column.col_name, column.data_type]) -%}
  {%- endfor -%}
  {{ return(columns) }}
{% endmacro %}
