{#- dbt's `seed`. The first run creates the table; a run with an unchanged file sends no statement; a run with a changed file writes the
    difference, so that history and change feed go on. What is decided, and why, is the adapter's (`entrepot.seeds`); a table is made
    here, by the project's own `create_table_as`. -#}
{% materialization seed, adapter='entrepot' %}
  {%- set existing = load_cached_relation(this) -%}
  {%- if existing and existing.is_view -%}
    {%- do exceptions.raise_compiler_error("Cannot seed to '" ~ existing ~ "', it is a view") -%}
  {%- endif -%}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}
  {%- do jobs_know() -%}
  {%- set seed = adapter.seed_begin(
    model, existing, should_full_refresh(), overrides_table_properties(config), var('entrepot_seed_reader', none), load_agate_table
  ) -%}
  {%- set agate_table = adapter.seed_table(model, load_agate_table) if invocation_args_dict.get('show') or not seed.is_unchanged else none -%}
  {%- do store_result('agate_table', response='OK', agate_table=agate_table) -%}
  {%- set refresh = adapter.seed_plan(model, seed, agate_table) -%}
  {%- do adapter.seed_apply(refresh) -%}
  {%- if refresh.created_sql -%}
    {%- do adapter.drop_relation(existing) if refresh.makes_room -%}
    {%- do jobs_query(create_table_as(False, this, refresh.created_sql)) -%}
  {%- endif -%}
  {%- set written = adapter.seed_written(refresh) -%}
  {%- do persist_docs(this, model) if refresh.describes -%}
  {%- do jobs_tell(adapter.seed_end(refresh, written)) -%}
  {%- do apply_grants(this, config.get('grants'), should_revoke=should_revoke(existing, should_full_refresh())) -%}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {%- do adapter.commit() -%}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {%- do adapter.jobs_hooks_done(this) if post_hooks -%}
  {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}
