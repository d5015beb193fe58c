{#- How a change of a mention of an upstream cuts the result, as a dict; none where no column follows it
      columns  columns of the result: the configured ones; else those of the model's key that follow the mention, and per other
               occurrence that they leave whole one more that follows both
      mention  the mention that they follow: the changed one, or one that bridges lead to (see `analyzer_bridges`)
      path     these bridges, in their order -#}
{% macro delta_scope_cut(settings, verdict, mention) %}
  {%- set candidates = delta_scope_candidates(verdict, mention) -%}
  {%- if verdict.scope_key is not none -%}
    {{ return({'columns': verdict.scope_key, 'mention': mention, 'path': []} if candidates | length == verdict.scope_key | length else none) }}
  {%- elif candidates -%}
    {{ return({'columns': delta_scope_columns(settings, verdict, mention, candidates), 'mention': mention, 'path': []}) }}
  {%- endif -%}
  {%- set waiting = [{'mention': mention, 'path': []}] -%}
  {%- set seen = [mention] -%}
  {%- for _ in verdict.mentions if waiting -%}
    {%- set step = waiting.pop(0) -%}
    {%- for bridge in verdict.bridges if bridge[0][0] == step.mention and bridge[0][1] not in seen -%}
      {%- set next = bridge[0][1] -%}
      {%- do seen.append(next) -%}
      {%- set stems = [] -%}
      {%- for column, stem in verdict.stems.items() if stem == next -%}
        {%- do stems.append(column) -%}
      {%- endfor -%}
      {%- if stems -%}
        {{ return({
          'columns': delta_scope_columns(settings, verdict, next, stems), 'mention': next, 'path': step.path + [bridge]
        }) }}
      {%- endif -%}
      {%- do waiting.append({'mention': next, 'path': step.path + [bridge]}) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}


{#- Which of the candidates to cut by. -#}
{% macro delta_scope_columns(settings, verdict, mention, candidates) %}
  {%- set columns = [] -%}
  {%- for column in candidates if column | lower in settings.unique_key | map('lower') -%}
    {%- do columns.append(column) -%}
  {%- endfor -%}
  {%- for other in verdict.occurrences if other.number != mention and not delta_scope_follows(verdict, columns, other.number) -%}
    {%- set found = namespace(column=none) -%}
    {%- for column in candidates if found.column is none and delta_scope_follows(verdict, [column], other.number) -%}
      {%- set found.column = column -%}
    {%- endfor -%}
    {%- if found.column and found.column not in columns -%}
      {%- do columns.append(found.column) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(columns or candidates) }}
{% endmacro %}


{#- The columns of the result that follow a mention. -#}
{% macro delta_scope_candidates(verdict, mention) %}
  {%- set candidates = [] -%}
  {%- for column, trace in verdict.scopes.items() if mention in trace -%}
    {%- do candidates.append(column) -%}
  {%- endfor -%}
  {{ return(candidates) }}
{% endmacro %}


{#- {column of the result: column of the upstream} for those of `columns` that follow every mention of an occurrence in the same
    way; empty where none does, or where its mentions differ. -#}
{% macro delta_scope_follows(verdict, columns, occurrence) %}
  {%- set ways = [] -%}
  {%- for mention in verdict.mentions if mention.split('/')[0] == occurrence -%}
    {%- set way = {} -%}
    {%- for column in columns if mention in verdict.scopes.get(column, {}) -%}
      {%- do way.update({column: verdict.scopes[column][mention]}) -%}
    {%- endfor -%}
    {%- if way not in ways -%}
      {%- do ways.append(way) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(ways[0] if ways | length == 1 else {}) }}
{% endmacro %}


{#- The upstream that a mention names. -#}
{% macro delta_scope_upstream(verdict, mention) %}
  {{ return((verdict.occurrences | selectattr('number', 'equalto', mention.split('/')[0]) | first).upstream) }}
{% endmacro %}


{#- The mentions of a relation in the plan: its occurrences, or one per use of the CTE that an occurrence stands in. -#}
{% macro delta_scope_mentions_of(verdict, relation) %}
  {%- set numbers = verdict.occurrences | selectattr('relation', 'equalto', relation | string) | map(attribute='number') | list -%}
  {%- set mentions = [] -%}
  {%- for mention in verdict.mentions if mention.split('/')[0] in numbers -%}
    {%- do mentions.append(mention) -%}
  {%- endfor -%}
  {{ return(mentions) }}
{% endmacro %}
