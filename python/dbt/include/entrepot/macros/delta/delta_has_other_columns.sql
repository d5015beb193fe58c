{#- Whether a relation's columns differ between two of its versions, so that their rows cannot be compared. -#}
{% macro delta_has_other_columns(relation, from_version, to_version) %}
  {{ return(delta_columns_of('select * from ' ~ relation ~ ' version as of ' ~ from_version)
    != delta_columns_of('select * from ' ~ relation ~ ' version as of ' ~ to_version)) }}
{% endmacro %}


{#- The columns of a query, a list of [name, type]. -#}
{% macro delta_columns_of(sql) %}
  {%- set columns = [] -%}
  {%- for column in jobs_query('describe query\n' ~ sql) -%}
    {%- do columns.append([column.col_name, column.data_type]) -%}
  {%- endfor -%}
  {{ return(columns) }}
{% endmacro %}
