-- Grain: one thing that is odd about the log of a source: it went back, or may have, or changes were committed in the future.
select
    source_system,
    source_database,
    'its log went back' as finding,
    epoch_began_at as since,
    cast(null as bigint) as changes,
    landed_at
from {{ ref('source_log') }}
where epoch_began_at is not null
union all
select
    source_system,
    source_database,
    'its log may have gone back, its records do not say (source.sequence)' as finding,
    min(unsaid_since) as since,
    cast(null as bigint) as changes,
    min(landed_at) as landed_at
from (
    select
        *,
        max(epoch_began_at) over (partition by source_system, source_database) as newest_epoch
    from {{ ref('source_log') }}
) as stretch
-- until an epoch has begun since
where unsaid_since > coalesce(newest_epoch, timestamp '0001-01-01')
group by source_system, source_database
union all
select
    source_system,
    source_database,
    'commit times in the future' as finding,
    min(committed_at) as since,
    count(*) as changes,
    min(landed_at) as landed_at
from {{ ref('change_event') }}
where {{ landing_log_time('committed_at', 'landed_at') }} is null
group by source_system, source_database
