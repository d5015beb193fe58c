{#- SQL of the rows in which a stored relation differs, as a multiset, from its full recompute on the versions that it has
    consumed; `_side` says which of the two has them. `version` and `reads` are what is compared, `body` the model's SQL. -#}
{% macro delta_difference(node, version, reads, body) %}
  {%- set relation = jobs_node_relation(node) -%}
  {%- set names = adapter.get_columns_in_relation(relation) | map(attribute='quoted') | join(', ') -%}
  {%- set stored = 'select ' ~ names ~ ', 1 as _sign from ' ~ relation ~ ' version as of ' ~ version -%}
  {%- set recomputed = 'select ' ~ names ~ ', -1 as _sign from (\n' ~ delta_at(body, delta_upstreams(node), reads) ~ '\n)' -%}
select if(_delta > 0, 'stored, not recomputed', 'recomputed, not stored') as _side, * except (_delta)
from (
{{ adapter.net_rows_sql(stored ~ '\nunion all\n' ~ recomputed) }}
)
{% endmacro %}


{#- The SQL of a model with its views inlined, as `ops.model_verdict` or this job has it: the one with checksum `sql_hash`; none
    where it is not known. -#}
{% macro delta_body(relation, sql_hash) %}
  {%- for row in jobs_state().get('new_verdicts', []) if row.relation == relation | string and row.sql_hash == sql_hash -%}
    {{ return(row.sql) }}
  {%- endfor -%}
  {{ return(adapter.books_model_sql(relation | string, sql_hash)) }}
{% endmacro %}
