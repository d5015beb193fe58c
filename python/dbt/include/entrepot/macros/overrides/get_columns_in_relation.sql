{#- The columns of a relation as dbt's Column objects. dbt-spark's macro names an undefined `schema` and returns rows of
    `describe`; the adapter's method of the same name is right. -#}
{% macro entrepot__get_columns_in_relation(relation) %}
  {{ return(adapter.get_columns_in_relation(relation)) }}
{% endmacro %}
