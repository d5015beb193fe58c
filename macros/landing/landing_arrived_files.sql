{#- SQL: the files that lie in the landing folder, with size and time of change, as Spark lists them; no content is read. A folder is
    read, and a pattern compared, because Spark refuses a pattern that nothing matches. -#}
{% macro landing_arrived_files() -%}
select
    _metadata.file_path as landed_from,
    _metadata.file_size as file_size,
    _metadata.file_modification_time as file_modified_at,
    cast(null as string) as problem
from binaryFile.`{{ adapter.landing_base(var('landing_path')) }}` with (recursiveFileLookup = 'true')  -- noqa: PRS
where url_decode(replace(_metadata.file_path, '+', '%2B')) rlike {{ adapter.sql_literal(adapter.landing_regex(var('landing_path'))) }}
{%- endmacro %}


{#- SQL: a list of files as rows; `modified_ms` are milliseconds since 1970, `link` where Spark reads the file. -#}
{% macro landing_listed_files(files) -%}
select
    landed_from,
    file_size,
    timestamp_millis(modified_ms) as file_modified_at,
    problem,
    link
from inline(from_json(
    {{ adapter.sql_literal(tojson(files)) }},
    'array<struct<landed_from string, file_size bigint, modified_ms bigint, problem string, link string>>'
))
{%- endmacro %}
