{#- The settings of the connector that feeds a source schema, from the variable `connectors`, {source system: {Debezium's
    property: value}}; empty where nobody has said any. The source system is the beginning of the schema's name. -#}
{% macro mapping_settings(schema) %}
  {%- set found = namespace(system='', settings={}) -%}
  {%- for system, settings in (var('connectors', {}) or {}).items() -%}
    {%- do entrepot.mapping_refuse_settings(system, settings or {}) -%}
    {%- if schema.startswith(system ~ '.') and system | length > found.system | length -%}
      {%- set found.system = system -%}
      {%- set found.settings = settings or {} -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(found.settings) }}
{% endmacro %}


{#- Stops at a setting that does not exist, or that does not change how values travel. -#}
{% macro mapping_refuse_settings(system, settings) %}
  {%- set known = {
    'decimal.handling.mode': ['precise', 'string', 'double'],
    'time.precision.mode': ['adaptive', 'adaptive_time_microseconds', 'connect', 'microseconds', 'nanoseconds', 'isostring'],
    'binary.handling.mode': ['bytes', 'base64', 'base64-url-safe', 'hex'],
  } -%}
  {%- for property, value in settings.items() if value not in known.get(property, []) -%}
    {%- do exceptions.raise_compiler_error(
      'dbt_project.yml, variable connectors, ' ~ system ~ ': ' ~ property ~ ' is ' ~ value ~ '. '
      ~ ('It is one of ' ~ known[property] | join(', ') if property in known
         else 'Properties that change how values travel are ' ~ known | join(', ') ~ '; leave out the others')
      ~ ' (docs/mapping.md, Types).'
    ) -%}
  {%- endfor -%}
{% endmacro %}
