{#- The dict that keeps `row_count` and `bytes` of a relation, none or missing where not known yet: its contents (`jobs_contents`); of a source,
    whose contents nobody needs for that, one of its own. -#}
{% macro jobs_size(relation) %}
  {%- set state = jobs_state() -%}
  {%- if relation | string in state['sources'] -%}
    {{ return(state['source_sizes'].setdefault(relation | string, {})) }}
  {%- endif -%}
  {{ return(jobs_contents(relation)) }}
{% endmacro %}


{#- How many rows and bytes a relation has after the commits of this job, from what it had `before` (see `jobs_contents`) and what the
    commits say of themselves: `row_count` and `bytes`, none where not known. `commits` are its newest ones, newest first. A table has
    more bytes than that where rows have gone by deletion vectors only, and fewer after OPTIMIZE and VACUUM of somebody else, and by the
    bytes of an empty file for each insert whose first task had no rows: Delta counts such a file, and leaves it out. -#}
{% macro jobs_size_after(relation, before, commits) %}
  {%- set version = before.version if before.get('version') is not none else -1 -%}
  {%- set has_all = (commits | last).version | int <= version + 1 -%}
  {%- set size = {'row_count': before.get('row_count') if has_all else none, 'bytes': before.get('bytes') if has_all else none} -%}
  {%- for commit in commits | reverse if commit.version | int > version and not jobs_keeps_rows(commit) -%}
    {%- set growth = jobs_growth(relation, commit) -%}
    {%- for name in ['row_count', 'bytes'] -%}
      {%- set earlier = 0 if jobs_is_new(commit) else size[name] -%}
      {%- do size.update({name: none if earlier is none or growth[name] is none else earlier + growth[name]}) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(size) }}
{% endmacro %}


{#- By how many rows and bytes a commit of this job has made a relation larger, none where it does not say it. -#}
{% macro jobs_growth(relation, commit) %}
  {%- set metrics = fromjson(commit.operationMetrics, {}) -%}
  {%- set metadata = jobs_metadata_parse(relation, commit.userMetadata) -%}
  {%- if not metadata or metadata.job != jobs_state()['job'] -%}
    {{ return({'row_count': none, 'bytes': none}) }}
  {%- elif commit.operation == 'MERGE' -%}
    {{ return({
      'row_count': (metrics.numTargetRowsInserted or 0) | int - (metrics.numTargetRowsDeleted or 0) | int,
      'bytes': (metrics.numTargetBytesAdded or 0) | int - (metrics.numTargetBytesRemoved or 0) | int,
    }) }}
  {%- elif commit.operation == 'DELETE' and 'numDeletedRows' in metrics -%}
    {{ return({
      'row_count': -(metrics.numDeletedRows | int), 'bytes': (metrics.numAddedBytes or 0) | int - (metrics.numRemovedBytes or 0) | int,
    }) }}
  {%- elif (jobs_is_new(commit) or delta_commit_appends(commit)) and 'numOutputRows' in metrics -%}
    {{ return({'row_count': metrics.numOutputRows | int, 'bytes': (metrics.numOutputBytes or 0) | int}) }}
  {%- endif -%}
  {{ return({'row_count': none, 'bytes': none}) }}
{% endmacro %}


{#- Whether a commit has replaced all that a table was. -#}
{% macro jobs_is_new(commit) %}
  {{ return(commit.operation.startswith('CREATE') or commit.operation.startswith('REPLACE')) }}
{% endmacro %}
