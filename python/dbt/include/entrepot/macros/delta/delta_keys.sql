{#- `a as x, b as y` for two lists of column names of the same length. -#}
{% macro delta_columns_as(columns, names) %}
  {%- set list = [] -%}
  {%- for column in columns -%}
    {%- do list.append(column ~ ' as ' ~ names[loop.index0]) -%}
  {%- endfor -%}
  {{ return(list | join(', ')) }}
{% endmacro %}


{#- `l.a <=> r.x and l.b <=> r.y`: equality of keys in which null equals null. -#}
{% macro delta_keys_equal(left, left_columns, right, right_columns) %}
  {%- set list = [] -%}
  {%- for column in left_columns -%}
    {%- do list.append(left ~ '.' ~ column ~ ' <=> ' ~ right ~ '.' ~ right_columns[loop.index0]) -%}
  {%- endfor -%}
  {{ return(list | join(' and ')) }}
{% endmacro %}


{#- `a.x, a.y`: column names behind an alias. -#}
{% macro delta_qualified(alias, columns) %}
  {%- set list = [] -%}
  {%- for column in columns -%}
    {%- do list.append(alias ~ '.' ~ column) -%}
  {%- endfor -%}
  {{ return(list | join(', ')) }}
{% endmacro %}
