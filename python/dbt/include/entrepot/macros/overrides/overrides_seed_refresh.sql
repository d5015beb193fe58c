{#- Brings the seed's table up to date with its file and records what it took. -#}
{% macro overrides_seed_refresh(existing) %}
  {%- do jobs_know() -%}
  {%- set run = adapter.jobs_begin_run() -%}
  {%- set hash = overrides_seed_hash() -%}
  {%- set stored = overrides_seed_stored(existing) -%}
  {%- if stored.contents == hash.contents and stored.layout == hash.layout -%}
    {%- do store_result('agate_table', response='OK', agate_table=load_agate_table() if invocation_args_dict.get('show') else none) -%}
    {%- if stored.docs != hash.docs -%}
      {%- do adapter.jobs_say(this, overrides_seed_hash_text(hash), 'same') -%}
      {%- do persist_docs(this, model) -%}
      {%- do adapter.jobs_say_nothing() -%}
    {%- endif -%}
    {%- do jobs_end_run(run, {'rule': 'skip', 'reason': 'the file did not change', 'rows_read': 0}, none) -%}
  {%- else -%}
    {%- set plan = overrides_seed_write(existing, stored, hash) -%}
    {%- do jobs_end_run(run, plan, plan.written) -%}
  {%- endif -%}
{% endmacro %}


{#- Reads and checks the file and writes what the table lacks, in one commit. Returns the plan for `jobs_end_run`, and
    `written`, what the job has noted of it. -#}
{% macro overrides_seed_write(existing, stored, hash) %}
  {%- set agate_table = load_agate_table() -%}
  {%- do store_result('agate_table', response='OK', agate_table=agate_table) -%}
  {%- set columns = overrides_seed_columns(agate_table) -%}
  {%- set view = overrides_seed_view(agate_table) -%}
  {%- set row_count = overrides_seed_check(agate_table, columns, view) -%}
  {%- set typed = overrides_seed_typed_sql(columns, view) -%}
  {%- set reason = overrides_seed_create_reason(existing, stored, hash, typed) -%}
  {%- set is_delta = config.get('file_format') == 'delta' -%}
  {%- set sql_hash = overrides_seed_hash_text(hash) -%}
  {%- do adapter.jobs_say(this, sql_hash) -%}
  {%- if reason is none -%}
    {%- do jobs_query(overrides_seed_merge_sql(columns, typed)) -%}
  {%- else -%}
    {%- if existing and not (existing.is_delta and is_delta) -%}
      {%- do adapter.drop_relation(existing) -%}
    {%- endif -%}
    {%- do jobs_query(create_table_as(False, this, typed)) -%}
  {%- endif -%}
  {%- do adapter.jobs_say_nothing() -%}
  {%- set written = jobs_written(this, sql_hash) if is_delta else none -%}
  {%- set inserted = none if is_delta else row_count -%}
  {%- do persist_docs(this, model) -%}
  {%- do jobs_query("drop view if exists " ~ view) -%}
  {%- if reason is not none -%}
    {{ return({'rule': 'create', 'reason': reason, 'path': 'create', 'rows_read': none, 'rows_inserted': inserted, 'written': written}) }}
  {%- elif written is none -%}
    {{ return({'rule': 'skip', 'reason': 'the file changed, its rows did not', 'rows_read': none, 'written': none}) }}
  {%- endif -%}
  {{ return({'rule': 'seed', 'reason': 'the file changed', 'path': 'merge', 'rows_read': none, 'written': written}) }}
{% endmacro %}


{#- Why the table must be built new; none where the difference will do. -#}
{% macro overrides_seed_create_reason(existing, stored, hash, typed) %}
  {%- if not existing -%}
    {{ return('first build') }}
  {%- elif should_full_refresh() -%}
    {{ return('full refresh') }}
  {%- elif not existing.is_delta or config.get('file_format') != 'delta' -%}
    {{ return('not a Delta table') }}
  {%- elif stored.layout is none -%}
    {{ return('written by somebody else') }}
  {%- elif stored.layout != hash.layout -%}
    {{ return('its configuration changed') }}
  {%- endif -%}
  {%- set wanted = overrides_columns_of(typed) -%}
  {%- set found = [] -%}
  {%- for column in adapter.get_columns_in_relation(this) -%}
    {%- do found.append([column.name, column.dtype]) -%}
  {%- endfor -%}
  {{ return(none if found == wanted else 'its columns changed') }}
{% endmacro %}


{#- The columns of a query, a list of [name, type]. -#}
{% macro overrides_columns_of(sql) %}
  {%- set columns = [] -%}
  {%- for column in jobs_query('describe query\n' ~ sql) -%}
    {%- do columns.append([column.col_name, column.data_type]) -%}
  {%- endfor -%}
  {{ return(columns) }}
{% endmacro %}
