{#- SQL of a landing model that keeps lines as they came: `kind` is 'rejected' or 'control'. Bytes that are no UTF-8 are kept in hexadecimal: other readers refuse
    whole Parquet files with such texts. -#}
{% macro landing_lines(kind) -%}
select
    batch.event_id,
    batch.reason,
    if(is_valid_utf8(batch.line), batch.line, concat('hex:', hex(batch.line))) as line,
    current_timestamp() as landed_at,
    batch.landed_from,
    batch.landed_offset
from {{ ref('landing_record') }} as batch
where
    batch.kind = '{{ kind }}'
    {% if is_incremental() %}
    and not exists (select 1 from {{ this }} as stored where stored.event_id = batch.event_id)
    and not exists (select 1 from {{ this }} as stored where stored.event_id = batch.former_event_id)
    {% endif %}
-- one of a file that has come under several names
qualify row_number() over (partition by batch.event_id order by batch.landed_from) = 1
{%- endmacro %}
