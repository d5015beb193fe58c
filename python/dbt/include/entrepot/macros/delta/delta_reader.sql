{#- How the net changes of an upstream between two versions are read: the cheapest way that is right. A dict
      reader        feed (the change feed), difference (of the two versions), none where OLD cannot be compared with NEW
      why           in that last case, in words
      rows          how many rows the commits in between say that they have changed, an update counting as two: never fewer than there are
                    net changes; none where they do not say it
      appends       whether all that they did was to append rows
      committed_at  when the older version was committed; none where that is not known
    Asked once per job and range. After one plain commit of this job it costs no statement; anything else is looked up. -#}
{% macro delta_reader(upstream, from_version, to_version) %}
  {%- set readers = jobs_state()['readers'] -%}
  {%- set key = [upstream.relation, from_version, to_version] | join('@') -%}
  {%- if key not in readers -%}
    {%- if delta_is_plain_commit(upstream, from_version) -%}
      {%- set written = jobs_contents(upstream.relation).get('written', {}) -%}
      {%- do readers.update({key: {
        'reader': 'feed' if upstream.feed and not written.get('overwrites') else 'difference', 'why': none, 'rows': written.get('rows'), 'appends': written.get('appends'), 'committed_at': none,
      }}) -%}
    {%- else -%}
      {%- do readers.update({key: delta_reader_by_history(upstream, from_version, to_version)}) -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(readers[key]) }}
{% endmacro %}


{#- Whether all that has happened to an upstream since a version is one plain commit of this job (apply path `overwrite` is one, too: the columns are
    the same), after a version too young for Delta to have cleaned it out of the log. -#}
{% macro delta_is_plain_commit(upstream, from_version) %}
  {%- set contents = jobs_contents(upstream.relation) -%}
  {%- set is_anew = contents.is_new and not contents.get('written', {}).get('overwrites') -%}
  {%- if contents.get('before') is none or from_version < contents.before or is_anew or upstream.feed is none -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set committed_at = jobs_committed_at(upstream.relation, from_version) -%}
  {{ return(committed_at is none or committed_at > jobs_now() - 7 * 86400000) }}
{% endmacro %}


{#- `delta_reader` from the table's history and properties: two statements, and two more where its columns may have
    changed. Commits above `to_version` count too, because Delta reads a change feed with the newest columns. -#}
{% macro delta_reader_by_history(upstream, from_version, to_version) %}
  {%- set relation = upstream.relation -%}
  {%- set newest = [jobs_contents(relation).version, to_version] | max -%}
  {%- set commits = {} -%}
  {%- for commit in jobs_history(relation, newest - from_version + 20) if commit.version | int >= from_version -%}
    {%- do commits.update({commit.version | int: commit}) -%}
  {%- endfor -%}
  {%- set properties = delta_properties_read(relation) -%}
  {%- if delta_is_removed(commits, from_version, properties) -%}
    {%- set why = 'version ' ~ from_version ~ ' of ' ~ upstream.name ~ ' can no longer be read' -%}
    {{ return({'reader': none, 'why': why, 'committed_at': none}) }}
  {%- endif -%}
  {%- set found = namespace(columns=false, feed=properties.get('delta.enablechangedatafeed') == 'true', rows=0, appends=true) -%}
  {%- for version, commit in commits.items() if version > from_version -%}
    {%- if version <= to_version and found.rows is not none -%}
      {%- set rows = delta_commit_rows(commit) -%}
      {%- set found.rows = found.rows + rows if rows is not none else none -%}
    {%- endif -%}
    {%- set found.appends = found.appends and (version > to_version or jobs_keeps_rows(commit) or delta_commit_appends(commit)) -%}
    {%- set touches = delta_commit_touches(relation, commit) -%}
    {%- set found.columns = found.columns or (version <= to_version and touches in ['columns', 'perhaps columns']) -%}
    {%- set found.feed = found.feed and (touches == 'rows' or (touches == 'perhaps columns' and version <= to_version)) -%}
  {%- endfor -%}
  {%- set committed_at = jobs_millis(commits[from_version].timestamp) -%}
  {%- if found.columns and delta_has_other_columns(relation, from_version, to_version) -%}
    {{ return({'reader': none, 'why': 'the columns of ' ~ upstream.name ~ ' changed', 'committed_at': committed_at}) }}
  {%- endif -%}
  {{ return({'reader': 'feed' if found.feed else 'difference', 'why': none, 'rows': found.rows, 'appends': found.appends, 'committed_at': committed_at}) }}
{% endmacro %}


{#- How many rows a commit says that it has changed, an update counting as two; none where it does not say it, or has replaced rows
    without comparing them. -#}
{% macro delta_commit_rows(commit) %}
  {%- set metrics = fromjson(commit.operationMetrics, {}) -%}
  {%- if jobs_keeps_rows(commit) -%}
    {{ return(0) }}
  {%- elif commit.operation == 'MERGE' and 'numTargetRowsInserted' in metrics -%}
    {{ return(metrics.numTargetRowsInserted | int + 2 * (metrics.numTargetRowsUpdated | int) + metrics.numTargetRowsDeleted | int) }}
  {%- elif commit.operation == 'UPDATE' and 'numUpdatedRows' in metrics -%}
    {{ return(2 * (metrics.numUpdatedRows | int)) }}
  {%- elif commit.operation == 'DELETE' and 'numDeletedRows' in metrics -%}
    {{ return(metrics.numDeletedRows | int) }}
  {%- elif delta_commit_appends(commit) and 'numOutputRows' in metrics -%}
    {{ return(metrics.numOutputRows | int) }}
  {%- endif -%}
  {{ return(none) }}
{% endmacro %}


{#- Whether all that a commit did was to append rows. -#}
{% macro delta_commit_appends(commit) %}
  {{ return(commit.operation == 'WRITE' and fromjson(commit.operationParameters, {}).get('mode') == 'Append') }}
{% endmacro %}


{#- What a commit may have touched, as far as a reader of changes has to know: `columns` (ALTER, REPLACE, RESTORE, a write that
    may merge or overwrite the schema), `perhaps columns` (somebody else's MERGE or stream, which do not say), `feed` (its
    switch, or the way columns are stored), else `rows`. -#}
{% macro delta_commit_touches(relation, commit) %}
  {%- set parameters = commit.operationParameters | string | lower -%}
  {%- if modules.re.search('CREATE|REPLACE|CLONE|CONVERT|RESTORE|SCHEMA|COLUMN', commit.operation)
    or 'canmergeschema' in parameters or 'canoverwriteschema' in parameters -%}
    {{ return('columns') }}
  {%- elif 'TBLPROPERTIES' in commit.operation and ('enablechangedatafeed' in parameters or 'columnmapping' in parameters) -%}
    {{ return('feed') }}
  {%- elif commit.operation in ['MERGE', 'STREAMING UPDATE'] and not jobs_metadata_parse(relation, commit.userMetadata) -%}
    {{ return('perhaps columns') }}
  {%- endif -%}
  {{ return('rows') }}
{% endmacro %}
