{#- What has arrived since the last landing, read and parsed once per job into a cached temporary view that all
    landing models share. Returns a dict
      view    its name, with the columns of `landing_record`; none where nothing has arrived
      files   name of a view of its files, as they were before they were read: what a file gets while the job runs is
              news for the next job
      counts  {kind: records}, and `file`: files
      starts  where its changes begin, of each source {'source_system', 'source_database', 'log_commit', 'log_position'}: the lowest of both
      is_small  whether its files are no more than `landing_small_bytes`; then all of it is one partition, and nothing of it is exchanged
    A file that has changed in any way is read again as a whole; what of it has landed already is recognised by
    its event_id. So a file may grow, come twice, or be replaced, and nothing is lost or landed twice. -#}
{% macro landing_batch() %}
  {%- do jobs_know() -%}
  {{ return(adapter.jobs_once('landing', entrepot.landing_read_batch)) }}
{% endmacro %}


{#- Reads and parses what has arrived (see `landing_batch`), the oldest files up to var `landing_batch_bytes`. A file that has gone meanwhile is no news; one that cannot be read is noted
    down with the reason. -#}
{% macro landing_read_batch() %}
  {%- set arrived = adapter.landing_cut(entrepot.landing_new_files(), var('landing_batch_bytes', 0)) -%}
  {%- if not arrived -%}
    {{ return({'view': none, 'files': none, 'counts': {}, 'starts': [], 'is_small': true}) }}
  {%- endif -%}
  {%- set reading = entrepot.landing_reading(arrived) -%}
  {%- set record = jobs_named_relation('landing_record', 'landing (docs/architecture.md)') -%}
  {%- set is_small = reading.files | sum(attribute='file_size') <= entrepot.landing_small_bytes() -%}
  {%- set view = adapter.jobs_cache('landing_batch', adapter.sql_substitute(
    entrepot.landing_in_one(adapter.jobs_view_text(record), is_small),
    {jobs_named_relation('read_line', 'landing (docs/architecture.md)'): '(\n'
      ~ entrepot.landing_read_messages('(\n' ~ entrepot.landing_read_lines(reading.folder, reading.files) ~ '\n)', adapter.landing_wire_schemas())
      ~ '\n)'}
  )) -%}
  {%- set counts, starts = {}, [] -%}
  {%- for row in jobs_query(entrepot.landing_counts(view)) -%}
    {%- do counts.update({row.kind: counts.get(row.kind, 0) + row.records | int}) -%}
    {%- if row.kind == 'change' -%}
      {%- do starts.append({
        'source_system': row.heard_from, 'source_database': row.source_database,
        'log_commit': row.first_commit | int, 'log_position': row.first_position | int,
      }) -%}
    {%- endif -%}
    {%- do adapter.landing_note_heard(row.heard_from, row.committed_at, row.log_commit, row.heard_at) if row.heard_from -%}
  {%- endfor -%}
  {%- set waiting = entrepot.landing_waiting_files(view) if counts.get('waiting') else {} -%}
  {%- set gone = adapter.landing_gone(reading.files | map(attribute='landed_from') | list) if reading.is_local else [] -%}
  {%- set ns = namespace(noted=reading.problems) -%}
  {%- for file in reading.files if file.landed_from not in gone -%}
    {%- set ns.noted = ns.noted + [dict(file, problem=waiting.get(file.landed_from))] -%}
  {%- endfor -%}
  {%- do counts.update({'file': ns.noted | length}) -%}
  {{ return({'view': view, 'files': adapter.jobs_cache('landing_file', entrepot.landing_listed_files(ns.noted)), 'counts': counts, 'starts': starts, 'is_small': is_small}) }}
{% endmacro %}


{#- How many bytes of files are a small batch: one task reads and parses them sooner than several hand rows to each other. -#}
{% macro landing_small_bytes() %}
  {{ return(1048576) }}
{% endmacro %}


{#- SQL: a query, of a small batch in one partition. -#}
{% macro landing_in_one(sql, is_small) -%}
{{ 'select /*+ coalesce(1) */ * from (\n' ~ sql ~ '\n) as one' if is_small else sql }}
{%- endmacro %}


{#- SQL: how many records of each kind and source a batch has, where its changes begin, and how far each source is heard by them: never later than now, because a
    source's clock may be ahead. -#}
{% macro landing_counts(view) -%}
select
  kind,
  if(kind in ('change', 'control'), source_system, null) as heard_from,
  if(kind = 'change', source_database, null) as source_database,
  count(*) as records,
  min(log_commit) as first_commit,
  min(log_position) as first_position,
  cast(max(log_time) as string) as committed_at,
  max_by(log_commit, struct(log_time, log_commit)) as log_commit,
  cast(if(max(heard_at) > current_timestamp(), current_timestamp(), max(heard_at)) as string) as heard_at
from {{ view }}
group by all
{%- endmacro %}


{#- The files of a batch in which lines wait for a schema that nobody has pulled yet: {landed_from: what they wait for, as `landed_file` notes it down}. -#}
{% macro landing_waiting_files(view) %}
  {%- set found = {} -%}
  {%- for row in jobs_query(
    "select landed_from, array_join(array_sort(collect_set(cast(split_part(reason, ': ', 2) as bigint))), ', ') as schemas from " ~ view
    ~ " where reason like 'unknown\\_schema:%' group by landed_from"
  ) -%}
    {%- do found.update({row.landed_from: 'it waits for schemas of the registry (entrepot registry pull): ' ~ row.schemas}) -%}
  {%- endfor -%}
  {{ return(found) }}
{% endmacro %}


{#- The files that have arrived or changed since they last landed, a list of dicts: `landed_from`, `file_size`, `modified_ms` and `problem`, why
    one cannot be read. One listing, compared with `landed_file`; what could not be read then is news when it has changed. Where only Spark can list
    them, it leaves those out that have landed without a problem, which are most of them. -#}
{% macro landing_new_files() %}
  {%- set landed = jobs_named_relation('landed_file', 'landing (docs/architecture.md)') -%}
  {%- set is_known = load_cached_relation(landed) is not none -%}
  {%- set has_problem = is_known and 'problem' in adapter.jobs_columns(landed) -%}
  {%- set columns = 'select landed_from, file_size, unix_millis(file_modified_at) as modified_ms, ' -%}
  {%- set listed, known = adapter.landing_arrivals(var('landing_path')), none -%}
  {%- if listed is none -%}
    {%- set listing = columns ~ 'problem from (' ~ entrepot.landing_arrived_files() ~ ') as arrived' -%}
    {%- set listing = listing ~ ' left anti join (select landed_from, file_size, file_modified_at from ' ~ landed
      ~ (' where problem is null' if has_problem else '') ~ ') as landed using (landed_from, file_size, file_modified_at)' if is_known else listing -%}
    {%- set listed = jobs_query(listing) -%}
    {%- set known = jobs_query(columns ~ 'problem from ' ~ landed ~ ' where problem is not null') if has_problem else [] -%}
  {%- elif is_known and listed -%}
    {%- set known = adapter.landing_landed(landed) -%}
    {%- if known is none -%}
      {%- set known = jobs_query(columns ~ ('problem' if has_problem else 'cast(null as string) as problem') ~ ' from ' ~ landed) -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(adapter.landing_news(listed, known or [], adapter.landing_wire_schemas() | map(attribute='number') | list)) }}
{% endmacro %}


{#- What is read of files that have arrived: a dict
      folder     where Spark reads them
      files      those that can be read, with their `link`, the name by which Spark reads them
      problems   those that cannot, with `problem`
      is_local   whether they lie on this machine: then Spark reads them by links, under names that it does not skip or misunderstand -#}
{% macro landing_reading(arrived) %}
  {%- set readable = arrived | selectattr('problem', 'none') | list -%}
  {%- set ns = namespace(folder=none, links=none, damaged={}, files=[], problems=arrived | rejectattr('problem', 'none') | list) -%}
  {%- if adapter.landing_is_local(var('landing_path')) -%}
    {%- set ns.folder, ns.links, ns.damaged = adapter.landing_links(readable | map(attribute='landed_from') | list) -%}
  {%- endif -%}
  {%- for file in readable -%}
    {%- if file.landed_from in ns.damaged -%}
      {%- do ns.problems.append(dict(file, problem=ns.damaged[file.landed_from])) -%}
    {%- elif ns.links is none or file.landed_from in ns.links -%}
      {%- do ns.files.append(dict(file, link=file.landed_from if ns.links is none else ns.links[file.landed_from])) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return({'folder': ns.folder, 'files': ns.files, 'problems': ns.problems, 'is_local': ns.links is not none}) }}
{% endmacro %}
