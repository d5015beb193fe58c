-- Grain: one thing that is odd about the log of a source: it went back, or changes were committed in the future.
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
    'commit times in the future' as finding,
    min(committed_at) as since,
    count(*) as changes,
    min(landed_at) as landed_at
from {{ ref('change_event') }}
where {{ landing_log_time('committed_at', 'landed_at') }} is null
group by source_system, source_database
