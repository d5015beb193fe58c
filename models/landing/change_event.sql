-- Grain: one change event of one source table, exactly once.
{{ config(
    materialized='incremental', incremental_strategy='land', unique_key='event_id', land_kind='change', land_from_start=true, full_refresh=false
) }}
with

epoch as (
    {{ landing_epochs(ref('source_log')) }}
),

batch as (
    select
        record.*,
        {{ landing_epoch_of('record.log_time', 'epoch.began_at') }} as log_epoch,
        -- a running count, which is a row's number: of row_number Spark would sort all rows once more, to keep the first ones only
        count(*) over (
            partition by record.event_id order by record.landed_from, record.landed_offset rows between unbounded preceding and current row
        ) as delivery
    from {{ ref('landing_record') }} as record
    left join epoch on record.source_system = epoch.source_system and record.source_database <=> epoch.source_database
    where record.kind = 'change'
),

{% if is_incremental() %}
batch_start as (
    select
        source_system,
        source_database,
        min(log_commit) as log_commit,
        min(log_position) as log_position
    from batch
    group by source_system, source_database
),

stored as (
    select
        event.event_id,
        event.source_system,
        event.source_database,
        {{ landing_epoch_of('event.commit_position.committed_at', 'epoch.began_at') }} as log_epoch,
        event.commit_position.log_commit,
        event.commit_position.log_position,
        event.commit_position.committed_at,
        event.landed_offset
    from {{ this }} as event
    left join epoch on event.source_system = epoch.source_system and event.source_database <=> epoch.source_database
),

-- what has landed already of these sources: everything from the batch's first commit or write on (a restarted connector may
-- name another commit with the same write), and the newest commit before
landed as (
    select stored.*
    from stored
    inner join batch_start
        on stored.source_system = batch_start.source_system
        and stored.source_database <=> batch_start.source_database
        and (stored.log_commit >= batch_start.log_commit or stored.log_position >= batch_start.log_position)
    union all
    select
        null as event_id,
        stored.source_system,
        stored.source_database,
        stored.log_epoch,
        max(stored.log_commit) as log_commit,
        max(stored.log_position) as log_position,
        max(stored.committed_at) as committed_at,
        null as landed_offset
    from stored
    inner join batch_start
        on stored.source_system = batch_start.source_system
        and stored.source_database <=> batch_start.source_database
        and stored.log_commit < batch_start.log_commit
    group by stored.source_system, stored.source_database, stored.log_epoch
),
{% endif %}

arrived as (
    select *
    from batch
    where
        delivery = 1
        {% if is_incremental() %}
        and not exists (select 1 from landed where landed.event_id = batch.event_id)
        and not exists (
            select 1 from landed where landed.event_id = batch.former_event_id and landed.landed_offset = batch.landed_offset
        )
        {% endif %}
),

-- the log of a source and its commit times on one line: times of what has landed are fixed, new ones may not cross them
log_line as (
    select
        event_id,
        source_system,
        source_database,
        log_epoch,
        log_commit,
        log_position,
        log_time,
        cast(null as timestamp) as fixed_at
    from arrived
    {% if is_incremental() %}
    union all
    select
        null as event_id,
        source_system,
        source_database,
        log_epoch,
        log_commit,
        log_position,
        committed_at as log_time,
        committed_at as fixed_at
    from landed
    {% endif %}
),

ordered as (
    select
        event_id,
        max(log_time) over (
            partition by source_system, source_database, log_epoch
            order by log_commit, log_position
            range between unbounded preceding and current row
        ) as no_sooner_than,
        -- from the log's end backwards: a frame that ends at the last row would be walked anew for every row
        min(fixed_at) over (
            partition by source_system, source_database, log_epoch
            order by log_commit desc, log_position desc
            range between unbounded preceding and current row
        ) as no_later_than
    from log_line
),

-- one look for each field list, however many events show it
recognised as (
    select
        shown.schema_name,
        shown.attribute_names,
        shown.attribute_types,
        max(known.version) as schema_version
    from (
        select distinct
            schema_name,
            attribute_names,
            attribute_types
        from batch
    ) as shown
    inner join {{ ref('schema_version') }} as known
        on shown.schema_name = known.schema
        and {{ landing_same_version('shown', 'known') }}
    group by shown.schema_name, shown.attribute_names, shown.attribute_types
)

select /*+ broadcast(recognised) */
    arrived.event_id,
    arrived.source_system,
    arrived.source_database,
    arrived.schema_name,
    recognised.schema_version,
    arrived.op,
    arrived.event_key,
    arrived.before,
    arrived.after,
    named_struct(
        -- a source of which nothing has a time that can be believed: now
        'committed_at', coalesce(least(ordered.no_sooner_than, ordered.no_later_than), current_timestamp()),
        'source_system', arrived.source_system,
        'log_commit', arrived.log_commit,
        'log_position', arrived.log_position,
        'log_serial', arrived.log_serial,
        'event_id', arrived.event_id
    ) as commit_position,
    arrived.committed_at,
    arrived.transaction_id,
    current_timestamp() as landed_at,
    arrived.landed_from,
    arrived.landed_offset,
    arrived.is_typed,
    arrived.has_fractions
from arrived
inner join ordered on arrived.event_id = ordered.event_id
left join recognised
    on arrived.schema_name = recognised.schema_name
    and arrived.attribute_names = recognised.attribute_names
    and arrived.attribute_types <=> recognised.attribute_types
-- readers of one table skip what others have written
sort by arrived.schema_name
