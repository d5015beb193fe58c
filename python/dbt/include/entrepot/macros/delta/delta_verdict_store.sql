{#- Forgets what is stored of the running model: its upstreams may have other columns now, which the checksum does not tell. -#}
{% macro delta_verdict_forget(upstreams, body) %}
  {%- set key = this ~ '@' ~ adapter.analysis_checksum(body, upstreams) -%}
  {%- do delta_verdicts().pop(key, none) -%}
  {%- do jobs_state()['stored_verdicts'].pop(key, none) -%}
{% endmacro %}


{#- {relation@checksum: findings as JSON} of all models, as stored; read once per job. Empty where no job has made the table. -#}
{% macro delta_verdicts() %}
  {%- set state = jobs_state() -%}
  {%- if 'verdicts' not in state -%}
    {%- do state.update({'verdicts': {}, 'stored_verdicts': {}, 'new_verdicts': []}) -%}
    {%- for row in adapter.books_verdicts() -%}
      {%- do state['verdicts'].update({row.relation ~ '@' ~ row.analyzed: row.verdict}) -%}
      {%- do state['stored_verdicts'].update({row.relation ~ '@' ~ row.analyzed: [row.rule, row.reason]}) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(state['verdicts']) }}
{% endmacro %}


{#- Notes a verdict down for `ops.model_verdict`, with the SQL that it is about; written when the job ends. A config that changes the rule of the
    same SQL gives another one. -#}
{% macro delta_verdict_note(body, analyzed, verdict) %}
  {%- set key = this ~ '@' ~ analyzed -%}
  {%- if jobs_state()['stored_verdicts'].get(key) != [verdict.rule, verdict.reason] -%}
    {%- do jobs_state()['stored_verdicts'].update({key: [verdict.rule, verdict.reason]}) -%}
    {%- do jobs_state()['new_verdicts'].append(
      {
        'relation': this | string, 'sql_hash': local_md5(body), 'analyzed': analyzed, 'rule': verdict.rule, 'reason': verdict.reason,
        'verdict': verdict.findings, 'sql': body, 'job': jobs_state()['job'], 'number': jobs_state()['number'],
      }
    ) -%}
  {%- endif -%}
{% endmacro %}
