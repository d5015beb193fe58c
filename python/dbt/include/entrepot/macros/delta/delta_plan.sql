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
    {{ return(dict(adapter.rules_full(delta_task(settings, upstreams, body), costs_more.reason), overwrites=costs_more.overwrites)) }}
  {%- endif -%}
  {%- set changed = delta_changed(moved) -%}
  {%- if not changed -%}
    {{ return({'rule': 'skip', 'reason': 'nothing changed', 'rows_read': 0}) }}
  {%- endif -%}
  {{ return(delta_plan_by_rule(delta_task(settings, upstreams, body, changed))) }}
{% endmacro %}


{#- The plan by the rule of the verdict (`entrepot.rules`), with what its SQL reads from memory brought there. -#}
{% macro delta_plan_by_rule(task) %}
  {%- set plan = adapter.rules_plan(task) -%}
  {%- do delta_keep(plan.caches) -%}
  {%- if plan.undecided -%}
    {%- set plan = adapter.rules_again(task, plan, (jobs_query(plan.undecided) | first).groups | int) -%}
    {%- do delta_keep(plan.caches) -%}
  {%- endif -%}
  {{ return(plan) }}
{% endmacro %}


{#- What rules are given (see `adapter.rules_plan`). -#}
{% macro delta_task(settings, upstreams, body, changed=[]) %}
  {%- set verdict = delta_verdict(settings, upstreams, body) -%}
  {%- set sizes = {} -%}
  {%- for upstream in upstreams -%}
    {%- do sizes.update({upstream.relation | string: jobs_size(upstream.relation)}) -%}
  {%- endfor -%}
  {{ return({
    'model': model.name, 'this': this, 'version': jobs_pin(this), 'settings': settings, 'verdict': verdict, 'body': body,
    'upstreams': delta_pinned(upstreams), 'changed': delta_pinned(changed),
    'is_large': verdict.rule == 'join' and changed and delta_is_large(),
    'kept': jobs_state()['kept'], 'sizes': sizes, 'memory': var('entrepot_memory_bytes', 33554432),
  }) }}
{% endmacro %}


{#- Brings what a plan reads from memory there; whole relations are noted for the other models of the job. -#}
{% macro delta_keep(caches) %}
  {%- for cache in caches -%}
    {%- do jobs_temporary(cache.view, cache.sql) -%}
    {%- do jobs_state()['kept'].update({cache.key: cache.view}) if cache.key -%}
  {%- endfor -%}
{% endmacro %}


{#- Whether the running model's table is large: changes are written to it and looked up for it in other ways then. -#}
{% macro delta_is_large() %}
  {{ return(adapter.rules_bytes(this, jobs_size(this)) > var('entrepot_merge_bytes', 33554432)) }}
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


{#- Upstreams with the `version` at which they are read: the one of `versions`, else the pinned one. -#}
{% macro delta_pinned(upstreams, versions={}) %}
  {%- set pinned = [] -%}
  {%- for upstream in upstreams -%}
    {%- do pinned.append(dict(upstream, version=versions.get(upstream.relation | string, jobs_pin(upstream.relation)))) -%}
  {%- endfor -%}
  {{ return(pinned) }}
{% endmacro %}


{#- The model's SQL with every upstream read at a version (see `delta_pinned`). -#}
{% macro delta_at(body, upstreams, versions={}) %}
  {{ return(adapter.rules_body(body, delta_pinned(upstreams, versions), jobs_state()['kept'])) }}
{% endmacro %}


{#- {relation: pinned version} of the upstreams: what a model contains after this job. -#}
{% macro delta_reads(upstreams) %}
  {%- set reads = {} -%}
  {%- for upstream in upstreams if jobs_pin(upstream.relation) is not none -%}
    {%- do reads.update({upstream.relation | string: jobs_pin(upstream.relation)}) -%}
  {%- endfor -%}
  {{ return(reads) }}
{% endmacro %}
