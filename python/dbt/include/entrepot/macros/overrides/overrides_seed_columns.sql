{#- How each column of a seed is converted, as a list of dicts
      number  its position, from 0
      name    its name, quoted as `quote_columns` says
      text    the column of texts that it is made from (see `overrides_seed_view`)
      type    its type: the one of `column_types`, else what dbt infers
      value   SQL of the converted value
      misfit  SQL of the condition that a text does not fit the type; none where every text does -#}
{% macro overrides_seed_columns(agate_table) %}
  {%- set declared = config.get('column_types') or {} -%}
  {%- set columns = [] -%}
  {%- for name in agate_table.column_names -%}
    {%- set text = '_' ~ loop.index0 -%}
    {%- set column_type = declared.get(name) or adapter.convert_type(agate_table, loop.index0) -%}
    {%- set value = _overrides_seed_value(text, column_type, name in declared) -%}
    {%- set length = modules.re.fullmatch('(?i)\\s*(?:var)?char\\s*\\(\\s*(\\d+)\\s*\\)\\s*', column_type) -%}
    {%- if length -%}
      {%- set misfit = 'length(' ~ text ~ ') > ' ~ length.group(1) -%}
    {%- else -%}
      {%- set misfit = none if value == text else text ~ ' is not null and ' ~ value ~ ' is null' -%}
    {%- endif -%}
    {%- do columns.append({
      'number': loop.index0, 'name': adapter.quote_seed_column(name, config.get('quote_columns')),
      'text': text, 'type': column_type, 'value': value, 'misfit': misfit,
    }) -%}
  {%- endfor -%}
  {{ return(columns) }}
{% endmacro %}


{#- SQL that converts a text. `varchar` and `char` become string, as in Spark's own results, but their length is checked.
    A number that dbt has inferred may be written 1,234 or 5% or $7 or 1.0 (for a bigint), as for dbt. -#}
{% macro _overrides_seed_value(text, column_type, is_declared) %}
  {%- set plain = column_type | lower | trim -%}
  {%- if modules.re.fullmatch('string|(?:var)?char\\s*\\(.*', plain) -%}
    {{ return(text) }}
  {%- elif is_declared or plain not in ['bigint', 'double'] -%}
    {{ return('try_cast(' ~ text ~ ' as ' ~ column_type ~ ')') }}
  {%- endif -%}
  {%- set number = "regexp_replace(" ~ text ~ ", r'[%,_\\p{Sc}]', '')" -%}
  {%- if plain == 'bigint' -%}
    {{ return('try_cast(try_cast(' ~ number ~ ' as decimal(38, 6)) as bigint)') }}
  {%- endif -%}
  {{ return('try_cast(' ~ number ~ ' as double)') }}
{% endmacro %}
