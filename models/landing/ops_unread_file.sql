-- Grain: one file of which something has not landed: it could not be read, or its last line has no end yet.
select
    landed_from,
    file_size,
    file_modified_at,
    coalesce(problem, 'its last line has no end') as finding,
    landed_at
from {{ ref('landed_file') }}
where true
qualify row_number() over (partition by landed_from order by landed_at desc, file_modified_at desc) = 1 and (problem is not null or waiting > 0)
