{#- Which rule maintains a model (`adapter.analysis_verdict`), as a dict
      verdict   what the rules read (`entrepot.analysis.Verdict`)
      rule      join, aggregate, scope or full: the configured one, else the cheapest that is right
      reason    why, in words
      findings  what is stored of it
    Raises where the SELECT has no one right result, where the configured rule is wrong for it, and where `strict` is set and
    rows of an upstream can only be followed by computing everything again. Worked out once per SQL text, and stored. -#}
{% macro delta_verdict(settings, upstreams, body) %}
  {%- set analyzed = adapter.analysis_checksum(body, upstreams) -%}
  {%- set known = delta_verdicts() -%}
  {%- set key = this ~ '@' ~ analyzed -%}
  {%- set verdict = adapter.analysis_verdict(model.name, settings, delta_verdict_occurrences(upstreams, body), body, known.get(key)) -%}
  {%- do known.update({key: verdict.findings}) -%}
  {%- do delta_verdict_note(body, analyzed, verdict) -%}
  {{ return(verdict) }}
{% endmacro %}


{#- Every naming of an upstream in the SQL, numbered by upstream and then by place. -#}
{% macro delta_verdict_occurrences(upstreams, body) %}
  {%- set occurrences = [] -%}
  {%- for upstream in upstreams -%}
    {%- for _ in range(adapter.sql_mention_count(body, upstream.relation)) -%}
      {%- do occurrences.append({'number': occurrences | length | string, 'relation': upstream.relation | string, 'upstream': upstream}) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(occurrences) }}
{% endmacro %}
