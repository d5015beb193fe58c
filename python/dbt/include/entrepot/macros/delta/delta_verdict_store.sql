{#- The analyzer's findings on a model's SQL (see `analyzer_verdict`): stored ones where the text and the keys of its upstreams are
    the same, and no column of an upstream may have changed since (`delta_verdict_forget`); else from the plan, which is one statement
    (`explain`) that reads no rows. -#}
{% macro delta_verdict_analyze(upstreams, occurrences, body, analyzed) %}
  {%- set key = this ~ '@' ~ analyzed -%}
  {%- set known = delta_verdicts() -%}
  {%- if 'join' not in known.get(key, {}) -%}
    {%- if adapter.sql_has_text_like_a_plan(body) -%}
      {%- do known.update({key: analyzer_nothing('a text that looks like a part of a plan')}) -%}
    {%- else -%}
      {%- set plan = delta_verdict_explain(upstreams, body) -%}
      {%- do known.update({key: analyzer_verdict(plan, adapter.sql_code_only(body), delta_verdict_columns(upstreams, occurrences))}) -%}
      {%- set moment = adapter.sql_moment_literal(body) -%}
      {%- if moment and not known[key].refused -%}
        {%- do known[key].update({'refused': moment ~ ', which is another day each time'}) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(known[key]) }}
{% endmacro %}


{#- What Spark prints of the analyzed plan. Every occurrence of an upstream gets an alias that the plan repeats. -#}
{% macro delta_verdict_explain(upstreams, body) %}
  {%- set marked = adapter.sql_mark_mentions(body, upstreams | map(attribute='relation')) -%}
  {{ return(jobs_query('explain extended\n' ~ marked)[0].plan) }}
{% endmacro %}


{#- Per occurrence the columns of its relation, {name: type}, and its unique key. -#}
{% macro delta_verdict_columns(upstreams, occurrences) %}
  {%- set types = {'integer': 'int', 'long': 'bigint', 'short': 'smallint', 'byte': 'tinyint'} -%}
  {%- set known = {} -%}
  {%- for upstream in upstreams -%}
    {%- set columns = {} -%}
    {%- for column in adapter.get_columns_in_relation(upstream.relation) -%}
      {%- do columns.update({column.name: types.get(column.dtype, column.dtype)}) -%}
    {%- endfor -%}
    {%- do known.update({upstream.relation | string: {'columns': columns, 'unique_key': upstream.unique_key}}) -%}
  {%- endfor -%}
  {%- set list = [] -%}
  {%- for occurrence in occurrences -%}
    {%- do list.append(known[occurrence.relation]) -%}
  {%- endfor -%}
  {{ return(list) }}
{% endmacro %}


{#- Forgets what is stored of the running model: its upstreams may have other columns now, which the checksum does not tell. -#}
{% macro delta_verdict_forget(upstreams, body) %}
  {%- set key = this ~ '@' ~ delta_verdict_hash(upstreams, body) -%}
  {%- do delta_verdicts().pop(key, none) -%}
  {%- do jobs_state()['stored_verdicts'].pop(key, none) -%}
{% endmacro %}


{#- The checksum of all that a verdict depends on but the columns of its upstreams; the number is the analyzer's version. -#}
{% macro delta_verdict_hash(upstreams, body) %}
  {%- set keys = ['6'] -%}
  {%- for upstream in upstreams -%}
    {%- do keys.append(upstream.relation ~ '=' ~ upstream.unique_key | join(',')) -%}
  {%- endfor -%}
  {{ return(local_md5(body ~ '\n' ~ keys | join('\n'))) }}
{% endmacro %}


{#- {relation@checksum: findings} of all models, as stored; read once per job. Empty where no job has made the table. -#}
{% macro delta_verdicts() %}
  {%- set state = jobs_state() -%}
  {%- if 'verdicts' not in state -%}
    {%- do state.update({'verdicts': {}, 'stored_verdicts': {}, 'new_verdicts': []}) -%}
    {%- for row in adapter.books_verdicts() -%}
      {%- do state['verdicts'].update({row.relation ~ '@' ~ row.analyzed: fromjson(row.verdict)}) -%}
      {%- do state['stored_verdicts'].update({row.relation ~ '@' ~ row.analyzed: true}) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(state['verdicts']) }}
{% endmacro %}


{#- Notes a verdict down for `ops.model_verdict`, with the SQL that it is about; written when the job ends. -#}
{% macro delta_verdict_note(body, analyzed, verdict) %}
  {%- set key = this ~ '@' ~ analyzed -%}
  {%- set findings = delta_verdicts().get(key, {}) -%}
  {%- if key not in jobs_state()['stored_verdicts'] -%}
    {%- do jobs_state()['stored_verdicts'].update({key: true}) -%}
    {%- do jobs_state()['new_verdicts'].append(
      {
        'relation': this | string, 'sql_hash': local_md5(body), 'analyzed': analyzed, 'rule': verdict.rule, 'reason': verdict.reason,
        'verdict': tojson(findings), 'sql': body, 'job': jobs_state()['job'], 'number': jobs_state()['number'],
      }
    ) -%}
  {%- endif -%}
{% endmacro %}
