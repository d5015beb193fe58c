{#- Carries a plan out with the cheapest write that is right; returns the apply path taken. The consumed versions are
    part of the same commit as the rows. -#}
{% macro delta_apply(plan, settings, upstreams, body, existing, reads, sql_hash) %}
  {%- set path = namespace(name=none) -%}
  {%- if plan.get('new_columns') -%}
    {%- do delta_add_columns(plan.new_columns) -%}
  {%- endif -%}
  {%- set is_anew = plan.rule == 'create' or plan.get('overwrites') -%}
  {%- do jobs_commit_metadata(this, reads, sql_hash, none if is_anew else jobs_pin(this)) -%}
  {%- if is_anew -%}
    {%- set path.name = 'create' if plan.rule == 'create' else 'overwrite' -%}
    {%- if path.name == 'overwrite' and delta_built_on(model) -%}
      {%- do plan.update({'rows_replaced': delta_row_count([{'relation': this}])}) -%}
    {%- endif -%}
    {%- do plan.update({'sql': delta_at(body, upstreams)}) -%}
    {%- do delta_apply_create(plan.sql, existing) -%}
  {%- elif plan.gone is none and not plan.get('replaces') and not plan.get('net') -%}
    {%- set path.name = 'insert' -%}
    {%- do plan.update({'sql': delta_insert_sql(plan)}) -%}
    {%- do jobs_query(plan.sql) -%}
  {%- elif plan.rule != 'full' and delta_is_large() -%}
    {%- set path.name = 'delete+insert' -%}
    {%- do delta_apply_in_two(plan, settings, reads, sql_hash) -%}
  {%- else -%}
    {%- set columns = adapter.get_columns_in_relation(this) -%}
    {%- set path.name = 'delete+insert' if delta_apply_kept(plan, settings, columns, reads, sql_hash) else 'merge' -%}
    {%- if path.name == 'merge' -%}
      {%- do plan.update({'sql': delta_merge_sql(plan, settings, columns)}) -%}
      {%- do jobs_query(plan.sql) -%}
    {%- endif -%}
  {%- endif -%}
  {%- do adapter.facts_say_nothing() -%}
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


{#- Apply path `merge`: one commit; rows equal to the stored ones are not written. Delta reads the source twice, and
    materialises it in between (`spark.databricks.delta.merge.materializeSource`): it needs no table of its own. -#}
{% macro delta_merge_sql(plan, settings, columns) %}
  {%- set names = columns | map(attribute='quoted') | list -%}
  {%- set keys = settings.unique_key -%}
  {%- set values = [] -%}
  {%- set sets = [] -%}
  {%- for name in names -%}
    {%- do values.append('_new.' ~ name) -%}
    {%- do sets.append(name ~ ' = _new.' ~ name) -%}
  {%- endfor -%}
-- {{ delta_headline(plan) }}
merge into {{ this }} as _stored
using (
{{ delta_source_sql(plan, keys) }}
) as _new
on {{ adapter.sql_keys_equal('_stored', keys, '_new', keys) }}
when matched and _new._upsert is null then delete
{%- if plan.upsert %}
when matched and not ({{ delta_same_row(columns) }}) then update set {{ sets | join(', ') }}
when not matched and _new._upsert then insert ({{ names | join(', ') }}) values ({{ values | join(', ') }})
{%- endif %}
{% endmacro %}


{#- SQL condition that `_stored` and `_new` are the same row. Maps and variants cannot be compared: such a row counts as another one. -#}
{% macro delta_same_row(columns) %}
  {%- set names = [] -%}
  {%- for column in columns if not modules.re.search('map<|variant', column.dtype) -%}
    {%- do names.append(column.quoted) -%}
  {%- endfor -%}
  {{ return(adapter.sql_keys_equal('_stored', names, '_new', names) ~ (' and false' if names | length < columns | length else '')) }}
{% endmacro %}


{#- Apply path `delete+insert`, for large tables, where a merge that also inserts is slow: what differs from the stored rows is worked out
    once, into memory; then old rows are deleted and new ones inserted, in two commits of which the second carries the reads. A killed
    job leaves the first alone: `jobs_contents` undoes it before anybody reads it. -#}
{% macro delta_apply_in_two(plan, settings, reads, sql_hash) %}
  {%- set base = jobs_pin(this) -%}
  {%- set views = delta_apply_views(plan, settings, base) -%}
  {%- set view = views[0] -%}
  {%- set rows = jobs_query(
    'select count_if(_upsert and not _is_stored) as inserted, count_if(_upsert and _is_stored) as updated, '
    ~ 'count_if(_upsert is null) as deleted from ' ~ view
  ) | first -%}
  {%- set goes = rows.updated + rows.deleted -%}
  {%- do delta_write_in_two(plan, rows, delta_delete_sql(plan, settings, view, goes) if goes else none, view, reads, sql_hash) -%}
  {%- do jobs_temporary_drop(views) -%}
{% endmacro %}


{#- Apply path `delete+insert` where few rows of a small table differ: they come to the driver, so that what is to be written is known exactly, and
    nothing is where nothing differs. Whether it was done; otherwise nothing has been written. -#}
{% macro delta_apply_kept(plan, settings, columns, reads, sql_hash) %}
  {%- set view = adapter.rules_temporary_name('apply', this) -%}
  {%- set source = '(\n' ~ delta_source_sql(plan, settings.unique_key) ~ '\n)' -%}
  {%- set stored = this ~ ' version as of ' ~ jobs_pin(this) ~ ' as _stored' -%}
  {%- set sql = '-- ' ~ delta_headline(plan) ~ '\n' ~ delta_difference_sql(plan, settings, columns, source, stored) -%}
  {%- if not adapter.can_keep(0) or not jobs_keep(view, sql) -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set rows = adapter.kept_changes(view, settings.unique_key) -%}
  {%- set nothing_differs = not rows.inserted + rows.updated + rows.deleted -%}
  {#- a merge commits then all the same: it carries what a full run has compared, which is not to be done again if the job fails later -#}
  {%- set is_listed = rows.listed is not none or (not rows.updated + rows.deleted and not (nothing_differs and plan.rule == 'full')) -%}
  {%- if is_listed -%}
    {%- do plan.update({'sql': sql}) -%}
    {%- set delete = '-- ' ~ delta_headline(plan) ~ '\ndelete from ' ~ this ~ ' where ' ~ rows.listed if rows.listed else none -%}
    {%- do delta_write_in_two(plan, rows, delete, view, reads, sql_hash) -%}
  {%- endif -%}
  {%- do jobs_temporary_drop([view]) -%}
  {{ return(is_listed) }}
{% endmacro %}


{#- Writes what a view says: the statement `delete` for the `rows` that go, where there are any, and an insert of those that come. -#}
{% macro delta_write_in_two(plan, rows, delete, view, reads, sql_hash) %}
  {%- set base = jobs_pin(this) -%}
  {%- do plan.update({'written': rows}) -%}
  {%- set comes = rows.inserted or rows.updated -%}
  {%- if delete and comes -%}
    {%- do jobs_commit_metadata(this, reads, sql_hash, base, 'first') -%}
  {%- endif -%}
  {%- if delete -%}
    {%- do jobs_query(delete) -%}
  {%- endif -%}
  {%- if delete and comes -%}
    {%- do adapter.books_heartbeat() -%}
    {%- do jobs_commit_metadata(this, reads, sql_hash, base) -%}
  {%- endif -%}
  {%- if comes -%}
    {%- do jobs_query('insert into ' ~ this ~ ' by name select * except (_upsert, _is_stored) from ' ~ view ~ ' where _upsert') -%}
  {%- endif -%}
{% endmacro %}


{#- A view in memory of what differs from the stored rows, and behind it those that it reads: rows to write (`_upsert` true) and keys to
    delete (`_upsert` null), a row for each key; `_is_stored` says whether the key is. A plan's `net` says it by itself; other plans are
    compared with the stored rows within the bounds of their keys. -#}
{% macro delta_apply_views(plan, settings, base) %}
  {%- set view = adapter.rules_temporary_name('apply', this) -%}
  {%- if plan.get('net') -%}
    {%- do plan.update({'sql': delta_net_by_key_sql(plan.net, settings.unique_key)}) -%}
    {%- do jobs_temporary(view, plan.sql) -%}
    {{ return([view]) }}
  {%- endif -%}
  {%- set source = adapter.rules_temporary_name('source', this) -%}
  {%- do plan.update({'sql': delta_source_sql(plan, settings.unique_key)}) -%}
  {%- do jobs_temporary(source, plan.sql) -%}
  {#- the stored rows are cut down to these keys first, because Spark would sort all of them for an outer join -#}
  {%- set is_key = [adapter.sql_keys_equal('_stored', settings.unique_key, '_key', settings.unique_key)] + delta_stored_bounds(source, settings.unique_key) -%}
  {%- set stored = this ~ ' version as of ' ~ base ~ ' as _stored\n  left semi join ' ~ source ~ ' as _key on ' ~ is_key | join(' and ') -%}
  {%- do jobs_temporary(view, delta_difference_sql(plan, settings, adapter.get_columns_in_relation(this), source, stored)) -%}
  {{ return([view, source]) }}
{% endmacro %}


{#- The net changes of the model, `_delta` 1 or -1, as one row for each key, which is unique before and after them. -#}
{% macro delta_net_by_key_sql(net, keys) %}
select * except (_delta, _comes, _goes), if(_delta > 0, true, null) as _upsert, _goes as _is_stored
from (
  select *, bool_or(_delta > 0) over (partition by {{ keys | join(', ') }}) as _comes, bool_or(_delta < 0) over (partition by {{ keys | join(', ') }}) as _goes
  from (
{{ net }}
  )
)
where _delta > 0 or not _comes
{% endmacro %}


{#- What `source` has (rows of `delta_source_sql`), without rows equal to the stored ones and keys that are not stored; `_is_stored` says
    whether the key is. `stored` are the stored rows that may have these keys. -#}
{% macro delta_difference_sql(plan, settings, columns, source, stored) %}
select _new.*, _stored._is_stored is not null as _is_stored
from {{ source }} as _new
left join (select _stored.*, true as _is_stored from {{ stored }}) as _stored
  on {{ adapter.sql_keys_equal('_stored', settings.unique_key, '_new', settings.unique_key) }}
where {% if plan.upsert -%}
_new._upsert and (_stored._is_stored is null or not ({{ delta_same_row(columns) }})) or {% endif -%}
_new._upsert is null and _stored._is_stored
{% endmacro %}


{#- The rows to upsert (`_upsert` true) and the keys to delete (`_upsert` null): `gone` without the keys of `upsert`. -#}
{% macro delta_source_sql(plan, keys) %}
  {%- if plan.gone is none -%}
select true as _upsert, * from (
{{ plan.upsert }}
)
  {%- elif plan.upsert -%}
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
)) as _g on {{ adapter.sql_keys_equal('_u', keys, '_g', keys) }}
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
