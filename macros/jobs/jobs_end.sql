{#- on-run-end: writes down what ran, publishes one snapshot if everything passed (write, audit, publish), and ends
    the job. -#}
{% macro jobs_end(results) %}
  {%- if execute and flags.WHICH in ['build', 'run', 'seed', 'snapshot'] and entrepot.jobs_state().get('locked') -%}
    {%- set failed = results | selectattr('status', 'in', ['error', 'fail', 'runtime error', 'partial success']) | list -%}
    {%- do entrepot.jobs_model_run_write(results) -%}
    {%- do entrepot.delta_verdicts_write() -%}
    {%- do entrepot.mapping_explain_failures(failed) -%}
    {%- if failed -%}
      {%- do entrepot.jobs_commit_metadata_reset() -%}
    {%- elif flags.WHICH == 'build' and not entrepot.jobs_is_cut_down() -%}
      {%- do entrepot.jobs_heartbeat() -%}
      {%- do entrepot.jobs_publish(results) -%}
    {%- endif -%}
    {%- do entrepot.jobs_event('failed' if failed else 'finished', failed | map(attribute='node.name') | join(', ') or none) -%}
    {%- do entrepot.jobs_temporary_drop(entrepot.jobs_state()['temporary'] | list) -%}
    {%- do entrepot.jobs_state().update({'locked': false}) -%}
  {%- endif -%}
{% endmacro %}


{#- Whether dbt gives the models a part of their rows only: `--empty` or `--sample`. -#}
{% macro jobs_is_cut_down() %}
  {{ return(flags.EMPTY or invocation_args_dict.get('sample')) }}
{% endmacro %}
