{#- Writes what the following commits of a relation contain into Delta's commit (docs/architecture.md): job, consumed versions and when they
    were committed, checksum of the SQL. `base` is the version that the rows were worked out from, none where all are new; `part` is 'first'
    for the first of two commits. -#}
{% macro jobs_commit_metadata(relation, reads, sql_hash=none, base=none, part='whole') %}
  {%- set metadata = {
    'entrepot': 1, 'relation': relation | string, 'job': jobs_state()['job'],
    'reads': reads, 'read_at': jobs_read_at(reads), 'sql_hash': sql_hash, 'part': part, 'base': base,
  } -%}
  {%- do jobs_query("set spark.databricks.delta.commitInfo.userMetadata = " ~ tojson(metadata)) -%}
{% endmacro %}


{#- Ends `jobs_commit_metadata`: later commits of this session carry nothing of ours. -#}
{% macro jobs_commit_metadata_reset() %}
  {%- do jobs_query("reset spark.databricks.delta.commitInfo.userMetadata") -%}
{% endmacro %}


{#- The dict that `jobs_commit_metadata` wrote for this relation; none for anybody else's text. -#}
{% macro jobs_metadata_parse(relation, text) %}
  {%- set metadata = fromjson(text, {}) if text else {} -%}
  {{ return(metadata if metadata is mapping and metadata.get('relation') == relation | string else none) }}
{% endmacro %}


{#- Notes a relation's new contents after this job has written it; returns the commit's row of `describe history`.
    Our commit is not always the newest: another writer may have come in between. -#}
{% macro jobs_committed(relation, reads, sql_hash) %}
  {%- set state = jobs_state() -%}
  {%- set ours = namespace(commit=none) -%}
  {%- set commits = jobs_history(relation, 5) -%}
  {%- for commit in commits if ours.commit is none -%}
    {%- set metadata = jobs_metadata_parse(relation, commit.userMetadata) -%}
    {%- if metadata and metadata.job == state['job'] and metadata.part != 'first' -%}
      {%- set ours.commit = commit -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if ours.commit is not none -%}
    {%- set before = state['relations'].get(relation | string, {}) -%}
    {%- set has_file_times = overrides_table_properties(config).get('delta.enableInCommitTimestamps') != 'true' -%}
    {%- set intruder = jobs_intruder(relation, ours.commit, commits) -%}
    {%- do state['relations'].update({relation | string: dict(jobs_size_after(relation, before, commits), **{
      'before': before.get('version') if intruder is none else none,
      'is_new': jobs_is_new(ours.commit),
      'version': ours.commit.version | int,
      'data_version': ours.commit.version | int,
      'committed_at': jobs_millis(ours.commit.timestamp) if has_file_times else none,
      'reads': reads if intruder is none else none,
      'read_at': jobs_read_at(reads),
      'sql_hash': sql_hash if intruder is none else none,
    })}) -%}
    {%- if intruder is not none -%}
      {%- do exceptions.warn(relation ~ " was written by somebody else in the middle of this job (version " ~ intruder ~ "). It is not published; "
        ~ "the next job computes it in full.") -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(ours.commit) }}
{% endmacro %}
