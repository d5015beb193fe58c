{#- The flow of `incremental_strategy: delta`: check, plan, apply, note down. -#}
{% macro delta_incremental() %}
  {%- set settings = delta_settings() -%}
  {{ run_hooks(pre_hooks) }}
  {%- do delta_refresh(settings, compiled_code) -%}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [this]}) }}
{% endmacro %}


{#- Brings `this` up to date with `sql` under `settings` (see `delta_settings`) and records what it took. -#}
{% macro delta_refresh(settings, sql) %}
  {%- set run = jobs_run_start() -%}
  {%- do jobs_heartbeat() -%}
  {%- set upstreams = delta_upstreams(model) -%}
  {%- set body = delta_inline_views(sql, model) -%}
  {%- set sql_hash = local_md5(body) -%}
  {%- set existing = load_cached_relation(this) -%}
  {%- set plan = delta_plan(settings, upstreams, body, existing, sql_hash) -%}
  {%- if plan.rule != 'skip' -%}
    {%- set reads = delta_reads(upstreams) -%}
    {%- set path = delta_apply(plan, settings, upstreams, body, existing, reads, sql_hash) -%}
    {%- do plan.update({'path': path}) -%}
    {%- do jobs_run_end(run, plan, jobs_committed(this, reads, sql_hash)) -%}
  {%- else -%}
    {%- do jobs_run_end(run, plan, none) -%}
  {%- endif -%}
{% endmacro %}
