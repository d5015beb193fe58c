{#- SQL: the files that lie in the landing folder, with size and time of change; no content is read. -#}
{% macro landing_arrived_files() -%}
select
    _metadata.file_path as landed_from,
    _metadata.file_size as file_size,
    _metadata.file_modification_time as file_modified_at
from binaryFile.`{{ var('landing_path') }}`
{%- endmacro %}
