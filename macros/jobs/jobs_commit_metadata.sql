{#- Writes what the following commits of a relation contain into Delta's commit (docs/architecture.md): job, consumed versions,
    checksum of the SQL. `part` is 'first' for the first of two commits; `base` the version before it. -#}
{% macro jobs_commit_metadata(relation, reads, sql_hash=none, part='whole', base=none) %}
  {%- set metadata = {
    'entrepot': 1, 'relation': relation | string, 'job': entrepot.jobs_state()['job'],
    'reads': reads, 'sql_hash': sql_hash, 'part': part, 'base': base,
  } -%}
  {%- do entrepot.jobs_query("set spark.databricks.delta.commitInfo.userMetadata = " ~ tojson(metadata)) -%}
{% endmacro %}


{#- Ends `jobs_commit_metadata`: later commits of this session carry nothing of ours. -#}
{% macro jobs_commit_metadata_reset() %}
  {%- do entrepot.jobs_query("reset spark.databricks.delta.commitInfo.userMetadata") -%}
{% endmacro %}


{#- The dict that `jobs_commit_metadata` wrote for this relation; none for anybody else's text. -#}
{% macro jobs_metadata_parse(relation, text) %}
  {%- set metadata = fromjson(text, {}) if text else {} -%}
  {{ return(metadata if metadata is mapping and metadata.get('relation') == relation | string else none) }}
{% endmacro %}


{#- Notes a relation's new contents after this job has written it; returns the commit's row of `describe history`.
    Our commit is not always the newest: another writer may have come in between. -#}
{% macro jobs_committed(relation, reads, sql_hash) %}
  {%- set state = entrepot.jobs_state() -%}
  {%- set ours = namespace(commit=none) -%}
  {%- set commits = entrepot.jobs_history(relation, 5) -%}
  {%- for commit in commits if ours.commit is none -%}
    {%- set metadata = entrepot.jobs_metadata_parse(relation, commit.userMetadata) -%}
    {%- if metadata and metadata.job == state['job'] and metadata.part != 'first' -%}
      {%- set ours.commit = commit -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if ours.commit is not none -%}
    {%- set before = state['relations'].get(relation | string, {}) -%}
    {%- do state['relations'].update({relation | string: dict(entrepot.jobs_size_after(relation, before, commits), **{
      'before': before.get('version'),
      'is_new': entrepot.jobs_is_new(ours.commit),
      'version': ours.commit.version | int,
      'data_version': ours.commit.version | int,
      'reads': reads,
      'sql_hash': sql_hash,
    })}) -%}
  {%- endif -%}
  {{ return(ours.commit) }}
{% endmacro %}
