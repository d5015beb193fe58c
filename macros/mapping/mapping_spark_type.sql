{#- The Spark type of a canonical type of the range tree: METL generalises, int32 becomes integer. -#}
{% macro mapping_spark_type(data_type) %}
  {%- set type = data_type | lower | trim -%}
  {{ return({
    'integer': 'bigint', 'int': 'bigint', 'number': 'decimal(38, 9)', 'decimal': 'decimal(38, 9)', 'numeric': 'decimal(38, 9)',
    'text': 'string', 'json': 'string', 'time': 'string', 'datetime': 'timestamp',
  }.get(type, type)) }}
{% endmacro %}
