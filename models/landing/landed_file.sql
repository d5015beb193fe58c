-- Grain: one file as it was when it landed, or could not be read; a file that has grown since has one row for each size.
-- depends_on: {{ ref('change_event') }}, {{ ref('rejected_event') }}, {{ ref('control_event') }}
{{ config(
    materialized='incremental', incremental_strategy='land', unique_key=['landed_from', 'file_size', 'file_modified_at', 'problem'],
    land_kind='file', full_refresh=false
) }}
select
    file.landed_from,
    file.file_size,
    file.file_modified_at,
    count(record.landed_from) as records,
    count_if(record.kind = 'change') as changes,
    count_if(record.kind = 'rejected') as rejected,
    count_if(record.kind = 'waiting') as waiting,
    current_timestamp() as landed_at,
    file.problem
from {{ ref('arrived_file') }} as file
left join {{ ref('landing_record') }} as record on file.landed_from = record.landed_from
group by file.landed_from, file.file_size, file.file_modified_at, file.problem
