{#- SQL: why a record is not a change event; null where it is one. `tombstone`, `transaction_begin`, `transaction_end`
    and `heartbeat` are control records, everything else is rejected. Which fields of a `broken_envelope` are, is asked once (`landing_broken_fields`). -#}
{% macro landing_reason() -%}
case
            when is_too_long then 'too_long: over {{ entrepot.landing_longest_line() // 1000000 }} MB'
            when not is_valid_utf8(line) or {{ entrepot.landing_half_character('line') }} then 'broken_text'
            when {{ entrepot.landing_half_character('value_text') }} or {{ entrepot.landing_half_character('key_text') }} then 'broken_text'
            when message is null then {{ entrepot.landing_broken_line('line') }}
            when wire_reason is not null then wire_reason
            when message.value is null then if(array_contains(json_object_keys(line), 'value'), 'tombstone', 'no_value')
            when envelope_json is null then 'broken_value'
            when schema_json is not null and not {{ entrepot.landing_is_one_record('value_text') }} then 'broken_value'
            when event is null then {{ entrepot.landing_broken_event() }}
            when lacking is not null then if({{ entrepot.landing_is_broken('value_json') }}, 'broken_value', concat('flattened_without: ', lacking))
            when event.op is null and {{ entrepot.landing_control('event') }} is not null then {{ entrepot.landing_control('event') }}
            when {{ entrepot.landing_is_no_image() }} then 'broken_envelope'
            when event.op is null and {{ entrepot.landing_is_bare_row() }} then 'flattened_without: add.fields, delete.tombstone.handling.mode=rewrite'
            when event.op is null or event.op not in ('c', 'u', 'd', 'r', 't', 'm') then 'unknown_op'
            when event.source is null or event.source.name is null then 'no_source'
            when event.source.connector not in ({{ adapter.sql_literals(entrepot.landing_connectors()) }}) then concat('unknown_connector: ', event.source.connector)
            when event.source.lsn is null or {{ entrepot.landing_committed_at() }} is null then 'no_position'
            when event.op = 'm' then null
            when event.source.schema is null or event.source.`table` is null then 'no_table'
            when event.op in ('c', 'r', 'u') and {{ entrepot.landing_is_empty('event.after') }} then 'no_after_image'
            when event.op = 'd' and {{ entrepot.landing_is_empty('event.before') }} then 'no_before_image'
        end
{%- endmacro %}


{#- SQL: what a message without `op` is: a transaction's begin or end, or a heartbeat; null where it is none of them. A row may have a `status`, too, and other columns. -#}
{% macro landing_control(event) -%}
case
                when {{ event }}.status in ('BEGIN', 'END') and size(array_except(
                    json_object_keys(envelope_json), array('status', 'id', 'event_count', 'data_collections', 'ts_ms', 'ts_us', 'ts_ns')
                )) = 0 then if({{ event }}.status = 'BEGIN', 'transaction_begin', 'transaction_end')
                when message.destination like '\_\_debezium-heartbeat%' then 'heartbeat'
            end
{%- endmacro %}


{#- SQL: the source that a control record is of, from where it was sent to: `prefix.transaction`, or `__debezium-heartbeat.prefix`; null of others. -#}
{% macro landing_heard_from() -%}
case
        when reason = 'heartbeat' then nullif(regexp_extract(message.destination, '^[^.]+[.](.+)$', 1), '')
        when reason in ('transaction_begin', 'transaction_end') then nullif(regexp_extract(message.destination, '^(.+)[.][^.]+$', 1), '')
    end
{%- endmacro %}


{#- SQL: up to when a control record says that its source has been heard, a UTC timestamp: the end of a transaction until then, a heartbeat until it was
    sent; null of other records. -#}
{% macro landing_heard_at() -%}
if(reason in ('heartbeat', 'transaction_end'), {{ entrepot.mapping_instant('event.ts_ms', 'millis') }}, null)
{%- endmacro %}


{#- SQL: what a value is that is no envelope as it should be: no JSON object alone, a control record all the same, or broken. -#}
{% macro landing_broken_event() -%}
{%- set told = entrepot.landing_checked_json('envelope_json', 'op string, status string') -%}
case
                when not {{ entrepot.landing_is_one_record('envelope_json') }} or {{ entrepot.landing_is_broken('envelope_json') }} then 'broken_value'
                when {{ told }}.op is null and {{ entrepot.landing_control(told) }} is not null then {{ entrepot.landing_control(told) }}
                else 'broken_envelope'
            end
{%- endmacro %}


{#- SQL: commit time of the event's transaction at its source, a UTC timestamp. -#}
{% macro landing_committed_at() -%}
coalesce({{ entrepot.mapping_instant('event.source.ts_us', 'micros') }}, {{ entrepot.mapping_instant('event.source.ts_ms', 'millis') }})
{%- endmacro %}


{#- SQL: whether a text that begins with a JSON object holds nothing else. JSON readers stop at the object's end and say nothing of the rest. No
    rest is well-formed behind it both in a list and in an object. -#}
{% macro landing_is_one_record(text) -%}
(
                coalesce(json_array_length(concat('[', {{ text }}, ']')) = 1, false)
                and json_object_keys(concat('{"":', {{ text }}, '}')) is not null
            )
{%- endmacro %}


{#- SQL: whether a text is no JSON of an object. -#}
{% macro landing_is_broken(text) -%}
({{ entrepot.landing_checked_json(text, '') }}._broken is not null or json_object_keys({{ text }}) is null)
{%- endmacro %}


{#- SQL: whether what stands in place of an image is no object. -#}
{% macro landing_is_no_image() -%}
not (coalesce(startswith(event.before, '{'), true) and coalesce(startswith(event.after, '{'), true) and coalesce(startswith(event.message, '{'), true))
{%- endmacro %}


{#- SQL: whether an image is not there, or has no columns: no table has none, and another schema version would be made of it. -#}
{% macro landing_is_empty(image) -%}
not coalesce(size(json_object_keys({{ image }})) > 0, false)
{%- endmacro %}


{#- SQL of options of `from_json`: JSON as its standard has it, without single quotes and without NaN as a number. -#}
{% macro landing_json_options() -%}
'allowSingleQuotes', 'false', 'allowNonNumericNumbers', 'false'
{%- endmacro %}


{#- The connectors whose positions order a log: one number that grows with it, in `source.lsn`. -#}
{% macro landing_connectors() %}
  {{ return(['postgresql', 'entrepot-timestamp', 'entrepot-trigger', 'entrepot-extract']) }}
{% endmacro %}


{#- SQL: the position of the commit before the event's transaction, as far as the connector tells; null where it does not. -#}
{% macro landing_told_commit() -%}
try_cast(get(from_json(event.source.sequence, 'array<string>'), 0) as bigint)
{%- endmacro %}
