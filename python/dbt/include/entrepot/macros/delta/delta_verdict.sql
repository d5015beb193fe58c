{#- Which rule keeps a model up, and what the rule needs to know, as a dict
      rule         join, aggregate, scope or full: the configured one, else the cheapest that is right
      reason       why, in words
      occurrences  every naming of an upstream in the SQL: `number`, `relation` and the `upstream`
      mentions     their numbers, followed by `/…` in a CTE (see `analyzer_verdict`)
      scopes, stems, bridges  how columns of the result follow mentions (see `analyzer_verdict`)
      aggregate    what rule `aggregate` needs to know (see `analyzer_aggregate_rule`)
      columns, types  the names and types of the result's columns, in their order, where the plan was needed
      scope_key    the columns to cut by; none where each change takes those that suit it
    Raises where the SELECT has no one right result, where the configured rule is wrong for it, and where `strict` is set and
    rows of an upstream can only be followed by computing everything again. Worked out once per SQL text, and stored. -#}
{% macro delta_verdict(settings, upstreams, body) %}
  {%- set analyzed = delta_verdict_hash(upstreams, body) -%}
  {%- set verdict = delta_verdict_rule(settings, upstreams, body, analyzed) -%}
  {%- if settings.strict -%}
    {%- do delta_verdict_strict(settings, verdict) -%}
  {%- endif -%}
  {%- do delta_verdict_note(body, analyzed, verdict) -%}
  {{ return(verdict) }}
{% endmacro %}


{#- The verdict itself: from the configuration where it says all, else from Spark's analyzed plan. -#}
{% macro delta_verdict_rule(settings, upstreams, body, analyzed) %}
  {%- set occurrences = delta_verdict_occurrences(upstreams, body) -%}
  {%- if settings.rule == 'full' -%}
    {{ return({'rule': 'full', 'reason': 'delta_rule is full', 'occurrences': occurrences, 'mentions': [], 'scopes': {}, 'stems': {}, 'bridges': [], 'scope_key': none}) }}
  {%- elif settings.scope and settings.rule not in ['join', 'aggregate'] -%}
    {{ return(delta_verdict_configured(settings, occurrences)) }}
  {%- endif -%}
  {%- set found = delta_verdict_analyze(upstreams, occurrences, body, analyzed) -%}
  {%- set in_text = delta_join_obstacle(adapter.sql_union_branches(body), occurrences, found) -%}
  {%- set obstacle = 'uses ' ~ found.join if found.join else in_text -%}
  {%- set verdict = {'occurrences': occurrences, 'mentions': found.mentions, 'scopes': found.scopes, 'stems': found.stems, 'bridges': found.bridges, 'scope_key': none, 'columns': found.columns, 'types': found.types, 'aggregate': found.aggregate} -%}
  {%- do delta_verdict_refuse(settings, found, in_text) -%}
  {%- if settings.rule in [none, 'join'] and not obstacle -%}
    {{ return(dict(verdict, rule='join', reason='select, where, inner join, union all')) }}
  {%- elif settings.rule != 'scope' and found.aggregate and not in_text -%}
    {{ return(dict(verdict, rule='aggregate', reason='group by with count, sum, min, max, avg')) }}
  {%- elif found.scopes -%}
    {{ return(dict(verdict, rule='scope', reason=obstacle or 'delta_rule is scope')) }}
  {%- endif -%}
  {{ return(dict(verdict, rule='full', reason=obstacle ~ ', and '
    ~ (found.unknown ~ ' cannot be followed' if found.unknown else 'no column of the result is one of an upstream'))) }}
{% endmacro %}


{#- Raises where the SELECT has no one right result, or the configured rule is wrong for it. `found` is what the analyzer found, `in_text` what is
    in the way of taking the SQL apart. -#}
{% macro delta_verdict_refuse(settings, found, in_text) %}
  {%- if found.refused and not settings.rule -%}
    {%- do delta_error('uses ' ~ found.refused, 'a model is a SELECT with one right result',
      "a column or var in its place; or config(delta_rule='full'), which takes what each run gives") -%}
  {%- elif found.untold and not settings.rule and not settings.total_order -%}
    {%- do delta_error('uses ' ~ found.untold, 'the order has to tell all rows apart',
      'order by … and last a unique key (unique_key of the model that is read, meta of a source); or config(total_order=true) where you know that it does') -%}
  {%- elif found.join and settings.rule == 'join' -%}
    {%- do delta_error("has delta_rule 'join' and uses " ~ found.join, 'the rule is right for select, where, inner join and union all',
      "config() without delta_rule, which takes the rule that fits") -%}
  {%- elif settings.rule == 'aggregate' and (in_text or not found.aggregate) -%}
    {%- do delta_error("has delta_rule 'aggregate'" ~ (' and ' ~ in_text if in_text else ''), 'the rule is right for one group by over select, where and inner join, with count, '
      ~ 'sum of integers and decimals, min, max, and avg beside sum and count of the same', "config() without delta_rule, which takes the rule that fits") -%}
  {%- elif settings.rule == 'scope' and not found.scopes -%}
    {%- do delta_error("has delta_rule 'scope' without scope", 'no column of the result could be followed to a column of an upstream'
      ~ (' (' ~ found.unknown ~ ')' if found.unknown else ''), "config(scope={'order_line': ['item_code']}, scope_key='item_code')") -%}
  {%- endif -%}
{% endmacro %}


{#- The verdict where `scope` is configured: its upstreams are cut by the columns it names, the others not at all. -#}
{% macro delta_verdict_configured(settings, occurrences) %}
  {%- set names = occurrences | map(attribute='upstream.name') | unique | list -%}
  {%- for name in settings.scope if name not in names -%}
    {%- do delta_error('has scope ' ~ name, 'tables that the model reads are accepted: ' ~ names | join(', '),
      "config(scope={'" ~ (names | first | default('orders')) ~ "': […]})") -%}
  {%- endfor -%}
  {%- set scopes = {} -%}
  {%- for key in settings.scope_key -%}
    {%- set position = loop.index0 -%}
    {%- do scopes.update({key: {}}) -%}
    {%- for occurrence in occurrences if occurrence.upstream.name in settings.scope -%}
      {%- do scopes[key].update({occurrence.number: settings.scope[occurrence.upstream.name][position]}) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return({
    'rule': 'scope', 'reason': 'scope is configured', 'occurrences': occurrences, 'mentions': occurrences | map(attribute='number') | list,
    'scopes': scopes, 'stems': {}, 'bridges': [], 'scope_key': settings.scope_key,
  }) }}
{% endmacro %}


{#- Every naming of an upstream in the SQL, numbered by upstream and then by place. -#}
{% macro delta_verdict_occurrences(upstreams, body) %}
  {%- set occurrences = [] -%}
  {%- for upstream in upstreams -%}
    {%- for _ in range(adapter.sql_mention_count(body, upstream.relation)) -%}
      {%- do occurrences.append({'number': occurrences | length | string, 'relation': upstream.relation | string, 'upstream': upstream}) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(occurrences) }}
{% endmacro %}


{#- Raises where a change of an upstream could only be followed by computing everything again. -#}
{% macro delta_verdict_strict(settings, verdict) %}
  {%- set example = "a column of the upstream in the result; config(scope={…}); or config(strict=false)" -%}
  {%- if verdict.rule == 'full' -%}
    {%- do delta_error('is strict and would be computed in full (' ~ verdict.reason ~ ')', 'strict models are kept up by rule join, aggregate or scope', example) -%}
  {%- endif -%}
  {%- for mention in verdict.mentions if verdict.rule == 'scope' and delta_scope_cut(settings, verdict, mention) is none -%}
    {%- do delta_error('is strict and would be computed in full when ' ~ delta_scope_upstream(verdict, mention).name ~ ' changes', 'strict models have a column that follows every upstream', example) -%}
  {%- endfor -%}
{% endmacro %}
