{#- Reads what the newest published snapshot that has a relation says of it: version and consumed versions. It is a cache of the Delta logs,
    trusted only where the version still is the relation's newest. A relation that was in none of the last 50 snapshots is not known. -#}
{% macro jobs_ledger_read() %}
  {%- set state = jobs_state() -%}
  {%- set table = jobs_relation('published_snapshot') -%}
  {%- set columns = "relation, version, data_version, committed_at, definition, reads, read_at, sql_hash, row_count, bytes, detail, published_at, landed_through" -%}
  {%- for row in jobs_query(
    "select newest.* except (landed_through), cast(newest.landed_through as string) as landed_through from (select max_by(struct(" ~ columns ~ "), number) as newest from "
    ~ table ~ " where number > (select max(number) from " ~ table ~ ") - 50 group by relation)"
  ) -%}
    {%- do state['ledger'].update({row.relation: row}) -%}
  {%- endfor -%}
{% endmacro %}
