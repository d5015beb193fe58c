{#- Rule `join` (OD-ETL 3.5.1), for select, where, inner join and, outermost, union all. Per branch of the union and
    occurrence R_j of a changed upstream:
      upsert  ∪_j branch[R_j := Δ⁺_j, others NEW]
      gone    keys of ∪_j branch[R_j := Δ⁻_j, others OLD]; of the stored rows that carry the key of a row of Δ⁻_j, where they do
    Reading the others NEW for insertions and OLD for deletions is what keeps the anomaly of Fig. 3.5 out. -#}
{% macro delta_rule_join(settings, upstreams, changed, body, verdict) %}
  {%- set branches = entrepot.delta_union_branches(body) -%}
  {%- set old = {} -%}
  {%- for upstream in changed -%}
    {%- do old.update({upstream.relation | string: upstream.consumed}) -%}
    {%- do upstream.update({
      'gone_by_key': entrepot.delta_gone_by_key(settings, verdict, upstream) if upstream.changes.minus else [],
      'bounds': entrepot.delta_join_bounds(verdict, upstream) if branches | length == 1 else {},
    }) -%}
  {%- endfor -%}
  {%- if changed | length > 2 -%}
    {%- do entrepot.delta_keep_small_inputs(upstreams, changed) -%}
  {%- endif -%}
  {%- set upsert = [] -%}
  {%- set gone = [] -%}
  {%- for branch in branches -%}
    {%- set names = verdict.columns if not loop.first else [] -%}
    {%- for upstream in changed -%}
      {%- if upstream.changes.plus -%}
        {%- do upsert.extend(entrepot.delta_each_occurrence(branch, names, upstreams, {}, upstream, '+')) -%}
      {%- endif -%}
      {%- if upstream.changes.minus -%}
        {%- do gone.extend(upstream.gone_by_key or entrepot.delta_each_occurrence(branch, names, upstreams, old, upstream, '-')) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- set keys = settings.unique_key | join(', ') -%}
  {{ return({
    'rule': 'join',
    'reason': 'changed: ' ~ changed | map(attribute='name') | join(', '),
    'upsert': 'select * from (\n' ~ upsert | join('\n) union select * from (\n') ~ '\n)' if upsert else none,
    'gone': 'select ' ~ keys ~ ' from (\n' ~ gone | join('\n) union select ' ~ keys ~ ' from (\n') ~ '\n)' if gone else none,
    'rows_read': entrepot.delta_changed_rows(changed),
  }) }}
{% endmacro %}


{#- Keeps what several terms of the rule read in memory, where it is small: NEW of every upstream, and OLD where the rows that
    have gone are joined. -#}
{% macro delta_keep_small_inputs(upstreams, changed) %}
  {%- for upstream in upstreams -%}
    {%- do entrepot.delta_keep_small(upstream.relation, entrepot.jobs_pin(upstream.relation)) -%}
  {%- endfor -%}
  {%- set joined = changed | selectattr('changes.minus') | rejectattr('gone_by_key') | list -%}
  {%- for upstream in changed if joined -%}
    {%- do entrepot.delta_keep_small(upstream.relation, upstream.consumed) -%}
  {%- endfor -%}
{% endmacro %}


{#- A select once per occurrence of an upstream in it, with that occurrence replaced by the upstream's inserted (`sign`
    '+') or deleted ('-') rows and everything else at its version (`versions`, else the pinned one), within the bounds of
    these rows. Branches of a union but the first get the first one's column `names`. -#}
{% macro delta_each_occurrence(sql, names, upstreams, versions, upstream, sign) %}
  {%- set occurrences = entrepot.delta_verdict_occurrences(upstreams, sql) -%}
  {%- set selects = [] -%}
  {%- for changed in occurrences if changed.relation == upstream.relation | string -%}
    {%- set bounds = upstream.bounds.get(changed.number, {}) -%}
    {%- set places = {} -%}
    {%- for occurrence in occurrences -%}
      {%- set place = none -%}
      {%- if occurrence.number == changed.number -%}
        {%- set place = entrepot.delta_rows(upstream.changes, sign) -%}
      {%- elif occurrence.number in bounds -%}
        {%- set relation = occurrence.upstream.relation -%}
        {%- set rows = entrepot.delta_at_version(relation, versions.get(occurrence.relation, entrepot.jobs_pin(relation))) -%}
        {%- set place = '(select * from ' ~ rows ~ ' where ' ~ bounds[occurrence.number] | join(' and ') ~ ')' -%}
      {%- endif -%}
      {%- do places.setdefault(occurrence.relation, []).append(place) -%}
    {%- endfor -%}
    {%- set select = entrepot.delta_at(sql, upstreams, versions, places) -%}
    {%- do selects.append('select * from (\n' ~ select ~ '\n) as _branch(`' ~ names | join('`, `') ~ '`)' if names else select) -%}
  {%- endfor -%}
  {{ return(selects) }}
{% endmacro %}


{#- Where an upstream's changed rows leave only a range of another occurrence to be joined, {occurrence of the upstream: {other occurrence:
    [conditions]}}; nothing for small tables. -#}
{% macro delta_join_bounds(verdict, upstream) %}
  {%- set bridges = [] -%}
  {%- set columns = [] -%}
  {%- for bridge in verdict.bridges if entrepot.delta_scope_upstream(verdict, bridge[0][0]).relation | string == upstream.relation | string -%}
    {%- do bridges.append(bridge) -%}
    {%- do columns.extend(bridge[1].keys()) -%}
  {%- endfor -%}
  {%- if not bridges or not entrepot.delta_is_large() -%}
    {{ return({}) }}
  {%- endif -%}
  {%- set within = entrepot.delta_bounds(upstream.changes.view, columns | unique | list) -%}
  {%- set bounds = {} -%}
  {%- for ends, equal in bridges -%}
    {%- for column, theirs in equal.items() if column in within -%}
      {%- do bounds.setdefault(ends[0].split('/')[0], {}).setdefault(ends[1].split('/')[0], []).append(theirs ~ ' ' ~ within[column]) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(bounds) }}
{% endmacro %}


