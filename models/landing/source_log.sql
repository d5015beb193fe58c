-- Grain: one stretch of the log of one source, up to the end of what one job has landed of it.
{{ config(
    materialized='incremental', incremental_strategy='land', unique_key=['source_system', 'source_database', 'epoch_began_at', 'landed_at'],
    land_kind='change', full_refresh=false
) }}
with

arrived as (
    select
        source_system,
        source_database,
        landed_offset,
        log_commit,
        log_position,
        log_time,
        -- the first transaction after a restart does not say what was committed before it, and may have begun long ago
        log_commit_is_told or op = 'r' as is_evidence,
        -- a connector's files follow each other in the order of their first commit times
        min(log_time) over (partition by landed_from, source_system, source_database) as file_began_at,
        landed_from
    from {{ ref('landing_record') }}
    where kind = 'change' and log_time is not null
),

{% if is_incremental() %}
stored as (
    select
        *,
        max(epoch_began_at) over (partition by source_system, source_database) as newest_epoch
    from {{ this }}
),
{% endif %}

in_order as (
    select * from arrived
    {% if is_incremental() %}
    union all
    select
        source_system,
        source_database,
        0 as landed_offset,
        max(log_commit) as log_commit,
        max(log_commit) as log_position,
        max(log_time) as log_time,
        false as is_evidence,
        cast(null as timestamp) as file_began_at,
        '' as landed_from
    from stored
    where newest_epoch is null or log_time >= newest_epoch
    group by source_system, source_database
    {% endif %}
),

with_before as (
    select
        *,
        max(log_commit) over before as log_before,
        max(log_time) over before as time_before
    from in_order
    window before as (
        partition by source_system, source_database
        order by file_began_at nulls first, landed_from, landed_offset
        rows between unbounded preceding and 1 preceding
    )
),

-- committed later than all that had arrived, at a place before the log's end: the log goes back (a restored server, a failover)
stretch as (
    select
        source_system,
        source_database,
        min(log_time) as began_at,
        count_if(is_evidence) > 0 as is_certain,
        count(distinct log_time) as moments
    from with_before
    where log_time > time_before and greatest(log_commit, log_position) < log_before
    group by source_system, source_database, log_before
),

epoch as (
    select
        source_system,
        source_database,
        collect_list(began_at) filter (where is_certain) as began_at,
        -- one transaction may have begun long ago; of several the records do not say whether they did
        min(began_at) filter (where not is_certain and moments > 1) as unsaid_since
    from stretch
    group by source_system, source_database
)

select
    arrived.source_system,
    arrived.source_database,
    {{ landing_epoch_of('arrived.log_time', 'epoch.began_at') }} as epoch_began_at,
    max(arrived.log_commit) as log_commit,
    max(arrived.log_time) as log_time,
    current_timestamp() as landed_at,
    max(epoch.unsaid_since) as unsaid_since
from arrived
left join epoch on arrived.source_system = epoch.source_system and arrived.source_database <=> epoch.source_database
group by arrived.source_system, arrived.source_database, {{ landing_epoch_of('arrived.log_time', 'epoch.began_at') }}
