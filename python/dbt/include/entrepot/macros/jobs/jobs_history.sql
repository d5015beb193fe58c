{#- The newest commits of a Delta table, newest first: rows of `describe history`. The name is quoted part by part, because
    `history` is a word of this statement and the name of a schema. -#}
{% macro jobs_history(relation, limit) %}
  {{ return(jobs_query("describe history `" ~ relation.schema ~ "`.`" ~ relation.identifier ~ "` limit " ~ limit)) }}
{% endmacro %}
