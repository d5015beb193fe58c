{#- SQL: the lines of files. Without `files` those that Spark finds by var `landing_path`; with them, the lines of a list of files
    (`landing_listed_files`) that Spark reads by their links in a folder. -#}
{% macro landing_read_lines(folder=none, files=none) -%}
select
    {{ 'file.landed_from' if files is not none else '_metadata.file_path' }} as landed_from,
    {{ 'file.file_size' if files is not none else '_metadata.file_size' }} as file_size,
    {{ 'file.file_modified_at' if files is not none else '_metadata.file_modification_time' }} as file_modified_at,
    if(octet_length(value) > {{ entrepot.landing_longest_line() }}, {{ entrepot.landing_cut_line('value') }}, rtrim('\r', value)) as line,
    octet_length(value) > {{ entrepot.landing_longest_line() }} as is_too_long,
    if(_metadata.file_path rlike '[.](gz|zst|bz2)$', null, octet_length(value) + 1) as line_bytes,
    row_number() over (
        partition by {{ 'file.landed_from' if files is not none else '_metadata.file_path' }}
        order by _metadata.file_block_start, monotonically_increasing_id()
    ) as landed_offset
from text.`{{ folder or adapter.landing_base(var('landing_path')) }}` with (lineSep = '\n', recursiveFileLookup = 'true')  -- noqa: PRS
{%- if files is not none %}
inner join ({{ entrepot.landing_listed_files(files) }}) as file on _metadata.file_path = file.link
{%- if files and not folder %}
where _metadata.file_path in ({{ adapter.sql_literals(files | map(attribute='link')) }})
{%- endif %}
{%- else %}
where url_decode(replace(_metadata.file_path, '+', '%2B')) rlike {{ adapter.sql_literal(adapter.landing_regex(var('landing_path'))) }}
{%- endif -%}
{%- endmacro %}


{#- How many bytes a line may have. Spark's reader of JSON takes texts of 20 million characters; and a line is held in memory some twenty times over
    while it is read. -#}
{% macro landing_longest_line() %}
  {{ return(20000000) }}
{% endmacro %}


{#- SQL: what is kept of a line that is too long: its beginning, and what tells it from every other line. -#}
{% macro landing_cut_line(line) -%}
concat(left({{ line }}, 10000), '… (', octet_length({{ line }}), ' bytes, sha256 ', sha2({{ line }}, 256), ')')
{%- endmacro %}
