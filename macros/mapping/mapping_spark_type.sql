{#- The Spark type of a canonical type of the range tree: METL generalises, int32 becomes integer (`python/entrepot/mapping/types.py`). -#}
{% macro mapping_spark_type(data_type) %}
  {{ return(adapter.mapping_spark_type(data_type)) }}
{% endmacro %}
