{#- SQL: the PostgreSQL type behind a field of Debezium's embedded schema (a struct with type, name, parameters, items). -#}
{% macro landing_source_type(field) -%}
case
                        when {{ field }}.name = 'org.apache.kafka.connect.data.Decimal' then concat(
                            'numeric(', coalesce({{ field }}.parameters['connect.decimal.precision'], '38'), ',',
                            {{ field }}.parameters['scale'], ')'
                        )
                        when {{ field }}.name = 'io.debezium.data.VariableScaleDecimal' then 'numeric'
                        when {{ field }}.name in ('io.debezium.time.Date', 'org.apache.kafka.connect.data.Date') then 'date'
                        when {{ field }}.name = 'io.debezium.time.Timestamp' then 'timestamp(3)'
                        when {{ field }}.name = 'io.debezium.time.MicroTimestamp' then 'timestamp'
                        when {{ field }}.name = 'io.debezium.time.ZonedTimestamp' then 'timestamptz'
                        when {{ field }}.name = 'io.debezium.time.MicroTime' then 'time'
                        when {{ field }}.name = 'io.debezium.time.ZonedTime' then 'timetz'
                        when {{ field }}.name = 'io.debezium.time.MicroDuration' then 'interval'
                        when {{ field }}.name = 'io.debezium.data.Json' then 'jsonb'
                        when {{ field }}.name = 'io.debezium.data.Uuid' then 'uuid'
                        when {{ field }}.type = 'array' then concat(coalesce({{ field }}.items.type, 'text'), '[]')
                        when {{ field }}.type = 'struct' then coalesce({{ field }}.name, 'struct')
                        else element_at(
                            map(
                                'int8', 'smallint', 'int16', 'smallint', 'int32', 'integer', 'int64', 'bigint', 'float', 'real',
                                'float32', 'real', 'double', 'double precision', 'float64', 'double precision',
                                'boolean', 'boolean', 'string', 'text', 'bytes', 'bytea'
                            ),
                            {{ field }}.type
                        )
                    end
{%- endmacro %}


{#- SQL: a type as a person writes it in the seed, in the words of `landing_source_type`, for comparing the two. -#}
{% macro landing_canonical_type(column) -%}
case
        when lower({{ column }}) rlike '^(varchar|character varying|char|character|bpchar|citext|name|enum)\\b' then 'text'
        when lower({{ column }}) in ('int', 'int4', 'serial') then 'integer'
        when lower({{ column }}) in ('int8', 'bigserial') then 'bigint'
        when lower({{ column }}) in ('int2', 'smallserial') then 'smallint'
        when lower({{ column }}) in ('float8', 'double') then 'double precision'
        when lower({{ column }}) = 'float4' then 'real'
        when lower({{ column }}) = 'bool' then 'boolean'
        when lower({{ column }}) = 'json' then 'jsonb'
        when lower({{ column }}) in ('timestamp with time zone', 'timestamptz(6)') then 'timestamptz'
        when lower({{ column }}) in ('timestamp without time zone', 'timestamp(6)') then 'timestamp'
        else regexp_replace(replace(lower({{ column }}), 'decimal', 'numeric'), '\\s*,\\s*', ',')
    end
{%- endmacro %}
