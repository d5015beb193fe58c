{#- Conditions that all values of some columns of a view in memory meet, {column: `between … and …`}. Their literals let Delta skip files,
    which a join with the view does not; so it is asked for where tables are large. Columns with nulls have none, nor have types whose
    text is not exact. -#}
{% macro delta_bounds(view, columns) %}
  {%- set parts = [] -%}
  {%- for column in columns -%}
    {%- do parts.append(
      'max(typeof(' ~ column ~ ')) as type_' ~ loop.index ~ ", concat('=', cast(min(" ~ column ~ ') as string)) as least_' ~ loop.index
      ~ ", concat('=', cast(max(" ~ column ~ ') as string)) as most_' ~ loop.index ~ ', count_if(' ~ column ~ ' is null) as nulls_' ~ loop.index
    ) -%}
  {%- endfor -%}
  {%- set row = jobs_query('select ' ~ parts | join(', ') ~ ' from ' ~ view) | first -%}
  {%- set bounds = {} -%}
  {%- for column in columns -%}
    {%- set number = loop.index | string -%}
    {%- if row['least_' ~ number] and not row['nulls_' ~ number] -%}
      {%- set least = delta_bound(row['type_' ~ number], row['least_' ~ number][1:]) -%}
      {%- set most = delta_bound(row['type_' ~ number], row['most_' ~ number][1:]) -%}
      {%- if least and most -%}
        {%- do bounds.update({column: 'between ' ~ least ~ ' and ' ~ most}) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(bounds) }}
{% endmacro %}


{#- The bounds of the keys of a view in memory, as conditions on `_stored`. -#}
{% macro delta_stored_bounds(view, keys) %}
  {%- set conditions = [] -%}
  {%- for key, condition in delta_bounds(view, keys).items() -%}
    {%- do conditions.append('_stored.' ~ key ~ ' ' ~ condition) -%}
  {%- endfor -%}
  {{ return(conditions) }}
{% endmacro %}


{#- The literal of a value of a type, given as text; none of types whose text is not exact, and of long texts. -#}
{% macro delta_bound(type, text) %}
  {{ return(none if type == 'string' and text | length > 100 else adapter.sql_exact_literal(text, type)) }}
{% endmacro %}
