{#- dbt's `seed`. The first run creates the table; a run with an unchanged file sends no statement; a run with
    a changed file writes the difference, so that history and change feed go on. -#}
{% materialization seed, adapter='entrepot' %}
  {%- set existing = load_cached_relation(this) -%}
  {%- if existing and existing.is_view -%}
    {%- do exceptions.raise_compiler_error("Cannot seed to '" ~ existing ~ "', it is a view") -%}
  {%- endif -%}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}
  {%- do overrides_seed_refresh(existing) -%}
  {%- do apply_grants(this, config.get('grants'), should_revoke=should_revoke(existing, should_full_refresh())) -%}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {%- do adapter.commit() -%}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}
