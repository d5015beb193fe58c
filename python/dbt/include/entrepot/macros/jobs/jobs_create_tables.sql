{#-
Creates the bookkeeping tables of the ops layer where they do not exist yet.

A job killed meanwhile leaves files in a folder that the catalog does not know, perhaps with a Delta commit. `create or
replace … as select` is the one statement that Delta runs there all the same; with `delta.appendOnly` it would not.
-#}
{% macro jobs_create_tables() %}
  {%- set columns = {
    'job_event': "job string, number bigint, event string, owner string, command string, at timestamp, detail string",
    'model_run': "job string, number bigint, position bigint, relation string, resource_type string, status string, rule string, reason string, apply_path string, rows_read bigint, rows_inserted bigint, rows_updated bigint, rows_deleted bigint, statements bigint, seconds double, version bigint, sql string",
    'published_snapshot': "job string, number bigint, relation string, version bigint, data_version bigint, committed_at timestamp, definition string, location string, reads string, read_at string, sql_hash string, row_count bigint, bytes bigint, detail string, landed_through timestamp, published_at timestamp",
    'model_verdict': "relation string, sql_hash string, analyzed string, rule string, reason string, verdict string, sql string, job string, number bigint, at timestamp",
  } -%}
  {%- for name, column_list in columns.items() if not load_cached_relation(jobs_relation(name)) -%}
    {%- if loop.first -%}
      {%- do jobs_query("create schema if not exists " ~ jobs_relation(name).schema) -%}
    {%- endif -%}
    {%- do jobs_query(
      "create or replace table " ~ jobs_relation(name) ~ " using delta tblproperties ('delta.isolationLevel' = 'Serializable')"
      ~ " as select * from inline(cast(array() as array<struct<" ~ column_list ~ ">>))"
    ) -%}
  {%- endfor -%}
{% endmacro %}
