{#- The flow of `incremental_strategy: delta`: check, plan, apply, note down. -#}
{% macro delta_incremental() %}
  {%- set settings = delta_settings() -%}
  {{ run_hooks(pre_hooks) }}
  {%- do delta_refresh(settings, compiled_code) -%}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [this]}) }}
{% endmacro %}


{#- Brings `this` up to date with `sql` under `settings` (see `delta_settings`) and records what it took. Where no row had
    to be written there is no commit to carry the consumed versions: they are noted in the run state, and published. -#}
{% macro delta_refresh(settings, sql) %}
  {%- set run = jobs_run_start() -%}
  {%- do adapter.books_heartbeat() -%}
  {%- set upstreams = delta_upstreams(model) -%}
  {%- set body = delta_inline_views(sql, model) -%}
  {%- set sql_hash = local_md5(body) -%}
  {%- set existing = load_cached_relation(this) -%}
  {%- if existing and jobs_is_cut_down() -%}
    {%- do delta_error('is built with --empty or --sample', 'its table exists and would lose the rows that these leave out',
      'dbt build --empty --target ci, into schemas of their own') -%}
  {%- endif -%}
  {%- set named = [] -%}
  {%- for upstream in upstreams if adapter.sql_mention_count(body, upstream.relation) -%}
    {%- do named.append(upstream) -%}
  {%- endfor -%}
  {%- set plan = delta_plan(settings, named, body, existing, sql_hash) -%}
  {%- set reads = delta_reads(upstreams) -%}
  {%- set commit = none -%}
  {%- if plan.rule != 'skip' -%}
    {%- do plan.update({'path': delta_apply(plan, settings, named, body, existing, reads, sql_hash)}) -%}
    {%- set commit = jobs_committed(this, reads, sql_hash) -%}
    {%- if plan.rule in ['create', 'full'] -%}
      {%- do plan.update({'rows_read': delta_row_count(named)}) -%}
    {%- endif -%}
  {%- endif -%}
  {%- if commit is none -%}
    {%- do jobs_contents(this).update({'reads': reads, 'read_at': jobs_read_at(reads), 'sql_hash': sql_hash}) -%}
  {%- endif -%}
  {%- do jobs_run_end(run, plan, commit) -%}
  {%- if plan.rule != 'skip' -%}
    {%- do persist_docs(this, model) -%}
    {%- do apply_grants(this, config.get('grants'), should_revoke=should_revoke(existing, full_refresh_mode=plan.rule == 'create')) -%}
  {%- endif -%}
{% endmacro %}
