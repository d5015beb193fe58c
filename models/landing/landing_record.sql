-- Grain: one recorded message (one non-empty line of a file), read as what it is: a change, a control record, or rejected.
with

read as (
    select * from {{ ref('read_line') }}
),

payload as (
    select
        *,
        {{ landing_dense(landing_payload('value_text')) }} as value_json,
        {{ landing_dense(landing_payload('key_text')) }} as key_json,
        {{ landing_embedded_schema('value_text') }} as embedded_json
    from read
),

extended as (
    select
        *,
        {{ landing_added('value_json') }} as added
    from payload
),

envelope as (
    select
        *,
        {{ landing_dense(landing_enveloped('value_json')) }} as envelope_json,
        {{ landing_enveloped_schema('embedded_json') }} as schema_json,
        {{ landing_lacking() }} as lacking
    from extended
),

parsed as (
    select
        *,
        {{ landing_envelope('envelope_json', 'landed_offset') }} as event,
        {{ landing_dense(landing_marked_images()) }} as marked
    from envelope
),

judged as (
    select
        *,
        {{ landing_dense(landing_reason()) }} as judgement
    from parsed
),

reasoned as (
    select
        * except (judgement),
        if(judgement = 'broken_envelope', concat('broken_envelope: ', {{ landing_dense(landing_broken_fields('envelope_json')) }}), judgement) as reason
    from judged
),

-- what is counted by sorting comes before what makes rows long
counted as (
    select
        * except (line),
        if(reason is null, null, line) as line,
        {{ landing_equal_before() }} as equal_before
    from reasoned
),

-- what the embedded schema says of the image's fields, with what is inside of records
shaped as (
    select
        *,
        if(schema_json is null, null, {{ landing_dense(landing_fields_with_inner(landing_told_fields())) }}) as image_fields
    from counted
),

described as (
    select
        *,
        case
            when reason is null then 'change'
            when reason in ('tombstone', 'transaction_begin', 'transaction_end', 'heartbeat') then 'control'
            when is_open or reason like 'unknown\\_schema:%' then 'waiting'
            else 'rejected'
        end as kind,
        {{ landing_exact_json('before') }} as before_json,
        if(event.op = 'm', {{ landing_exact_json('message') }}, {{ landing_exact_json('after') }}) as after_json,
        {{ landing_dense(landing_attributes()) }} as attributes,
        {{ landing_committed_at() }} as committed_at,
        {{ landing_heard_at() }} as heard_at
    from shaped
)

select
    landed_from,
    landed_offset,
    kind,
    reason,
    line,
    coalesce(event.source.name, {{ landing_heard_from() }}) as source_system,
    event.source.db as source_database,
    if(event.op = 'm', null, concat_ws('.', event.source.name, event.source.schema, event.source.`table`)) as schema_name,
    event.op as op,
    key_json as event_key,
    before_json as before,
    after_json as after,
    attributes,
    array_sort(attributes.attribute) as attribute_names,
    {{ landing_attribute_types('attributes') }} as attribute_types,
    schema_json is not null as is_typed,
    marked is not null as has_fractions,
    committed_at,
    {{ landing_log_time('committed_at') }} as log_time,
    {{ landing_log_time('coalesce(committed_at, heard_at)') }} as heard_at,
    coalesce({{ landing_told_commit() }}, event.source.lsn) as log_commit,
    {{ landing_told_commit() }} is not null as log_commit_is_told,
    event.source.lsn as log_position,
    coalesce(event.transaction.total_order, 0) as log_serial,
    cast(event.source.txid as string) as transaction_id,
    case when kind = 'change' then {{ landing_event_id() }} else {{ landing_line_id() }} end as event_id,
    case when kind = 'change' then {{ landing_former_event_id() }} else {{ landing_former_line_id() }} end as former_event_id
from described
