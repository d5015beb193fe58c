{#- The Spark type of a canonical type of the range tree: METL generalises, int32 becomes integer. Spark's other names of exact
    numbers become the usual ones. -#}
{% macro mapping_spark_type(data_type) %}
  {%- set type = modules.re.sub('^(numeric|dec)(?= *[(])', 'decimal', data_type | lower | trim) -%}
  {{ return({
    'integer': 'bigint', 'int': 'bigint', 'long': 'bigint', 'short': 'smallint', 'byte': 'tinyint',
    'number': 'decimal(38, 9)', 'decimal': 'decimal(38, 9)', 'numeric': 'decimal(38, 9)', 'dec': 'decimal(38, 9)',
    'text': 'string', 'json': 'string', 'time': 'string', 'datetime': 'timestamp',
  }.get(type, type)) }}
{% endmacro %}
