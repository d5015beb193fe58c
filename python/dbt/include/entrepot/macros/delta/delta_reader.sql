{#- How the net changes of an upstream between two versions are read: the cheapest way that is right. A dict
      reader        feed (the change feed), difference (of the two versions), none where OLD cannot be compared with NEW
      why           in that last case, in words
      rows          how many rows the commits in between say that they have changed, an update counting as two: never fewer than there are
                    net changes; none where they do not say it
      appends       whether all that they did was to append rows
      committed_at  when the older version was committed; none where that is not known
    Asked once per job and range (`adapter.facts_reader`). -#}
{% macro delta_reader(upstream, from_version, to_version) %}
  {%- set readers = jobs_state()['readers'] -%}
  {%- set key = [upstream.relation, from_version, to_version] | join('@') -%}
  {%- if key not in readers -%}
    {%- set newest = [jobs_contents(upstream.relation).version, to_version] | max -%}
    {%- do readers.update({key: adapter.facts_reader(
      upstream.relation | string, upstream.name, [from_version, to_version], newest, delta_own_write(upstream, from_version)
    )}) -%}
  {%- endif -%}
  {{ return(readers[key]) }}
{% endmacro %}


{#- What this job has written into an upstream, as `adapter.facts_reader` wants it; none where it has not. -#}
{% macro delta_own_write(upstream, from_version) %}
  {%- set contents = jobs_contents(upstream.relation) -%}
  {%- set written = contents.get('written', {}) -%}
  {%- if contents.get('before') is none -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return({
    'before': contents.before, 'is_new': contents.get('is_new') or false, 'overwrites': written.get('overwrites') or false,
    'rows': written.get('rows'), 'appends': written.get('appends') or false,
    'has_feed': upstream.feed, 'committed_at': jobs_committed_at(upstream.relation, from_version),
  }) }}
{% endmacro %}
