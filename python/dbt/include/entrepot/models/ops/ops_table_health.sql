-- Grain: one table as it lay on its disk at the end of the newest maintenance that looked at it.
select
    relation,
    at as looked_at,
    number as job_number,
    version,
    committed_at,
    oldest_version,
    oldest_at,
    files,
    small_files,
    bytes,
    cast(bytes / nullif(files, 0) as bigint) as average_bytes,
    row_count,
    deletion_vectors,
    deleted_rows,
    unneeded_files,
    unneeded_bytes,
    compacted_at
from {{ source('ops', 'table_health') }}
where true
qualify row_number() over (partition by relation order by number desc, at desc) = 1
