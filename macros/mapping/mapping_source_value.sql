{#- How values of a PostgreSQL type travel in Debezium's JSON and how they become values: a dict
      json   the type to parse the JSON field with (Spark's `from_json` gives NULL without a word where it does not fit)
      value  SQL of the value, from `field`, the parsed JSON field
      text   whether the field is text in JSON, and so may hold Debezium's placeholder for an unchanged TOAST value
      field  the parsed field -#}
{% macro mapping_source_value(data_type, field) %}
  {%- set type = data_type | lower | trim -%}
  {#- the type without its arguments, and these: `timestamp(3) with time zone` is `timestamp with time zone` and 3 -#}
  {%- set base = modules.re.sub(' *[(][^)]*[)] *', ' ', type) | trim -%}
  {%- set arguments = modules.re.findall('[0-9]+', type.partition('(')[2].partition(')')[0]) -%}
  {%- set is_short = arguments and arguments[0] | int <= 3 -%}
  {%- if type.endswith('[]') -%}
    {{ return({'json': 'ARRAY<STRING>', 'value': field, 'text': false, 'field': field}) }}
  {%- elif base in ['smallint', 'int2', 'smallserial', 'integer', 'int', 'int4', 'serial'] -%}
    {{ return({'json': 'INT', 'value': field, 'text': false, 'field': field}) }}
  {%- elif base in ['bigint', 'int8', 'bigserial'] -%}
    {{ return({'json': 'BIGINT', 'value': field, 'text': false, 'field': field}) }}
  {%- elif base in ['real', 'float4', 'double precision', 'float8', 'double'] -%}
    {{ return({'json': 'DOUBLE', 'value': field, 'text': false, 'field': field}) }}
  {%- elif base in ['boolean', 'bool'] -%}
    {{ return({'json': 'BOOLEAN', 'value': field, 'text': false, 'field': field}) }}
  {%- elif base in ['numeric', 'decimal'] and arguments -%}
    {%- set scale = arguments[1] | int if arguments | length > 1 else 0 -%}
    {{ return({'json': 'STRING', 'value': entrepot.mapping_decimal(field, arguments[0] | int, scale), 'text': true, 'field': field}) }}
  {%- elif base in ['numeric', 'decimal'] -%}
    {{ return({'json': 'STRUCT<scale: INT, value: STRING>', 'value': entrepot.mapping_decimal(field ~ '.value', 38, field ~ '.scale'), 'text': false, 'field': field}) }}
  {%- elif base == 'date' -%}
    {{ return({'json': 'INT', 'value': "date_add(date '1970-01-01', " ~ field ~ ")", 'text': false, 'field': field}) }}
  {%- elif base in ['timestamptz', 'timestamp with time zone'] -%}
    {{ return({'json': 'STRING', 'value': 'try_cast(' ~ field ~ ' as timestamp)', 'text': true, 'field': field}) }}
  {%- elif base in ['timestamp', 'timestamp without time zone', 'time', 'time without time zone'] -%}
    {%- set at = 'timestamp_' ~ ('millis' if is_short else 'micros') ~ '(' ~ field ~ ')' -%}
    {%- set value = "date_format(" ~ at ~ ", 'HH:mm:ss.SSSSSS')" if base.startswith('time ') or base == 'time' else at -%}
    {{ return({'json': 'BIGINT', 'value': value, 'text': false, 'field': field}) }}
  {%- elif base == 'bytea' -%}
    {{ return({'json': 'STRING', 'value': 'unbase64(' ~ field ~ ')', 'text': true, 'field': field}) }}
  {%- endif -%}
  {{ return({'json': 'STRING', 'value': field, 'text': true, 'field': field}) }}
{% endmacro %}
