{#- The dict that keeps `row_count` and `bytes` of a relation, none or missing where not known yet: its contents (`jobs_contents`); of a source,
    whose contents nobody needs for that, one of its own. -#}
{% macro jobs_size(relation) %}
  {%- set state = entrepot.jobs_state() -%}
  {%- if relation | string in state['sources'] -%}
    {{ return(state['source_sizes'].setdefault(relation | string, {})) }}
  {%- endif -%}
  {{ return(entrepot.jobs_contents(relation)) }}
{% endmacro %}


{#- How many rows and bytes a relation has after the commits of this job, from what it had `before` (see `jobs_contents`) and what the
    commits say of themselves: `row_count` and `bytes`, none where not known. `commits` are its newest ones, newest first. A table has
    more bytes than that where rows have gone by deletion vectors only, and fewer after OPTIMIZE and VACUUM of somebody else. -#}
{% macro jobs_size_after(relation, before, commits) %}
  {%- set oldest = (commits | last).version | int -%}
  {%- set known = oldest <= (before.get('version') if before.get('version') is not none else -1) + 1 -%}
  {%- set size = namespace(rows=before.get('row_count') if known else none, bytes=before.get('bytes') if known else none) -%}
  {%- for commit in commits | reverse if commit.version | int > (before.get('version') if before.get('version') is not none else -1) -%}
    {%- if not entrepot.jobs_keeps_rows(commit) -%}
      {%- set grown = entrepot.jobs_growth(relation, commit) -%}
      {%- set size.rows = none if grown.rows is none or (size.rows is none and not grown.is_new) else (0 if grown.is_new else size.rows) + grown.rows -%}
      {%- set size.bytes = none if grown.bytes is none or (size.bytes is none and not grown.is_new) else (0 if grown.is_new else size.bytes) + grown.bytes -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return({'row_count': size.rows, 'bytes': size.bytes}) }}
{% endmacro %}


{#- By how many rows and bytes a commit of this job has made a relation larger, none where it does not say it, and `is_new`: whether there
    was nothing before. -#}
{% macro jobs_growth(relation, commit) %}
  {%- set metrics = fromjson(commit.operationMetrics, {}) -%}
  {%- set is_new = commit.operation.startswith('CREATE') or commit.operation.startswith('REPLACE') -%}
  {%- set metadata = entrepot.jobs_metadata_parse(relation, commit.userMetadata) -%}
  {%- if not metadata or metadata.job != entrepot.jobs_state()['job'] -%}
    {{ return({'rows': none, 'bytes': none, 'is_new': false}) }}
  {%- elif commit.operation == 'MERGE' -%}
    {%- set rows = (metrics.numTargetRowsInserted or 0) | int - (metrics.numTargetRowsDeleted or 0) | int -%}
    {{ return({'rows': rows, 'bytes': (metrics.numTargetBytesAdded or 0) | int - (metrics.numTargetBytesRemoved or 0) | int, 'is_new': false}) }}
  {%- elif (is_new or entrepot.delta_commit_appends(commit)) and 'numOutputRows' in metrics -%}
    {{ return({'rows': metrics.numOutputRows | int, 'bytes': (metrics.numOutputBytes or 0) | int, 'is_new': is_new}) }}
  {%- endif -%}
  {{ return({'rows': none, 'bytes': none, 'is_new': false}) }}
{% endmacro %}
