{#- on-run-end: writes down what ran, publishes one snapshot if everything passed (write, audit, publish), and ends
    the job. -#}
{% macro jobs_end(results) %}
  {%- if execute and flags.WHICH in ['build', 'run', 'seed', 'snapshot'] and adapter.books_hold_lock() -%}
    {%- set failed = results | selectattr('status', 'in', ['error', 'fail', 'runtime error', 'partial success']) | list -%}
    {%- do jobs_model_run_write(results) -%}
    {%- do adapter.books_note_verdicts(jobs_state().get('new_verdicts', [])) -%}
    {%- set explain = jobs_project_macro('mapping_explain_failures') -%}
    {%- if explain -%}
      {%- do explain(failed) -%}
    {%- endif -%}
    {%- if failed -%}
      {%- do adapter.facts_say_nothing() -%}
    {%- elif flags.WHICH == 'build' and not jobs_is_cut_down() -%}
      {%- do adapter.books_heartbeat() -%}
      {%- do jobs_publish(results) -%}
    {%- endif -%}
    {%- do adapter.books_end('failed' if failed else 'finished', failed | map(attribute='node.name') | join(', ') or none) -%}
    {%- do jobs_temporary_drop(jobs_state()['temporary'] | list) -%}
  {%- endif -%}
{% endmacro %}


{#- Whether dbt gives the models a part of their rows only: `--empty` or `--sample`. -#}
{% macro jobs_is_cut_down() %}
  {{ return(flags.EMPTY or invocation_args_dict.get('sample')) }}
{% endmacro %}
