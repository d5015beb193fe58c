{#- Which rule maintains a model (`adapter.analysis_verdict`), as a dict
      verdict   what the rules read (`entrepot.analysis.Verdict`)
      rule      join, aggregate, scope or full: the configured one, else the cheapest that is right
      reason    why, in words
      warning   what the author is told where the same rows need not give the same result
      findings  what is stored of it
    Raises where the configured rule is wrong for the SELECT, and where `strict` is set and it has no one right result, or
    rows of an upstream can only be followed by computing everything again. Worked out once per SQL text, and stored. -#}
{% macro delta_verdict(settings, upstreams, body) %}
  {%- set analyzed = adapter.analysis_checksum(body, upstreams) -%}
  {%- set known = delta_verdicts() -%}
  {%- set key = this ~ '@' ~ analyzed -%}
  {%- set verdict = adapter.analysis_verdict(model.name, settings, upstreams, body, known.get(key)) -%}
  {%- do known.update({key: verdict.findings}) -%}
  {%- do delta_verdict_note(body, analyzed, verdict) -%}
  {%- do delta_verdict_warn(verdict) -%}
  {{ return(verdict) }}
{% endmacro %}


{#- Tells the author what a verdict warns of, once in each job that computes the model. With `--warn-error` the model fails, before it is written. -#}
{% macro delta_verdict_warn(verdict) %}
  {%- set told = jobs_state().setdefault('told', {}) -%}
  {%- if verdict.warning and this | string not in told -%}
    {%- do told.update({this | string: true}) -%}
    {%- do exceptions.warn(verdict.warning) -%}
  {%- endif -%}
{% endmacro %}
