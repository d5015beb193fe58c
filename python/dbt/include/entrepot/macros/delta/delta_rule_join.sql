{#- Rule `join` (OD-ETL 3.5.1), for select, where, inner join and, outermost, union all. Per branch of the union and
    occurrence R_j of a changed upstream, where the model's table is small:
      upsert  ∪_j branch[R_j := Δ⁺_j, others NEW]
      gone    keys of ∪_j branch[R_j := Δ⁻_j, others OLD]; of the stored rows that carry the key of a row of Δ⁻_j, where they do
    Reading the others NEW for insertions and OLD for deletions is what keeps the anomaly of Fig. 3.5 out; the merge compares with the stored
    rows. Where the table is large, the model's own net changes are worked out instead, and no stored row is looked for:
      net     Σ_j branch[R_<j NEW, Δ⁺_j, R_>j OLD] − branch[R_<j NEW, Δ⁻_j, R_>j OLD]
    and where nothing has gone from the upstreams either, its first half is `upsert`: no row comes twice. -#}
{% macro delta_rule_join(settings, upstreams, changed, body, verdict) %}
  {%- set plan = {
    'rule': 'join', 'reason': 'changed: ' ~ changed | map(attribute='name') | join(', '), 'rows_read': delta_changed_rows(changed),
  } -%}
  {%- set branches = adapter.sql_union_branches(body) -%}
  {%- if not delta_is_large() -%}
    {{ return(dict(plan, **delta_join_by_key(settings, upstreams, changed, branches, verdict))) }}
  {%- endif -%}
  {%- for upstream in changed if branches | length == 1 -%}
    {%- do upstream.update({'bounds': delta_join_bounds(verdict, upstream)}) -%}
  {%- endfor -%}
  {%- set loses = changed | selectattr('changes.minus') | list -%}
  {%- if changed | length > (1 if loses else 2) -%}
    {%- do delta_keep_small_inputs(upstreams, changed, true) -%}
  {%- endif -%}
  {%- if not loses -%}
    {%- set come = delta_join_terms(upstreams, changed, branches, verdict, '+', 'telescoped') | map(attribute='sql') | list -%}
    {{ return(dict(plan, upsert='select * from (\n' ~ come | join('\n) union all select * from (\n') ~ '\n)', gone=none)) }}
  {%- endif -%}
  {%- set signed = [] -%}
  {%- for sign in ['+', '-'] -%}
    {%- for term in delta_join_terms(upstreams, changed, branches, verdict, sign, 'telescoped') -%}
      {%- do signed.append('select *, ' ~ sign ~ '1 as _sign from (\n' ~ term.sql ~ '\n)') -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(dict(plan, upsert=none, gone=none, net=adapter.net_rows_sql(signed | join('\nunion all\n')))) }}
{% endmacro %}


{#- `upsert` and `gone` of rule `join` for a small table. -#}
{% macro delta_join_by_key(settings, upstreams, changed, branches, verdict) %}
  {%- set gone = [] -%}
  {%- set joined = [] -%}
  {%- for upstream in changed if upstream.changes.minus -%}
    {%- set selects = delta_gone_by_key(settings, verdict, upstream) -%}
    {%- do gone.extend(selects) -%}
    {%- if not selects -%}
      {%- do joined.append(upstream.relation | string) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if changed | length > 2 -%}
    {%- do delta_keep_small_inputs(upstreams, changed, joined) -%}
  {%- endif -%}
  {%- set upsert = delta_join_terms(upstreams, changed, branches, verdict, '+', 'new') | map(attribute='sql') | list -%}
  {%- for term in delta_join_terms(upstreams, changed, branches, verdict, '-', 'old') if term.relation in joined -%}
    {%- do gone.append(term.sql) -%}
  {%- endfor -%}
  {%- set keys = settings.unique_key | join(', ') -%}
  {{ return({
    'upsert': 'select * from (\n' ~ upsert | join('\n) union select * from (\n') ~ '\n)' if upsert else none,
    'gone': 'select ' ~ keys ~ ' from (\n' ~ gone | join('\n) union select ' ~ keys ~ ' from (\n') ~ '\n)' if gone else none,
  }) }}
{% endmacro %}


{#- The terms of all branches (see `delta_terms`), with the columns that the union gives them. -#}
{% macro delta_join_terms(upstreams, changed, branches, verdict, sign, others) %}
  {%- set columns = zip(verdict.columns, verdict.types) | list if branches | length > 1 else [] -%}
  {%- set terms = [] -%}
  {%- for branch in branches -%}
    {%- for term in delta_terms(branch, upstreams, changed, sign, others) -%}
      {%- do terms.append(dict(term, sql=adapter.sql_as_branch(term.sql, columns))) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(terms) }}
{% endmacro %}


{#- Where an upstream's changed rows leave only a range of another occurrence to be joined, {occurrence of the upstream: {other occurrence:
    [conditions]}}; asked for where tables are large (see `delta_bounds`). -#}
{% macro delta_join_bounds(verdict, upstream) %}
  {%- set bridges = [] -%}
  {%- set columns = [] -%}
  {%- for bridge in verdict.bridges if delta_verdict_upstream(verdict, bridge[0][0]).relation | string == upstream.relation | string -%}
    {%- do bridges.append(bridge) -%}
    {%- do columns.extend(bridge[1].keys()) -%}
  {%- endfor -%}
  {%- if not bridges -%}
    {{ return({}) }}
  {%- endif -%}
  {%- set within = delta_bounds(upstream.changes.view, columns | unique | list) -%}
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
  {%- set mentions = adapter.analysis_mentions_of(verdict, upstream.relation) -%}
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
      {%- do selects.append('select ' ~ adapter.sql_columns_as(key, columns) ~ ' from ' ~ delta_rows(upstream.changes, '-')) -%}
    {%- elif key and columns | length == key | length -%}
      {%- do selects.append('select ' ~ adapter.sql_qualified('_row', settings.unique_key) ~ ' from ' ~ this ~ ' version as of ' ~ jobs_pin(this)
        ~ ' as _row left semi join ' ~ delta_rows(upstream.changes, '-') ~ ' as _gone on ' ~ adapter.sql_keys_equal('_row', columns, '_gone', key)) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(selects if selects | length == mentions | length else []) }}
{% endmacro %}
