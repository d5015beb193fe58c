{#- SQL: the bytes of a key or value that came in Base64; null where it came as text, or is no Base64. -#}
{% macro landing_wire_bytes(part) -%}
if(message.encoding = 'base64', try_to_binary(message.{{ part }}, 'base64'), null)
{%- endmacro %}


{#- SQL: the number of the schema that stands before a message in the registry's wire format: a zero, the number in four bytes, the record in Avro. Null where
    bytes are not of this format. -#}
{% macro landing_wire_number(bytes) -%}
if(length({{ bytes }}) >= 5 and hex(substr({{ bytes }}, 1, 1)) = '00', cast(conv(hex(substr({{ bytes }}, 2, 4)), 16, 10) as bigint), null)
{%- endmacro %}


{#- SQL: a key or value (`part`) as Debezium's JSON, and a value with its schema where it has one: what came in Avro is read by its schema, of those that have
    been pulled (`entrepot registry pull`). Null where nothing reads it. -#}
{% macro landing_wire_text(part, schemas) -%}
{%- set known = schemas | selectattr('is_' ~ part) | selectattr('avro') | list -%}
{%- if not known -%}
if(message.encoding is null, message.{{ part }}, null)
{%- else -%}
case
                when message.encoding is null then message.{{ part }}
            {%- for schema in known %}
                when {{ part }}_number = {{ schema.number }} then {{ entrepot.landing_wire_record(part, schema) }}
            {%- endfor %}
            end
{%- endif -%}
{%- endmacro %}


{#- SQL: a record in Avro as the text of Debezium's JSON; null where its schema does not read it: then all of its fields are null. -#}
{% macro landing_wire_record(part, schema) -%}
{%- set record = 'from_avro(substr(' ~ part ~ '_bytes, 6), ' ~ adapter.sql_literal(schema.avro) ~ ", map('mode', 'PERMISSIVE'))" -%}
{%- set json = 'nullif(to_json(' ~ record ~ ", map('ignoreNullFields', 'false')), " ~ adapter.sql_literal(schema.nothing) ~ ')' -%}
{%- if part == 'value' and schema.embedded -%}
concat('{"schema":', {{ adapter.sql_literal(schema.embedded) }}, ',"payload":', {{ json }}, '}')
{%- else -%}
{{ json }}
{%- endif -%}
{%- endmacro %}


{#- SQL: why a line whose key and value came in another encoding cannot be read; null where it can, or is text. Of `unknown_schema` the line waits. -#}
{% macro landing_wire_reason(schemas) -%}
case
            when message.encoding is null or message.value is null and message.encoding = 'base64' then null
            when message.encoding != 'base64' then concat('unknown_encoding: ', message.encoding)
            when value_number is null or message.key is not null and key_number is null then 'broken_wire_format'
            {%- for part in ['value', 'key'] %}
            when {{ part }}_number not in ({{ ([-1] + schemas | selectattr('is_' ~ part) | map(attribute='number') | list) | join(', ') }}) then concat('unknown_schema: ', {{ part }}_number)
            {%- endfor %}
            {%- for schema in schemas | rejectattr('avro') %}
            when {{ schema.number }} in (value_number, key_number) then 'unreadable_schema: {{ schema.number }}'
            {%- endfor %}
            when value_text is null or message.key is not null and key_text is null then 'broken_wire_format'
        end
{%- endmacro %}
