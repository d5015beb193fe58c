{#- Runs a query once and keeps its rows in memory, as a temporary view that lives for the job. It is noted down first,
    because a `cache table` that fails leaves its view behind. -#}
{% macro jobs_temporary(view, sql) %}
  {%- do entrepot.jobs_state()['temporary'].update({view: none}) -%}
  {%- do entrepot.jobs_query('cache table ' ~ view ~ ' as\n' ~ sql) -%}
{% endmacro %}


{#- Drops temporary views of this job, and frees their rows. -#}
{% macro jobs_temporary_drop(views) %}
  {%- for view in views -%}
    {%- do entrepot.jobs_query('drop view if exists ' ~ view) -%}
    {%- do entrepot.jobs_state()['temporary'].pop(view) -%}
  {%- endfor -%}
{% endmacro %}
