-- Grain: one reason why lines were rejected, in one file.
select
    reason,
    landed_from,
    count(*) as lines,
    min(landed_at) as first_landed_at,
    max(landed_at) as last_landed_at
from {{ ref('rejected_event') }}
group by reason, landed_from
