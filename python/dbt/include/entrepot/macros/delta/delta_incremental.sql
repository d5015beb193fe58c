{#- The flow of `incremental_strategy: delta`: check, plan, apply, note down. -#}
{% macro delta_incremental() %}
  {%- do jobs_know() -%}
  {%- set settings = adapter.delta_settings(model) -%}
  {{ run_hooks(pre_hooks) }}
  {%- set state = jobs_project_macro('mapping_state_of_model') -%}
  {%- do delta_refresh(settings, compiled_code, detail=state(model) if state else none) -%}
  {{ run_hooks(post_hooks) }}
  {%- do adapter.jobs_hooks_done(this) if post_hooks -%}
  {{ return({'relations': [this]}) }}
{% endmacro %}


{#- Brings `this` up to date with `sql` under `settings`, and records what it took. What is decided, and why, is the adapter's
    (`entrepot.jobs`); a table is made here, by the project's own `create_table_as`. -#}
{% macro delta_refresh(settings, sql, scope_always=none, detail=none) %}
  {%- set existing = load_cached_relation(this) -%}
  {%- set refresh = adapter.delta_plan(model, settings, sql, existing, should_full_refresh(), scope_always, detail) -%}
  {%- do exceptions.warn(refresh.warning) if refresh.warning -%}
  {%- do adapter.delta_apply(refresh) -%}
  {%- if refresh.created_sql -%}
    {%- do delta_create(refresh.created_sql, existing) -%}
  {%- endif -%}
  {%- set applied = adapter.delta_applied(refresh) -%}
  {%- do jobs_warn_of_intruder(this, applied.intruder) -%}
  {%- do jobs_tell(applied.run) -%}
  {#- also where no row has changed: what is described and granted may have, or have failed in the job before -#}
  {%- do persist_docs(this, model) -%}
  {%- do apply_grants(this, config.get('grants'), should_revoke=should_revoke(existing, full_refresh_mode=refresh.rule == 'create')) -%}
{% endmacro %}


{#- Makes the table new. A relation that is not a Delta table makes room first. -#}
{% macro delta_create(sql, existing) %}
  {%- if existing and not existing.is_delta -%}
    {%- do adapter.drop_relation(existing) -%}
  {%- endif -%}
  {%- do jobs_query(create_table_as(False, this, sql)) -%}
  {%- do persist_constraints(this, model) -%}
{% endmacro %}
