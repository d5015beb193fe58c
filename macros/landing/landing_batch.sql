{#- What has arrived since the last landing, read and parsed once per job into a cached temporary view that all
    landing models share. Returns a dict
      view    its name, with the columns of `landing_record`; none where nothing has arrived
      files   name of a view of its files, as they were before they were read: what a file gets while the job runs is
              news for the next job
      counts  {kind: records}, and `file`: files
    A file that has changed in any way is read again as a whole; what of it has landed already is recognised by
    its event_id. So a file may grow, come twice, or be replaced, and nothing is lost or landed twice. -#}
{% macro landing_batch() %}
  {%- do jobs_know() -%}
  {{ return(adapter.jobs_once('landing', entrepot.landing_read_batch)) }}
{% endmacro %}


{#- Reads and parses what has arrived (see `landing_batch`). -#}
{% macro landing_read_batch() %}
  {%- set arrived = entrepot.landing_new_files() -%}
  {%- if not arrived.files -%}
    {{ return({'view': none, 'files': none, 'counts': {}}) }}
  {%- endif -%}
  {%- set view = adapter.jobs_cache(
    'landing_batch',
    'select * from ' ~ jobs_named_relation('landing_record', 'landing (docs/architecture.md)') ~ ' where landed_from in (' ~ adapter.sql_literals(arrived.files) ~ ')'
  ) -%}
  {%- set counts = {'file': arrived.files | length} -%}
  {%- for row in jobs_query(
    "select kind, count(*) as records, cast(max(committed_at) as string) as committed_at from " ~ view ~ " group by kind"
  ) -%}
    {%- do counts.update({row.kind: row.records | int}) -%}
    {%- do adapter.jobs_note_landed(row.committed_at) if row.kind == 'change' and row.committed_at -%}
  {%- endfor -%}
  {{ return({'view': view, 'files': arrived.view, 'counts': counts}) }}
{% endmacro %}


{#- The files that have arrived or changed since they last landed, one listing, compared with `landed_file`: a dict
      view   name of a cached temporary view of them
      files  where they come from, a list of texts -#}
{% macro landing_new_files() %}
  {%- set landed = jobs_named_relation('landed_file', 'landing (docs/architecture.md)') -%}
  {%- set sql = 'select * from (' ~ entrepot.landing_arrived_files() ~ ') as arrived' ~ (
      ' left anti join ' ~ landed ~ ' as landed on arrived.landed_from = landed.landed_from'
      ~ ' and arrived.file_size = landed.file_size and arrived.file_modified_at = landed.file_modified_at'
      if load_cached_relation(landed) else ''
  ) -%}
  {%- set view = adapter.jobs_cache('landing_file', adapter.jobs_at_hand(model, sql)) -%}
  {{ return({'view': view, 'files': jobs_query('select landed_from from ' ~ view ~ ' order by landed_from') | map(attribute='landed_from') | list}) }}
{% endmacro %}
