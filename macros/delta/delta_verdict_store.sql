{#- The analyzer's findings on a model's SQL (see `analyzer_verdict`): stored ones where the text and the keys of its upstreams are
    the same, else from the plan, which is one statement (`explain`) that reads no rows. -#}
{% macro delta_verdict_analyze(upstreams, occurrences, body) %}
  {%- set key = this ~ '@' ~ entrepot.delta_verdict_hash(upstreams, body) -%}
  {%- set known = entrepot.delta_verdicts() -%}
  {%- if known.get(key, {}).get('join', '') == '' -%}
    {%- if modules.re.search("'[^'\\n]*(?:#\\d|\\) (?:AND|OR) \\()[^'\\n]*'", body) -%}
      {%- do known.update({key: entrepot.analyzer_nothing('a text that looks like a part of a plan')}) -%}
    {%- else -%}
      {%- set plan = entrepot.delta_verdict_explain(upstreams, occurrences, body) -%}
      {%- do known.update({key: entrepot.analyzer_verdict(plan, entrepot.delta_code(body), entrepot.delta_verdict_columns(upstreams, occurrences))}) -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(known[key]) }}
{% endmacro %}


{#- What Spark prints of the analyzed plan. Every occurrence of an upstream gets an alias that the plan repeats. -#}
{% macro delta_verdict_explain(upstreams, occurrences, body) %}
  {%- set text = namespace(sql=body) -%}
  {%- for upstream in upstreams -%}
    {%- set marked = [] -%}
    {%- for occurrence in occurrences if occurrence.relation == upstream.relation | string -%}
      {%- do marked.append('(select * from ' ~ upstream.relation ~ ' as _occurrence_' ~ occurrence.number ~ ')') -%}
    {%- endfor -%}
    {%- set text.sql = entrepot.delta_substitute(text.sql, upstream.relation, marked) -%}
  {%- endfor -%}
  {%- if not entrepot.jobs_state().get('whole_plans') -%}
    {%- do entrepot.jobs_query('set spark.sql.debug.maxToStringFields = 100000') -%}
    {%- do entrepot.jobs_state().update({'whole_plans': true}) -%}
  {%- endif -%}
  {%- set rows = entrepot.jobs_query('explain extended\n' ~ text.sql) -%}
  {{ return(rows[0].plan) }}
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
    {%- do known.update({upstream.relation | string: {'columns': columns, 'unique_key': entrepot.delta_upstream_key(upstream)}}) -%}
  {%- endfor -%}
  {%- set list = [] -%}
  {%- for occurrence in occurrences -%}
    {%- do list.append(known[occurrence.relation]) -%}
  {%- endfor -%}
  {{ return(list) }}
{% endmacro %}


{#- The columns that tell an upstream's rows apart: the `unique_key` of what our own strategies keep up, a snapshot's version key, else
    what the author says by `meta: {unique_key: …}`, such as of a source; empty where nobody does. -#}
{% macro delta_upstream_key(upstream) %}
  {%- for node in (graph.nodes.values() | list) + (graph.sources.values() | list) -%}
    {%- if node.resource_type in ['model', 'snapshot', 'seed', 'source'] and entrepot.jobs_node_relation(node) | string == upstream.relation | string -%}
      {%- set is_snapshot = node.resource_type == 'snapshot' -%}
      {%- set stated = node.get('meta', {}).get('unique_key') or (node.config.get('meta') or {}).get('unique_key') -%}
      {%- set key = 'dbt_scd_id' if is_snapshot else (node.config.get('unique_key') if entrepot.jobs_keeps_up(node) else none) or stated -%}
      {{ return([key] if key is string else (key or [])) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return([]) }}
{% endmacro %}


{#- The checksum of all that a verdict depends on; the number is the analyzer's version. -#}
{% macro delta_verdict_hash(upstreams, body) %}
  {%- set keys = ['4'] -%}
  {%- for upstream in upstreams -%}
    {%- do keys.append(upstream.relation ~ '=' ~ entrepot.delta_upstream_key(upstream) | join(',')) -%}
  {%- endfor -%}
  {{ return(local_md5(body ~ '\n' ~ keys | join('\n'))) }}
{% endmacro %}


{#- {relation@checksum: findings} of all models, as stored; read once per job. Empty where no job has made the table. -#}
{% macro delta_verdicts() %}
  {%- set state = entrepot.jobs_state() -%}
  {%- if 'verdicts' not in state -%}
    {%- do state.update({'verdicts': {}, 'stored_verdicts': {}, 'new_verdicts': []}) -%}
    {%- set table = entrepot.jobs_relation('model_verdict') -%}
    {%- set rows = entrepot.jobs_query('select relation, analyzed, verdict from ' ~ table) if load_cached_relation(table) else [] -%}
    {%- for row in rows -%}
      {%- do state['verdicts'].update({row.relation ~ '@' ~ row.analyzed: fromjson(row.verdict)}) -%}
      {%- do state['stored_verdicts'].update({row.relation ~ '@' ~ row.analyzed: true}) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(state['verdicts']) }}
{% endmacro %}


{#- Notes a verdict down for `ops.model_verdict`, with the SQL that it is about; written when the job ends. -#}
{% macro delta_verdict_note(upstreams, body, verdict) %}
  {%- set analyzed = entrepot.delta_verdict_hash(upstreams, body) -%}
  {%- set key = this ~ '@' ~ analyzed -%}
  {%- set findings = entrepot.delta_verdicts().get(key, {}) -%}
  {%- if key not in entrepot.jobs_state()['stored_verdicts'] -%}
    {%- do entrepot.jobs_state()['stored_verdicts'].update({key: true}) -%}
    {%- do entrepot.jobs_state()['new_verdicts'].append(
      [this | string, local_md5(body), analyzed, verdict.rule, verdict.reason, tojson(findings), body]
    ) -%}
  {%- endif -%}
{% endmacro %}


{#- Appends the new verdicts of this job to `ops.model_verdict`, in one commit. -#}
{% macro delta_verdicts_write() %}
  {%- set state = entrepot.jobs_state() -%}
  {%- set rows = [] -%}
  {%- for values in state.get('new_verdicts', []) -%}
    {%- do rows.append('(' ~ entrepot.jobs_literals(values + [state['job'], state['number']]) ~ ', current_timestamp())') -%}
  {%- endfor -%}
  {%- if rows -%}
    {%- do entrepot.jobs_query('insert into ' ~ entrepot.jobs_relation('model_verdict') ~ ' values\n' ~ rows | join(',\n')) -%}
  {%- endif -%}
{% endmacro %}
