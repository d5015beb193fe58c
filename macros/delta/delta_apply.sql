{#- Carries a plan out with the cheapest write that is right; returns the apply path taken. The consumed versions are
    part of the same commit as the rows. -#}
{% macro delta_apply(plan, settings, upstreams, body, existing, reads, sql_hash) %}
  {%- set path = namespace(name=none) -%}
  {%- do jobs_commit_metadata(this, reads, sql_hash) -%}
  {%- if plan.rule == 'create' -%}
    {%- set path.name = 'create' -%}
    {%- do delta_apply_create(delta_at(body, upstreams), existing) -%}
  {%- elif plan.gone is none -%}
    {%- set path.name = 'insert' -%}
    {%- do jobs_query(delta_insert_sql(plan)) -%}
  {%- else -%}
    {%- set path.name = 'merge' -%}
    {%- set source = 'apply_' ~ this.schema ~ '_' ~ this.identifier -%}
    {%- do jobs_state()['temporary'].update({source: none}) -%}
    {%- do jobs_query('cache table ' ~ source ~ ' as\n' ~ delta_source_sql(plan, settings.unique_key)) -%}
    {%- do jobs_query(delta_merge_sql(plan, settings, source, adapter.get_columns_in_relation(this))) -%}
    {%- do jobs_query('drop view ' ~ source) -%}
    {%- do jobs_state()['temporary'].pop(source) -%}
  {%- endif -%}
  {%- do jobs_commit_metadata_reset() -%}
  {{ return(path.name) }}
{% endmacro %}


{#- Builds the table new. A relation that is not a Delta table makes room first. -#}
{% macro delta_apply_create(sql, existing) %}
  {%- if existing and not existing.is_delta -%}
    {%- do adapter.drop_relation(existing) -%}
  {%- endif -%}
  {%- do jobs_query(create_table_as(False, this, sql)) -%}
  {%- do persist_constraints(this, model) -%}
{% endmacro %}


{#- Apply path `insert`: nothing can leave, so the new rows are all there is. -#}
{% macro delta_insert_sql(plan) %}
-- {{ delta_headline(plan) }}
insert into {{ this }} by name
{{ plan.upsert }}
{% endmacro %}


{#- Apply path `merge`: one commit; rows equal to the stored ones are not written. -#}
{% macro delta_merge_sql(plan, settings, source, columns) %}
  {%- set names = columns | map(attribute='quoted') | list -%}
  {%- set keys = settings.unique_key -%}
-- {{ delta_headline(plan) }}
merge into {{ this }} as _stored
using {{ source }} as _new
on {{ delta_keys_equal('_stored', keys, '_new', keys) }}
when matched and _new._upsert is null then delete
{%- if plan.upsert %}
when matched and not ({{ delta_keys_equal('_stored', names, '_new', names) }}) then update set *
when not matched and _new._upsert then insert *
{%- endif %}
{% endmacro %}


{#- The rows to upsert (`_upsert` true) and the keys to delete (`_upsert` null): `gone` without the keys of `upsert`. -#}
{% macro delta_source_sql(plan, keys) %}
  {%- if plan.upsert -%}
  {%- set key_columns = [] -%}
  {%- for key in keys -%}
    {%- do key_columns.append('coalesce(_u.' ~ key ~ ', _g.' ~ key ~ ') as ' ~ key) -%}
  {%- endfor -%}
select _u._upsert, {{ key_columns | join(', ') }}, _u.* except (_upsert, {{ keys | join(', ') }})
from (select true as _upsert, * from (
{{ plan.upsert }}
)) as _u
full outer join (select distinct {{ keys | join(', ') }} from (
{{ plan.gone }}
)) as _g on {{ delta_keys_equal('_u', keys, '_g', keys) }}
  {%- else -%}
select distinct cast(null as boolean) as _upsert, {{ keys | join(', ') }} from (
{{ plan.gone }}
)
  {%- endif -%}
{% endmacro %}


{#- The first line of generated SQL: where it came from. -#}
{% macro delta_headline(plan) %}
  {{- 'entrepot: ' ~ model.name ~ ', rule ' ~ plan.rule ~ ' (' ~ plan.reason ~ ')' -}}
{% endmacro %}
