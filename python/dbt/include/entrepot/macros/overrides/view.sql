{#- dbt's `view`; its text is noted down, because models that read it inline it. -#}
{% materialization view, adapter='entrepot' -%}
  {%- do jobs_know() -%}
  {%- do adapter.jobs_view_made(this, adapter.sql_view_text_told(sql)) -%}
  {{ return(materialization_view_spark()) }}
{%- endmaterialization %}
