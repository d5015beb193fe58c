{#- on-run-end: writes down what ran, publishes one snapshot if everything passed (write, audit, publish), and ends
    the job. -#}
{% macro jobs_end(results) %}
  {%- if execute and flags.WHICH in ['build', 'run', 'seed', 'snapshot'] and entrepot.jobs_state().get('locked') -%}
    {%- set failed = results | selectattr('status', 'in', ['error', 'fail', 'runtime error', 'partial success']) | list -%}
    {%- do entrepot.jobs_model_run_write(results) -%}
    {%- do entrepot.delta_verdicts_write() -%}
    {%- do entrepot.mapping_explain_failures(failed) -%}
    {%- if flags.WHICH == 'build' and not failed -%}
      {%- do entrepot.jobs_publish(results) -%}
    {%- endif -%}
    {%- do entrepot.jobs_event('failed' if failed else 'finished', failed | map(attribute='node.name') | join(', ') or none) -%}
    {%- do entrepot.jobs_temporary_drop(entrepot.jobs_state()['temporary'] | list) -%}
    {%- do entrepot.jobs_state().update({'locked': false}) -%}
  {%- endif -%}
{% endmacro %}
