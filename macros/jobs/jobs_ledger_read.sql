{#- Reads what the newest published snapshot says of every relation: version and consumed versions. It is a cache of
    the Delta logs, trusted only where the version still is the relation's newest. -#}
{% macro jobs_ledger_read() %}
  {%- set state = entrepot.jobs_state() -%}
  {%- set table = entrepot.jobs_relation('published_snapshot') -%}
  {%- for row in entrepot.jobs_query(
    "select relation, version, data_version, reads, sql_hash, row_count, bytes, detail, published_at, "
    ~ "cast(landed_through as string) as landed_through from " ~ table ~ " where number = (select max(number) from " ~ table ~ ")"
  ) -%}
    {%- do state['ledger'].update({row.relation: row}) -%}
  {%- endfor -%}
{% endmacro %}
