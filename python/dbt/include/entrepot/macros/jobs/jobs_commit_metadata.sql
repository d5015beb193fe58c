{#- Writes what the following commits of a relation contain into Delta's commit (docs/architecture.md): job, consumed versions and when they
    were committed, checksum of the SQL. `base` is the version that the rows were worked out from, none where all are new; `part` is 'first'
    for the first of two commits. -#}
{% macro jobs_commit_metadata(relation, reads, sql_hash=none, base=none, part='whole') %}
  {%- set about = {'read_at': jobs_read_at(reads), 'sql_hash': sql_hash, 'base': base, 'part': part} -%}
  {%- do adapter.facts_say(relation | string, jobs_state()['job'], reads, about) -%}
{% endmacro %}


{#- Notes a relation's new contents after this job has written it; returns what `adapter.facts_committed` tells, none where nothing was
    written. Our commit is not always the newest: another writer may have come in between. -#}
{% macro jobs_committed(relation, reads, sql_hash) %}
  {%- set state = jobs_state() -%}
  {%- set key = relation | string -%}
  {%- set before = state['relations'].get(key, {}) -%}
  {%- set ours = adapter.facts_committed(key, state['job'], before) -%}
  {%- if ours is not none -%}
    {%- set is_ours = ours.intruder is none -%}
    {%- do state['relations'].update({key: {
      'row_count': ours.row_count,
      'bytes': ours.bytes,
      'before': before.get('version') if is_ours else none,
      'is_new': ours.is_new,
      'version': ours.version,
      'data_version': ours.version,
      'committed_at': ours.at,
      'reads': reads if is_ours else none,
      'read_at': jobs_read_at(reads),
      'sql_hash': sql_hash if is_ours else none,
    }}) -%}
    {%- if not is_ours -%}
      {%- do exceptions.warn(relation ~ " was written by somebody else in the middle of this job (version " ~ ours.intruder ~ "). It is not published; "
        ~ "the next job computes it in full.") -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(ours) }}
{% endmacro %}
