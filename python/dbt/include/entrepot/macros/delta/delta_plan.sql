{#- How a model is brought from what it has consumed to what this job reads: a dict
      rule       create, skip, join, aggregate, scope or full
      reason     why this rule
      upsert     SQL of rows that must be in the model (none for skip and create)
      gone       SQL of the keys of rows that may have to leave it; none where nothing can
      net        in place of both: SQL of the rows that come (`_delta` 1) and go (-1), where the rule knows them
      replaces   whether `upsert` may have rows that are stored under the same key although nothing can leave
      overwrites whether all rows are to be written, whatever is stored
      new_columns columns that the SELECT has and the table has not yet, where `on_schema_change` adds them
      rows_read  changed rows of the upstreams; none for rules that read all rows
    `settings` is `delta_settings()`, `body` the model's SQL with its views inlined. -#}
{% macro delta_plan(settings, upstreams, body, existing, sql_hash) %}
  {%- if not existing or not existing.is_delta or should_full_refresh() -%}
    {%- do delta_verdict_forget(upstreams, body) -%}
    {%- do delta_verdict(settings, upstreams, body) -%}
    {{ return({'rule': 'create', 'reason': 'first build' if not existing else 'full refresh' if existing.is_delta else 'was no Delta table', 'rows_read': none}) }}
  {%- endif -%}
  {%- set contents = jobs_contents(this) -%}
  {%- if contents.reads is none -%}
    {{ return(delta_rule_anew(settings, upstreams, body, 'written by somebody else (version ' ~ contents.version ~ ')')) }}
  {%- elif contents.sql_hash != sql_hash -%}
    {{ return(delta_rule_anew(settings, upstreams, body, 'its SQL changed')) }}
  {%- endif -%}
  {%- set moved = delta_moved(upstreams, contents.reads, contents.get('read_at', {})) -%}
  {%- for upstream in moved if upstream.why -%}
    {{ return(delta_rule_anew(settings, upstreams, body, upstream.why)) }}
  {%- endfor -%}
  {%- set costs_more = delta_cost_reason(settings, upstreams, body, moved) -%}
  {%- if costs_more -%}
    {{ return(dict(delta_rule_full(settings, upstreams, body, costs_more.reason), overwrites=costs_more.overwrites)) }}
  {%- endif -%}
  {%- set changed = delta_changed(moved) -%}
  {%- if not changed -%}
    {{ return({'rule': 'skip', 'reason': 'nothing changed', 'rows_read': 0}) }}
  {%- endif -%}
  {%- set verdict = delta_verdict(settings, upstreams, body) -%}
  {%- if verdict.rule == 'full' -%}
    {{ return(delta_rule_full(settings, upstreams, body, verdict.reason)) }}
  {%- elif verdict.rule == 'join' -%}
    {{ return(delta_rule_join(settings, upstreams, changed, body, verdict)) }}
  {%- elif verdict.rule == 'aggregate' -%}
    {{ return(delta_rule_aggregate(settings, upstreams, changed, body, verdict)) }}
  {%- endif -%}
  {{ return(delta_rule_scope(settings, upstreams, changed, body, verdict)) }}
{% endmacro %}


{#- The upstreams that have been written between the consumed version and the pinned one, with `consumed`, how many `rows` the commits say
    that they have changed (none where they do not), whether they only `appends`, and, where the two versions cannot be compared, `why`. -#}
{% macro delta_moved(upstreams, reads, read_at={}) %}
  {%- set moved = [] -%}
  {%- for upstream in upstreams -%}
    {%- set consumed = reads.get(upstream.relation | string) -%}
    {%- set version = jobs_pin(upstream.relation) -%}
    {%- set noted = read_at.get(upstream.relation | string) -%}
    {%- if consumed is none or version is none or consumed > version -%}
      {%- do moved.append(dict(upstream, why=upstream.name ~ ' has no earlier version to compare with')) -%}
    {%- elif consumed == version and jobs_state()['relations'].get(upstream.relation | string, {}).get('is_new') -%}
      {%- do moved.append(dict(upstream, why=upstream.name ~ ' was dropped and built anew')) -%}
    {%- elif jobs_is_later(jobs_committed_at(upstream.relation, consumed), noted) -%}
      {%- do moved.append(dict(upstream, why=upstream.name ~ ' was dropped and made again')) -%}
    {%- elif version > consumed and jobs_contents(upstream.relation).data_version > consumed -%}
      {%- set reader = delta_reader(upstream, consumed, version) -%}
      {%- if reader.reader is none or jobs_is_later(reader.committed_at, noted) -%}
        {%- do moved.append(dict(upstream, why=reader.why or (upstream.name ~ ' was dropped and made again'))) -%}
      {%- else -%}
        {%- do moved.append(dict(upstream, why=none, consumed=consumed, rows=reader.rows, appends=reader.appends)) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(moved) }}
{% endmacro %}


{#- Those of the upstreams of `delta_moved` whose rows differ, with their `changes` (see `delta_changes`). -#}
{% macro delta_changed(moved) %}
  {%- set changed = [] -%}
  {%- for upstream in moved -%}
    {%- set changes = delta_changes(upstream, upstream.consumed, jobs_pin(upstream.relation)) -%}
    {%- if changes.plus or changes.minus -%}
      {%- do changed.append(dict(upstream, changes=changes)) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(changed) }}
{% endmacro %}


{#- How many rows of the changed upstreams have come or gone. -#}
{% macro delta_changed_rows(changed) %}
  {{ return(changed | map(attribute='changes.plus') | sum + changed | map(attribute='changes.minus') | sum) }}
{% endmacro %}


{#- The model's SQL with every upstream read at a version: the one of `versions`, else the pinned one.
    `replacements` puts something else in place of one upstream: {relation: [per occurrence]}, where none means its version. -#}
{% macro delta_at(body, upstreams, versions={}, replacements={}) %}
  {%- set texts = {} -%}
  {%- for upstream in upstreams -%}
    {%- set key = upstream.relation | string -%}
    {%- set at_version = delta_at_version(upstream.relation, versions.get(key, jobs_pin(upstream.relation))) -%}
    {%- set places = [] -%}
    {%- for replacement in replacements.get(key) or [none] -%}
      {%- do places.append(at_version if replacement is none else replacement) -%}
    {%- endfor -%}
    {%- do texts.update({upstream.relation: places}) -%}
  {%- endfor -%}
  {{ return(adapter.sql_substitute(body, texts)) }}
{% endmacro %}


{#- {relation: pinned version} of the upstreams: what a model contains after this job. -#}
{% macro delta_reads(upstreams) %}
  {%- set reads = {} -%}
  {%- for upstream in upstreams if jobs_pin(upstream.relation) is not none -%}
    {%- do reads.update({upstream.relation | string: jobs_pin(upstream.relation)}) -%}
  {%- endfor -%}
  {{ return(reads) }}
{% endmacro %}
