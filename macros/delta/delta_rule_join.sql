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
    {%- do upstream.update({'gone_by_key': entrepot.delta_gone_by_key(settings, verdict, upstream) if upstream.changes.minus else []}) -%}
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
    '+') or deleted ('-') rows and everything else at its version (`versions`, else the pinned one). Branches of a union
    but the first get the first one's column `names`. -#}
{% macro delta_each_occurrence(sql, names, upstreams, versions, upstream, sign) %}
  {%- set occurrences = entrepot.delta_occurrences(sql, upstream.relation) | length // 2 -%}
  {%- set selects = [] -%}
  {%- for occurrence in range(occurrences) -%}
    {%- set one = entrepot.delta_one_of(occurrences, occurrence, entrepot.delta_rows(upstream.changes, sign)) -%}
    {%- set select = entrepot.delta_at(sql, upstreams, versions, {upstream.relation | string: one}) -%}
    {%- do selects.append('select * from (\n' ~ select ~ '\n) as _branch(`' ~ names | join('`, `') ~ '`)' if names else select) -%}
  {%- endfor -%}
  {{ return(selects) }}
{% endmacro %}


{#- A list of `count` times none, with `replacement` at position `occurrence`. -#}
{% macro delta_one_of(count, occurrence, replacement) %}
  {%- set one = [] -%}
  {%- for position in range(count) -%}
    {%- do one.append(replacement if position == occurrence else none) -%}
  {%- endfor -%}
  {{ return(one) }}
{% endmacro %}


{#- SQL, one per occurrence, of the keys of stored rows that stem from deleted rows of an upstream: where the model carries the
    upstream's unique key, the stored rows say so themselves, and nothing needs to be joined at OLD. Empty where it does not. -#}
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
    {%- if key and columns | length == key | length -%}
      {%- do selects.append('select ' ~ entrepot.delta_qualified('_row', settings.unique_key) ~ ' from ' ~ this ~ ' version as of ' ~ entrepot.jobs_pin(this)
        ~ ' as _row left semi join ' ~ entrepot.delta_rows(upstream.changes, '-') ~ ' as _gone on ' ~ entrepot.delta_keys_equal('_row', columns, '_gone', key)) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(selects if selects | length == mentions | length else []) }}
{% endmacro %}
