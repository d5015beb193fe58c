{#- Tells the adapter what this command is about: dbt's graph, what is selected, and the variables that a job listens to. Whoever asks the
    adapter of the job calls it first; only the first call of a command does anything. -#}
{% macro jobs_know() %}
  {%- set viewed = var('entrepot_published_views', none) -%}
  {%- do adapter.jobs_know(invocation_id, graph, selected_resources, overrides_default_properties(), {
    'history_depth': var('entrepot_history_depth', none),
    'memory_bytes': var('entrepot_memory_bytes', none),
    'merge_bytes': var('entrepot_merge_bytes', none),
    'cost_rows': var('entrepot_cost_rows', none),
    'delete_keys': var('entrepot_delete_keys', none),
    'lock_minutes': var('entrepot_lock_minutes', none),
    'published_views': [viewed] if viewed is string else viewed,
    'is_cut_down': jobs_is_cut_down(),
    'is_retry': modules.re.search('\\bretry\\b', flags.INVOCATION_COMMAND or '') is not none,
  }, ('all' if invocation_args_dict.get('favor_state') else 'missing') if invocation_args_dict.get('defer') else none) -%}
{% endmacro %}


{#- Whether dbt gives the models a part of their rows only: `--empty` or `--sample`. -#}
{% macro jobs_is_cut_down() %}
  {{ return(true if flags.EMPTY or invocation_args_dict.get('sample') else false) }}
{% endmacro %}
