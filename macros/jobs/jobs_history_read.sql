{#- Reads a relation's contents (see `jobs_contents`) back from its Delta log. A RESTORE brings back rows and reads of
    the version that it names; a commit without our metadata has unknown reads. -#}
{% macro jobs_history_read(relation) %}
  {%- set found = namespace(contents=none, wanted=none) -%}
  {%- set history = entrepot.jobs_history(relation, var('entrepot_history_depth', 50)) -%}
  {%- set changes = [] -%}
  {%- for commit in history if not entrepot.jobs_keeps_rows(commit) -%}
    {%- do changes.append(commit) -%}
  {%- endfor -%}
  {%- for commit in changes if found.contents is none -%}
    {%- if found.wanted is none or commit.version | int <= found.wanted -%}
      {%- set metadata = entrepot.jobs_metadata_parse(relation, commit.userMetadata) -%}
      {%- if commit.operation == 'RESTORE' and not metadata -%}
        {%- set found.wanted = (fromjson(commit.operationParameters, {}).get('version') or -1) | int -%}
      {%- else -%}
        {%- set found.contents = {
          'reads': metadata.get('reads') if metadata else none,
          'sql_hash': metadata.get('sql_hash') if metadata else none,
          'noted_at': entrepot.jobs_time(commit.timestamp),
          'restore_to': metadata.get('base') if metadata and metadata.get('part') == 'first' else none,
        } -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set contents = found.contents or {'reads': none, 'sql_hash': none} -%}
  {%- do contents.update({
    'version': history[0].version | int,
    'data_version': (changes[0].version if changes else history[-1].version) | int,
  }) -%}
  {{ return(contents) }}
{% endmacro %}


{#- Whether a commit leaves rows and columns as they are. Of the commits that alter a column only those do that change neither
    its type nor its place; they say so in their parameters. -#}
{% macro jobs_keeps_rows(commit) %}
  {%- set keeps_rows = [
    'OPTIMIZE', 'OPTIMIZE CHECKPOINT', 'REORG', 'REORG TABLE UPGRADE UNIFORM', 'VACUUM START', 'VACUUM END', 'SET TBLPROPERTIES',
    'UNSET TBLPROPERTIES', 'ADD CONSTRAINT', 'DROP CONSTRAINT', 'UPGRADE PROTOCOL', 'CLUSTER BY', 'COMPUTE STATS', 'DROP FEATURE',
    'Deletion Vector Tombstones', 'Empty Commit', 'DOMAIN METADATA CLEANUP', 'ROW TRACKING BACKFILL', 'ROW TRACKING UNBACKFILL',
    'REMOVE COLUMN MAPPING',
  ] -%}
  {%- if commit.operation in ['CHANGE COLUMN', 'CHANGE COLUMNS'] -%}
    {{ return(modules.re.search('typeChanges|\\bposition\\b', commit.operationParameters | string) is none) }}
  {%- endif -%}
  {{ return(commit.operation in keeps_rows) }}
{% endmacro %}
