{#- What a seed's table depends on, as three checksums
      contents  of the file
      layout    of the configuration that shapes the table
      docs      of the descriptions, where `persist_docs` wants them stored -#}
{% macro overrides_seed_hash() %}
  {%- set layout = [1, overrides_table_properties(config)] -%}
  {%- for key in [
    'column_types', 'delimiter', 'quote_columns', 'file_format', 'partition_by', 'clustered_by', 'buckets', 'location_root',
    'options',
  ] -%}
    {%- do layout.append(config.get(key)) -%}
  {%- endfor -%}
  {%- set docs = [config.get('persist_docs'), model.description] -%}
  {%- for column in model.columns.values() -%}
    {%- do docs.append([column.name, column.description]) -%}
  {%- endfor -%}
  {{ return({
    'contents': overrides_seed_checksum(),
    'layout': local_md5(tojson(layout, sort_keys=true)),
    'docs': local_md5(tojson(docs)) if config.persist_relation_docs() or config.persist_column_docs() else 'none',
  }) }}
{% endmacro %}


{#- The checksums as one text, to be noted down in the commit. -#}
{% macro overrides_seed_hash_text(hash) %}
  {{ return([hash.contents, hash.layout, hash.docs] | join('.')) }}
{% endmacro %}


{#- The checksum of the file: dbt's own, or Spark's, because dbt only notes the path of a file above 1 MB. -#}
{% macro overrides_seed_checksum() %}
  {%- if model.checksum.name != 'path' -%}
    {{ return(model.checksum.checksum) }}
  {%- elif not overrides_seed_in_sight(model.original_file_path) -%}
    {%- set rows = [] -%}
    {%- for row in load_agate_table().rows -%}
      {%- do rows.append(row | join('\x1f')) -%}
    {%- endfor -%}
    {{ return(local_md5(rows | join('\x1e'))) }}
  {%- endif -%}
  {%- set project = invocation_args_dict.get('project_dir') or '' -%}
  {%- set root = project if project.startswith('/') and model.package_name == project_name else model.root_path -%}
  {{ return((jobs_query(
    "select sha2(content, 256) as checksum from binaryFile.`" ~ overrides_seed_uri(root ~ '/' ~ model.original_file_path) ~ "`"
  ) | first).checksum) }}
{% endmacro %}


{#- The checksums that the last write of this seed noted down (see `overrides_seed_hash`); none each where it is not known. -#}
{% macro overrides_seed_stored(existing) %}
  {%- set stored = [none, none, none] -%}
  {%- if existing and existing.is_delta and not should_full_refresh() -%}
    {%- set contents = adapter.jobs_contents(this) -%}
    {%- if contents.reads is not none and contents.sql_hash -%}
      {%- set stored = (contents.sql_hash.split('.') + stored)[:3] -%}
    {%- endif -%}
  {%- endif -%}
  {{ return({'contents': stored[0], 'layout': stored[1], 'docs': stored[2]}) }}
{% endmacro %}
