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
    {%- do plan.update({'sql': delta_headline(plan) ~ adapter.write_insert(this, plan)}) -%}
    {%- do jobs_query(plan.sql) -%}
  {%- elif plan.rule != 'full' and delta_is_large() -%}
    {%- set path.name = 'delete+insert' -%}
    {%- do delta_apply_in_two(plan, settings, reads, sql_hash) -%}
  {%- else -%}
    {%- set columns = adapter.get_columns_in_relation(this) -%}
    {%- set path.name = 'delete+insert' if delta_apply_kept(plan, settings, columns, reads, sql_hash) else 'merge' -%}
    {%- if path.name == 'merge' -%}
      {%- do plan.update({'sql': delta_headline(plan) ~ adapter.write_merge(this, settings.unique_key, columns, plan)}) -%}
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
  {%- set source = '(\n' ~ adapter.write_source(settings.unique_key, plan) ~ '\n)' -%}
  {%- set stored = this ~ ' version as of ' ~ jobs_pin(this) ~ ' as _stored' -%}
  {%- set sql = delta_headline(plan) ~ adapter.write_difference(this, settings.unique_key, columns, source, stored, plan) -%}
  {%- if not adapter.can_keep(0) or not jobs_keep(view, sql) -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set rows = adapter.kept_changes(view, settings.unique_key) -%}
  {%- set nothing_differs = not rows.inserted + rows.updated + rows.deleted -%}
  {#- a merge commits then all the same: it carries what a full run has compared, which is not to be done again if the job fails later -#}
  {%- set is_listed = rows.listed is not none or (not rows.updated + rows.deleted and not (nothing_differs and plan.rule == 'full')) -%}
  {%- if is_listed -%}
    {%- do plan.update({'sql': sql}) -%}
    {%- set delete = delta_headline(plan) ~ 'delete from ' ~ this ~ ' where ' ~ rows.listed if rows.listed else none -%}
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
    {%- do plan.update({'sql': adapter.write_net_by_key(settings.unique_key, plan)}) -%}
    {%- do jobs_temporary(view, plan.sql) -%}
    {{ return([view]) }}
  {%- endif -%}
  {%- set source = adapter.rules_temporary_name('source', this) -%}
  {%- do plan.update({'sql': adapter.write_source(settings.unique_key, plan)}) -%}
  {%- do jobs_temporary(source, plan.sql) -%}
  {#- the stored rows are cut down to these keys first, because Spark would sort all of them for an outer join -#}
  {%- set is_key = [adapter.sql_keys_equal('_stored', settings.unique_key, '_key', settings.unique_key)] + delta_stored_bounds(source, settings.unique_key) -%}
  {%- set stored = this ~ ' version as of ' ~ base ~ ' as _stored\n  left semi join ' ~ source ~ ' as _key on ' ~ is_key | join(' and ') -%}
  {%- do jobs_temporary(view, adapter.write_difference(this, settings.unique_key, adapter.get_columns_in_relation(this), source, stored, plan)) -%}
  {{ return([view, source]) }}
{% endmacro %}


{#- The first line of generated SQL, a comment: where it came from. -#}
{% macro delta_headline(plan) %}
  {{ return('-- entrepot: ' ~ model.name ~ ', rule ' ~ plan.rule ~ ' (' ~ plan.reason ~ ')\n') }}
{% endmacro %}
