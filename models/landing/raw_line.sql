-- Grain: one line of one file that has arrived (var landing_path).
select
    _metadata.file_path as landed_from,
    _metadata.file_size as file_size,
    _metadata.file_modification_time as file_modified_at,
    rtrim('\r', value) as line,
    octet_length(value) + 1 as line_bytes,
    row_number() over (
        partition by _metadata.file_path
        order by _metadata.file_block_start, monotonically_increasing_id()
    ) as landed_offset
from text.`{{ var('landing_path') }}` with (lineSep = '\n')  -- noqa: PRS
