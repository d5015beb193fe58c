{#- SQL: the lines that are not blank, with their keys and values as texts of JSON. What came in Avro is read by the `schemas` that have been pulled from its
    registry, whose texts stand in the SQL: a job gives them, and no view has them, because the embedded metastore keeps no long texts of views. -#}
{% macro landing_read_messages(lines, schemas) -%}
with line as (
    select
        landed_from,
        landed_offset,
        line,
        is_too_long,
        sha2(min_by(line, if(trim(line) = '', null, landed_offset)) over (partition by landed_from), 256) as file_id,
        -- the last line of a file that is still being written has no line end yet; the three bytes of a byte order mark are in no line
        landed_offset = count(*) over (partition by landed_from)
        and sum(line_bytes) over (partition by landed_from) - file_size not in (0, -3) as is_open
    from {{ lines }}
),

record as (
    select
        landed_from,
        landed_offset,
        line,
        is_too_long,
        file_id,
        is_open,
        {{ entrepot.landing_message('line', 'landed_offset') }} as message
    from line
    where trim(line) != ''
),

numbered as (
    select
        *,
        {{ entrepot.landing_wire_bytes('key') }} as key_bytes,
        {{ entrepot.landing_wire_bytes('value') }} as value_bytes,
        {{ entrepot.landing_wire_number(entrepot.landing_wire_bytes('key')) }} as key_number,
        {{ entrepot.landing_wire_number(entrepot.landing_wire_bytes('value')) }} as value_number
    from record
),

read as (
    select
        *,
        {{ entrepot.landing_wire_text('key', schemas) }} as key_text,
        {{ entrepot.landing_wire_text('value', schemas) }} as value_text
    from numbered
)

select
    * except (key_bytes, value_bytes, key_number, value_number),
    {{ entrepot.landing_wire_reason(schemas) }} as wire_reason
from read
{%- endmacro %}
