{#- Creates the bookkeeping tables of the ops layer where they do not exist yet. -#}
{% macro jobs_create_tables() %}
  {%- set columns = {
    'job_event': "job string comment 'dbt invocation', number bigint comment 'position in the job chain', event string comment 'started, heartbeat, finished or failed', owner string, command string comment 'dbt command', at timestamp, detail string",
    'model_run': "job string, number bigint, position bigint, relation string, resource_type string, status string, rule string, reason string, apply_path string, rows_read bigint, rows_inserted bigint, rows_updated bigint, rows_deleted bigint, statements bigint, seconds double, version bigint",
    'published_snapshot': "job string, number bigint, relation string, version bigint, data_version bigint, definition string, location string, reads string, sql_hash string, detail string, landed_through timestamp, published_at timestamp",
  } -%}
  {%- for name, column_list in columns.items() if not load_cached_relation(jobs_relation(name)) -%}
    {%- if loop.first -%}
      {%- do jobs_query("create schema if not exists " ~ jobs_relation(name).schema) -%}
    {%- endif -%}
    {%- do jobs_query(
      "create table if not exists " ~ jobs_relation(name) ~ " (" ~ column_list ~ ") using delta"
      ~ " tblproperties ('delta.isolationLevel' = 'Serializable', 'delta.appendOnly' = 'true')"
    ) -%}
  {%- endfor -%}
{% endmacro %}
