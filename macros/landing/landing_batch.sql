{#- What has arrived since the last landing, read and parsed once per job into a cached temporary view that all
    landing models share. Returns a dict
      view    its name, with the columns of `landing_record`; none where nothing has arrived
      files   name of a view of its files, as they were before they were read: what a file gets while the job runs is
              news for the next job
      counts  {kind: records}, and `file`: files
    A file that has changed in any way is read again as a whole; what of it has landed already is recognised by
    its event_id. So a file may grow, come twice, or be replaced, and nothing is lost or landed twice. -#}
{% macro landing_batch() %}
  {%- set notes = jobs_notes() -%}
  {%- if 'landing' not in notes -%}
    {%- set files = entrepot.landing_new_files() -%}
    {%- if files -%}
      {%- do adapter.jobs_cache(
        'landing_batch',
        'select * from ' ~ jobs_named_relation('landing_record', 'landing (docs/architecture.md)') ~ ' where landed_from in (' ~ adapter.sql_literals(files | map(attribute='landed_from')) ~ ')'
      ) -%}
      {%- set counts = {'file': files | length} -%}
      {%- set landed_through = [] -%}
      {%- for row in jobs_query(
        "select kind, count(*) as records, cast(max(committed_at) as string) as committed_at from landing_batch group by kind"
      ) -%}
        {%- do counts.update({row.kind: row.records | int}) -%}
        {%- do landed_through.append(row.committed_at) if row.kind == 'change' -%}
      {%- endfor -%}
      {%- do adapter.jobs_note_landed(landed_through | first) if landed_through | select | list -%}
      {%- do notes.update({'landing': {'view': 'landing_batch', 'files': 'landing_file', 'counts': counts}}) -%}
    {%- else -%}
      {%- do notes.update({'landing': {'view': none, 'files': none, 'counts': {}}}) -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(notes['landing']) }}
{% endmacro %}


{#- The files that have arrived or changed since they last landed: one listing, compared with `landed_file` and kept in a
    cached temporary view. -#}
{% macro landing_new_files() %}
  {%- set landed = jobs_named_relation('landed_file', 'landing (docs/architecture.md)') -%}
  {%- do adapter.jobs_cache(
    'landing_file',
    'select * from (' ~ entrepot.landing_arrived_files() ~ ') as arrived' ~ (
      ' left anti join ' ~ landed ~ ' as landed on arrived.landed_from = landed.landed_from'
      ~ ' and arrived.file_size = landed.file_size and arrived.file_modified_at = landed.file_modified_at'
      if load_cached_relation(landed) else ''
    )
  ) -%}
  {{ return(jobs_query('select landed_from from landing_file order by landed_from')) }}
{% endmacro %}
