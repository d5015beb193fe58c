{#- Reads a relation's contents (see `jobs_contents`) back from its Delta log, as they are or, with `newest`, as they were at that version. A
    RESTORE brings back rows and reads of the version that it names; a commit without our metadata has unknown reads, and so has one of
    ours if somebody else has written the table since the version that it was worked out from. -#}
{% macro jobs_history_read(relation, newest=none) %}
  {%- set found = namespace(contents=none, wanted=none) -%}
  {%- set history = [] -%}
  {%- for commit in jobs_history(relation, var('entrepot_history_depth', 50)) if newest is none or commit.version | int <= newest -%}
    {%- do history.append(commit) -%}
  {%- endfor -%}
  {%- set changes = [] -%}
  {%- for commit in history if not jobs_keeps_rows(commit) -%}
    {%- do changes.append(commit) -%}
  {%- endfor -%}
  {%- for commit in changes if found.contents is none -%}
    {%- if found.wanted is none or commit.version | int <= found.wanted -%}
      {%- set metadata = jobs_metadata_parse(relation, commit.userMetadata) -%}
      {%- if commit.operation == 'RESTORE' and not metadata -%}
        {%- set found.wanted = (fromjson(commit.operationParameters, {}).get('version') or -1) | int -%}
      {%- else -%}
        {%- set is_ours = metadata and jobs_intruder(relation, commit, history) is none -%}
        {%- set found.contents = {
          'reads': metadata.get('reads') if is_ours else none,
          'sql_hash': metadata.get('sql_hash') if is_ours else none,
          'read_at': metadata.get('read_at', {}) if is_ours else {},
          'restore_to': metadata.get('base') if metadata and metadata.get('part') == 'first' else none,
        } -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set contents = found.contents or {'reads': none, 'sql_hash': none} -%}
  {%- do contents.update({
    'version': history[0].version | int,
    'committed_at': jobs_millis(history[0].timestamp),
    'data_version': (changes[0].version if changes else history[-1].version) | int,
  }) -%}
  {{ return(contents) }}
{% endmacro %}


{#- The version of a commit of somebody else between one of ours and the version that ours was worked out from (`base` of its metadata); none
    where there is none. `commits` are the newest ones, newest first; what they do not reach back to counts as somebody else's. -#}
{% macro jobs_intruder(relation, ours, commits) %}
  {%- set metadata = jobs_metadata_parse(relation, ours.userMetadata) -%}
  {%- set base = metadata.get('base') -%}
  {%- for commit in commits if base is not none and base < commit.version | int and commit.version | int < ours.version | int -%}
    {%- set theirs = jobs_metadata_parse(relation, commit.userMetadata) -%}
    {%- if (not theirs or theirs.job != metadata.job) and not jobs_keeps_rows(commit) -%}
      {{ return(commit.version | int) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(base + 1 if base is not none and (commits | last).version | int > base + 1 else none) }}
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
