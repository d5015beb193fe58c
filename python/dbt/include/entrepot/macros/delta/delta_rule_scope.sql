{#- Rule `scope`, for whatever falls apart by columns (windows, outer joins, distinct, aggregates, history). Every mention
    of a changed upstream cuts the result by columns that follow it: the scopes of its changed rows are recomputed over the upstreams
    restricted to them, and replaced as a whole. A row in none of these scopes needs no changed row, so it stays. -#}
{% macro delta_rule_scope(settings, upstreams, changed, body, verdict) %}
  {%- set cuts = {} -%}
  {%- set rows_read = delta_changed_rows(changed) -%}
  {%- for upstream in changed -%}
    {%- if settings.get('scope_always') and jobs_query('select 1 from ' ~ upstream.changes.view ~ ' where ' ~ settings.scope_always ~ ' limit 1') -%}
      {{ return(delta_rule_full(settings, upstreams, body, upstream.name ~ ' has changes that concern every scope')) }}
    {%- endif -%}
    {%- for mention in adapter.analysis_mentions_of(verdict, upstream.relation) -%}
      {%- set cut = adapter.analysis_cut(verdict, mention) -%}
      {%- if cut is none -%}
        {{ return(delta_rule_full(settings, upstreams, body, upstream.name ~ ' changed, which no column of the result follows')) }}
      {%- endif -%}
      {%- do cuts.setdefault(cut.columns | join(', '), {'columns': cut.columns, 'affected': []}).affected.append(
        delta_scope_affected(verdict, cut, upstream.changes.view)
      ) -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- if not cuts -%}
    {{ return({'rule': 'skip', 'reason': 'what changed is named, but not used', 'rows_read': rows_read}) }}
  {%- endif -%}
  {%- set upsert = [] -%}
  {%- set gone = [] -%}
  {%- for cut in cuts.values() -%}
    {%- set affected = '(select distinct * from (' ~ cut.affected | unique | join(' union all ') ~ '))' -%}
    {%- set within = ' as _row left semi join ' ~ affected ~ ' as _scope on ' ~ adapter.sql_keys_equal('_row', cut.columns, '_scope', cut.columns) -%}
    {%- set restricted = delta_scope_restricted(settings, upstreams, verdict, cut.columns, affected) -%}
    {%- do upsert.append('select _row.* from (\n' ~ delta_at(body, upstreams, {}, restricted) ~ '\n)' ~ within) -%}
    {%- do gone.append('select ' ~ settings.unique_key | join(', ') ~ ' from ' ~ this ~ ' version as of ' ~ jobs_pin(this) ~ within) -%}
  {%- endfor -%}
  {{ return({
    'rule': 'scope',
    'reason': 'changed: ' ~ changed | map(attribute='name') | join(', '),
    'upsert': upsert | join('\nunion\n'),
    'gone': gone | join('\nunion all\n'),
    'rows_read': rows_read,
  }) }}
{% endmacro %}


{#- SQL of the scopes that the changed rows of a mention belong to, by columns of the result; where the cut leads over other
    mentions, those of the rows there that belong to the changed ones. -#}
{% macro delta_scope_affected(verdict, cut, changes) %}
  {%- set rows = namespace(sql=changes) -%}
  {%- for ends, columns in cut.path -%}
    {%- set relation = delta_verdict_upstream(verdict, ends[1]).relation -%}
    {%- set rows.sql = '(select _row.* from ' ~ delta_at_version(relation, jobs_pin(relation)) ~ ' as _row left semi join '
      ~ rows.sql ~ ' as _from on ' ~ adapter.sql_keys_equal('_row', columns.values() | list, '_from', columns.keys() | list) ~ ')' -%}
  {%- endfor -%}
  {%- set theirs = [] -%}
  {%- for column in cut.columns -%}
    {%- do theirs.append(verdict.scopes[column][cut.mention]) -%}
  {%- endfor -%}
  {{ return('select ' ~ adapter.sql_columns_as(theirs, cut.columns) ~ ' from ' ~ rows.sql) }}
{% endmacro %}


{#- What stands for the upstreams: {relation: [per occurrence the rows that the affected scopes need, none for all of them]}.
    A relation that is named more than once is restricted into memory. -#}
{% macro delta_scope_restricted(settings, upstreams, verdict, columns, affected) %}
  {%- set restricted = {} -%}
  {%- for upstream in upstreams -%}
    {%- set views = {} -%}
    {%- set list = [] -%}
    {%- set occurrences = verdict.occurrences | selectattr('relation', 'equalto', upstream.relation | string) | list -%}
    {%- for occurrence in occurrences -%}
      {%- set theirs = adapter.analysis_follows(verdict, columns, occurrence.number) -%}
      {%- if theirs -%}
        {%- set rows = delta_restricted(
          delta_at_version(upstream.relation, jobs_pin(upstream.relation)), theirs.values() | list, affected, theirs.keys() | list, settings.get('scope_always')
        ) -%}
        {%- if occurrences | length > 1 and rows not in views -%}
          {%- do views.update({rows: jobs_temporary_name('scope', this, [jobs_state()['temporary'] | length])}) -%}
          {%- do jobs_temporary(views[rows], rows) -%}
        {%- endif -%}
        {%- do list.append(views.get(rows, rows)) -%}
      {%- else -%}
        {%- do list.append(none) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- do restricted.update({upstream.relation | string: list}) -%}
  {%- endfor -%}
  {{ return(restricted) }}
{% endmacro %}


{#- A relation's rows whose `columns` are among the affected scopes, and those that concern every scope. -#}
{% macro delta_restricted(rows, columns, affected, scope_key, always) %}
  {%- set on_scope = adapter.sql_keys_equal('_row', columns, '_scope', scope_key) -%}
  {%- if always -%}
    {{ return('(select _row.* from ' ~ rows ~ ' as _row left join (select *, true as _affected from ' ~ affected ~ ') as _scope on '
      ~ on_scope ~ ' where _scope._affected or ' ~ always ~ ')') }}
  {%- endif -%}
  {{ return('(select _row.* from ' ~ rows ~ ' as _row left semi join ' ~ affected ~ ' as _scope on ' ~ on_scope ~ ')') }}
{% endmacro %}
