{#- Reads a relation's contents (see `jobs_contents`) back from its Delta log. A RESTORE brings back rows and reads of
    the version that it names; a commit without our metadata has unknown reads. -#}
{% macro jobs_history_read(relation) %}
  {%- set keeps_rows = [
    'OPTIMIZE', 'REORG', 'VACUUM START', 'VACUUM END', 'SET TBLPROPERTIES', 'UNSET TBLPROPERTIES', 'ADD CONSTRAINT',
    'DROP CONSTRAINT', 'CHANGE COLUMN', 'CHANGE COLUMNS', 'UPGRADE PROTOCOL', 'CLUSTER BY', 'COMPUTE STATS', 'DROP FEATURE',
  ] -%}
  {%- set found = namespace(contents=none, wanted=none) -%}
  {%- set history = entrepot.jobs_history(relation, var('entrepot_history_depth', 50)) -%}
  {%- for commit in history if found.contents is none and commit.operation not in keeps_rows -%}
    {%- if found.wanted is none or commit.version | int <= found.wanted -%}
      {%- set metadata = entrepot.jobs_metadata_parse(relation, commit.userMetadata) -%}
      {%- if commit.operation == 'RESTORE' and not metadata -%}
        {%- set found.wanted = (fromjson(commit.operationParameters, {}).get('version') or -1) | int -%}
      {%- else -%}
        {%- set found.contents = {
          'reads': metadata.get('reads') if metadata else none,
          'sql_hash': metadata.get('sql_hash') if metadata else none,
          'operation': commit.operation,
          'restore_to': metadata.get('base') if metadata and metadata.get('part') == 'first' else none,
        } -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set contents = found.contents or {'reads': none, 'sql_hash': none} -%}
  {%- set changes = history | rejectattr('operation', 'in', keeps_rows) | list -%}
  {%- do contents.update({
    'version': history[0].version | int,
    'data_version': (changes[0].version if changes else history[-1].version) | int,
  }) -%}
  {{ return(contents) }}
{% endmacro %}
