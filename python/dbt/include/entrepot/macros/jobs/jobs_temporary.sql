{#- Runs a query once and keeps its rows in memory, as a temporary view that lives for the job. It is noted down first,
    because a `cache table` that fails leaves its view behind. -#}
{% macro jobs_temporary(view, sql) %}
  {%- do jobs_state()['temporary'].update({view: none}) -%}
  {%- do jobs_query('cache table ' ~ view ~ ' as\n' ~ sql) -%}
{% endmacro %}


{#- The same for rows that are few: kept on the driver, where it costs no Spark job to read them again. Whether they were few enough. -#}
{% macro jobs_keep(view, sql) %}
  {%- set is_kept = adapter.keep_rows(view, sql) -%}
  {%- do jobs_state()['temporary'].update({view: none}) if is_kept -%}
  {{ return(is_kept) }}
{% endmacro %}


{#- Drops temporary views of this job, and frees their rows. -#}
{% macro jobs_temporary_drop(views) %}
  {%- for view in views -%}
    {%- do jobs_query('drop view if exists ' ~ view) -%}
    {%- do jobs_state()['temporary'].pop(view) -%}
  {%- endfor -%}
{% endmacro %}
