{#- dbt's `safe_cast`, by which unit tests give rows their types: objects and lists of YAML, and texts of JSON for structs, arrays and maps, are read
    as JSON. What does not fit the type is an error, not a null. -#}
{% macro entrepot__safe_cast(field, type) %}
  {%- set is_object = field is mapping or field is iterable and field is not string -%}
  {%- set text = adapter.sql_literal(tojson(field)) if is_object else field -%}
  {%- if modules.re.match('(?i)\\s*(struct|array|map)\\s*<', type) and modules.re.match("\\s*'\\s*[\\[{]", text | string) -%}
    {{ return('from_json(' ~ text ~ ", '" ~ type ~ "', map('mode', 'FAILFAST'))") }}
  {%- elif is_object -%}
    {{ return('cast(' ~ text ~ ' as ' ~ type ~ ')') }}
  {%- endif -%}
  {{ return(spark__safe_cast(field, type)) }}
{% endmacro %}
