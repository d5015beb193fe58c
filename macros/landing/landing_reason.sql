{#- SQL: why a record is not a change event; null where it is one. `tombstone`, `transaction_begin`, `transaction_end`
    and `heartbeat` are control records, everything else is rejected. -#}
{% macro landing_reason() -%}
case
            when not is_valid_utf8(line) or {{ entrepot.landing_half_character('line') }} then 'broken_text'
            when message._broken is not null or json_object_keys(line) is null then 'broken_json'
            when not {{ entrepot.landing_is_one_record('line') }} then 'text_after_record'
            when not has_value then 'no_value'
            when message.value is null then 'tombstone'
            when envelope_json is null or json_object_keys(envelope_json) is null then 'broken_value'
            when event.op is null and event.status = 'BEGIN' then 'transaction_begin'
            when event.op is null and event.status = 'END' then 'transaction_end'
            when event.op is null and message.destination like '\_\_debezium-heartbeat%' then 'heartbeat'
            when event._broken is not null then 'broken_envelope'
            when event.op is null or event.op not in ('c', 'u', 'd', 'r', 't', 'm') then 'unknown_op'
            when event.source is null or event.source.name is null then 'no_source'
            when event.source.connector not in ('postgresql', 'entrepot-timestamp', 'entrepot-trigger', 'entrepot-extract') then 'unknown_connector'
            when event.source.lsn is null or {{ entrepot.landing_committed_at() }} is null then 'no_position'
            when event.op = 'm' then null
            when event.source.schema is null or event.source.`table` is null then 'no_table'
            when event.op in ('c', 'r', 'u') and event.after is null then 'no_after_image'
            when event.op = 'd' and event.before is null then 'no_before_image'
        end
{%- endmacro %}


{#- SQL: commit time of the event's transaction at its source, a UTC timestamp. -#}
{% macro landing_committed_at() -%}
coalesce({{ entrepot.mapping_instant('event.source.ts_us', 'micros') }}, {{ entrepot.mapping_instant('event.source.ts_ms', 'millis') }})
{%- endmacro %}


{#- SQL: whether a line that begins with a JSON object holds nothing else. JSON readers stop at the object's end and say nothing of the rest. What
    stands in texts is taken away first, then objects within objects, six deep. -#}
{% macro landing_is_one_record(line) -%}
{%- set skeleton = "regexp_replace(" ~ line ~ ", '\"(?:[^\"\\\\\\\\]|\\\\\\\\.)*+\"', '')" -%}
{%- set ns = namespace(sql=skeleton) -%}
{%- for _ in range(6) -%}
  {%- set ns.sql = "regexp_replace(" ~ ns.sql ~ ", '[:,\\\\[]\\\\s*[{][^{}]*[}]', ':')" -%}
{%- endfor -%}
{{ ns.sql }} rlike '^\\s*[{][^{}]*[}]\\s*$'
{%- endmacro %}