{#- SQL, one per occurrence, of the keys of stored rows that stem from deleted rows of an upstream: where the model carries the
    upstream's unique key, the stored rows say so themselves, and nothing needs to be joined at OLD; where that is the model's own key, the
    deleted rows say it. Empty where it does not. -#}
{% macro delta_gone_by_key(settings, verdict, upstream) %}
  {%- set selects = [] -%}
  {%- set key = upstream.unique_key -%}
  {%- set mentions = entrepot.delta_scope_mentions_of(verdict, upstream.relation) -%}
  {%- for mention in mentions -%}
    {%- set carried = {} -%}
    {%- for column, stem in verdict.stems.items() if stem == mention -%}
      {%- do carried.update({verdict.scopes[column][mention] | lower: column}) -%}
    {%- endfor -%}
    {%- set columns = [] -%}
    {%- for column in key if column | lower in carried -%}
      {%- do columns.append(carried[column | lower]) -%}
    {%- endfor -%}
    {%- if key and columns | length == key | length and columns | map('lower') | sort == settings.unique_key | map('lower') | sort -%}
      {%- do selects.append('select ' ~ entrepot.delta_columns_as(key, columns) ~ ' from ' ~ entrepot.delta_rows(upstream.changes, '-')) -%}
    {%- elif key and columns | length == key | length -%}
      {%- do selects.append('select ' ~ entrepot.delta_qualified('_row', settings.unique_key) ~ ' from ' ~ this ~ ' version as of ' ~ entrepot.jobs_pin(this)
        ~ ' as _row left semi join ' ~ entrepot.delta_rows(upstream.changes, '-') ~ ' as _gone on ' ~ entrepot.delta_keys_equal('_row', columns, '_gone', key)) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(selects if selects | length == mentions | length else []) }}
{% endmacro %}
