{#- The fields of Debezium's envelope that landing reads, and their types. -#}
{% macro landing_envelope_fields() %}
  {{ return({
    'op': 'string', 'before': 'string', 'after': 'string', 'message': 'string', 'status': 'string', 'id': 'string', 'ts_ms': 'bigint',
    'source': {
      'connector': 'string', 'name': 'string', 'db': 'string', 'schema': 'string', 'table': 'string', 'lsn': 'bigint', 'sequence': 'string',
      'txId': 'bigint', 'ts_us': 'bigint', 'ts_ms': 'bigint',
    },
    'transaction': {'id': 'string', 'total_order': 'bigint'},
  }) }}
{% endmacro %}


{#- SQL: an envelope as a struct of its fields; null where one has another type, or where it is no JSON object, or not one alone. -#}
{% macro landing_envelope(json, offset) -%}
{%- set ns = namespace(fields=[]) -%}
{%- for name, type in entrepot.landing_envelope_fields().items() -%}
  {%- set ns.fields = ns.fields + [name ~ ' ' ~ (type if type is string else entrepot.landing_struct_type(type))] -%}
{%- endfor -%}
{{ entrepot.landing_one_object(json, offset, ns.fields | join(', ')) }}
{%- endmacro %}


{#- SQL: the fields of an envelope that have another type than they should, a text such as `source.lsn, transaction`. -#}
{% macro landing_broken_fields(json) -%}
concat_ws(', '
{%- for name, type in entrepot.landing_envelope_fields().items() -%}
  {%- if type is not string %},
                if({{ entrepot.landing_checked_json(json, name ~ ' struct<_ string>') }}._broken is not null, '{{ name }}', nullif(concat_ws(', '
    {%- for inner, inner_type in type.items() if inner_type != 'string' -%}
, if({{ entrepot.landing_checked_json(json, name ~ ' ' ~ entrepot.landing_struct_type({inner: inner_type})) }}._broken is not null, '{{ name }}.{{ inner }}', null)
    {%- endfor -%}
), '')){%- elif type != 'string' %},
                if({{ entrepot.landing_checked_json(json, name ~ ' ' ~ type) }}._broken is not null, '{{ name }}', null)
  {%- elif name in ('before', 'after', 'message') %},
                if(not startswith({{ entrepot.landing_checked_json(json, name ~ ' string') }}.{{ name }}, '{'), '{{ name }}', null)
  {%- endif -%}
{%- endfor -%}
)
{%- endmacro %}


{#- SQL: JSON as a struct of some fields; its `_broken` is not null where one has another type, or where it is no JSON object. -#}
{% macro landing_checked_json(json, fields) -%}
from_json({{ json }}, '{{ fields ~ ', ' if fields }}_broken string', map('columnNameOfCorruptRecord', '_broken', {{ entrepot.landing_json_options() }}))
{%- endmacro %}


{#- The type of a struct of some fields, in Spark's words. -#}
{% macro landing_struct_type(fields) -%}
{%- set ns = namespace(parts=[]) -%}
{%- for name, type in fields.items() -%}
  {%- set ns.parts = ns.parts + ['`' ~ name ~ '` ' ~ type] -%}
{%- endfor -%}
struct<{{ ns.parts | join(', ') }}>
{%- endmacro %}
