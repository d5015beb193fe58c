{#- dbt's `view` for Spark; its text is noted down, because models that read it inline it. -#}
{% materialization view, adapter='spark' -%}
  {%- do entrepot.jobs_state()['views'].update({this | string: entrepot.delta_view_told(sql)}) -%}
  {{ return(dbt.materialization_view_spark()) }}
{%- endmaterialization %}
