{#- How the images of a block are parsed, a dict:
      elements   {attribute of the entity: the element, with the `settings` that its values travel by}
      structs    what images and documents are parsed into, in order: {struct: {'schema', 'names', 'marked', 'misfits', 'typed'}}; `names` is the type with fields
                 under the names of the entity's attributes, none where they have them in the source; `misfits` says whether there is a field for what cannot be parsed; `typed` are the columns that not
                 every value fits, {parsed field: column}
      misfit     that field: a name that no attribute has
      places     {attribute of the source: {'struct', 'field', 'element'}}
      documents  columns with JSON in a text: [{'column', 'struct', 'field', 'structs'}]
      paths      whether an attribute is inside of a column -#}
{% macro mapping_parsing(block, attributes) %}
  {%- set settings = entrepot.mapping_settings(block.schema) -%}
  {%- set elements, leaves, sources = {}, [], {} -%}
  {%- for element in block.elements -%}
    {%- set parents = element.get('parents', []) -%}
    {%- set of_json = adapter.mapping_within(element.attribute, parents) == 'json' -%}
    {%- do elements.update({element.entity_attribute: dict(element, parents=parents, settings=entrepot.mapping_settings_of_json() if of_json else settings)}) -%}
  {%- endfor -%}
  {%- for attribute in attributes -%}
    {%- set element = elements.get(attribute.name) -%}
    {%- if element -%}
      {%- set how = (element.data_type, element.settings.in_json) -%}
      {%- if how not in sources -%}
        {%- do sources.update({how: entrepot.mapping_source_value(element.data_type, 'field', element.settings)}) -%}
      {%- endif -%}
      {%- do leaves.append({
        'attribute': element.attribute, 'json': sources[how].json, 'marked': sources[how].marked,
        'name': adapter.mapping_field_name(attribute.name, loop.index0), 'parents': element.parents,
      }) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(dict(adapter.mapping_parsing(leaves, block.elements | map(attribute='attribute') | list), elements=elements)) }}
{% endmacro %}


{#- How values travel in a column that holds JSON in a text: Debezium sends the text and knows nothing of them. Numbers are numbers, and times are ISO 8601. -#}
{% macro mapping_settings_of_json() %}
  {{ return({'decimal.handling.mode': 'string', 'time.precision.mode': 'isostring', 'in_json': true}) }}
{% endmacro %}


{#- The images of a block parsed, {column: SQL}: `<struct>_after` and `<struct>_before` of each struct that is no document's, from `mapping_image_texts`; and
    `typed_columns`, a map of the block's columns that not every value fits, see `mapping_parsing`. -#}
{% macro mapping_parsed_images(parsing) %}
  {%- set columns = {} -%}
  {%- for struct in entrepot.mapping_structs_of_images(parsing) -%}
    {%- for image in ['after', 'before'] -%}
      {%- do columns.update({struct ~ '_' ~ image: entrepot.mapping_from_json(parsing, struct, struct ~ '_text_' ~ image)}) -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- do columns.update({'typed_columns': 'from_json(' ~ adapter.sql_literal(tojson(parsing.structs.image.typed)) ~ ", 'map<string, string>')"}) -%}
  {{ return(columns) }}
{% endmacro %}


{#- SQL of a list of columns: the texts that images are parsed from, whichever block they are of: `<struct>_text_after` and `<struct>_text_before`. -#}
{% macro mapping_image_texts(parsing) %}
  {%- set columns = [] -%}
  {%- for struct in entrepot.mapping_structs_of_images(parsing) -%}
    {%- for image in ['after', 'before'] -%}
      {%- do columns.append(entrepot.landing_numbers_as_text(image, parsing.structs[struct].marked, 'has_fractions') ~ ' as ' ~ struct ~ '_text_' ~ image) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(columns) }}
{% endmacro %}


{#- The structs that images are parsed into, and no document is. -#}
{% macro mapping_structs_of_images(parsing) %}
  {{ return(parsing.structs | reject('in', parsing.documents | map(attribute='structs') | sum(start=[])) | list) }}
{% endmacro %}


{#- The documents of both images parsed, {column: SQL}: `<struct>_after` and `<struct>_before` of each struct that is a document's. -#}
{% macro mapping_parsed_documents(parsing) %}
  {%- set columns = {} -%}
  {%- for document in parsing.documents -%}
    {%- for image in ['after', 'before'] -%}
      {%- set text = entrepot.mapping_document_text(parsing, document, image) -%}
      {%- for struct in document.structs -%}
        {%- set json = entrepot.landing_numbers_as_text("concat('{\"document\":', " ~ text ~ ", '}')", parsing.structs[struct].marked) -%}
        {%- do columns.update({struct ~ '_' ~ image: entrepot.mapping_from_json(parsing, struct, json)}) -%}
      {%- endfor -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(columns) }}
{% endmacro %}


{#- SQL: the text of a document; null where it is empty, or Debezium's placeholder. -#}
{% macro mapping_document_text(parsing, document, image) -%}
{%- set field = document.struct ~ '_' ~ image ~ '.' ~ document.field -%}
if(trim({{ field }}) in ('', '__debezium_unavailable_value'), null, {{ entrepot.landing_unmarked(field) if parsing.structs[document.struct].marked else field }})
{%- endmacro %}


{#- SQL: JSON as one of the structs of a block. -#}
{% macro mapping_from_json(parsing, struct, json) -%}
{%- set how = parsing.structs[struct] -%}
{%- set options = ", map('columnNameOfCorruptRecord', " ~ adapter.sql_literal(parsing.misfit) ~ ')' if how.misfits else '' -%}
{%- set parsed = 'from_json(' ~ json ~ ', ' ~ adapter.sql_literal(how.schema) ~ options ~ ')' -%}
{{ 'cast(' ~ parsed ~ '\n          as ' ~ how.names ~ ')' if how.names else parsed }}
{%- endmacro %}


{#- A list of SQL: a sentence for each image or document that cannot be parsed; null where all is well. -#}
{% macro mapping_misfits(parsing) %}
  {%- set checks, of_images = [], [] -%}
  {%- set of_documents = parsing.documents | map(attribute='structs') | sum(start=[]) -%}
  {%- for struct, how in parsing.structs.items() if how.misfits and struct not in of_documents -%}
    {%- do of_images.append(struct ~ '_after._misfit is not null or ' ~ struct ~ '_before._misfit is not null') -%}
  {%- endfor -%}
  {%- do checks.append('if(' ~ of_images | join(' or ') ~ ', ' ~ entrepot.mapping_unfit() ~ ', null)') -%}
  {%- do checks.append("if(half_a_character, 'an image holds half a character (a lone surrogate)', null)") -%}
  {%- for document in parsing.documents -%}
    {%- set wrong, half = [], [] -%}
    {%- for image in ['after', 'before'] -%}
      {%- for struct in document.structs -%}{%- do wrong.append(struct ~ '_' ~ image ~ '._misfit is not null') -%}{%- endfor -%}
      {%- do half.append('coalesce(' ~ entrepot.landing_half_character(document.struct ~ '_' ~ image ~ '.' ~ document.field) ~ ', false)') -%}
    {%- endfor -%}
    {%- do checks.append('if(' ~ wrong | join(' or ') ~ ', ' ~ adapter.sql_literal(document.column ~ ' does not fit the types of what is in it') ~ ', null)') -%}
    {%- do checks.append('if(' ~ half | join(' or ') ~ ', ' ~ adapter.sql_literal(document.column ~ ' holds half a character (a lone surrogate)') ~ ', null)') -%}
  {%- endfor -%}
  {{ return(checks) }}
{% endmacro %}


{#- SQL of the sentence on images that do not fit, with the columns whose values are there and could not be read. -#}
{% macro mapping_unfit() -%}
{%- set lost = [] -%}
{%- for image in ['after', 'before'] -%}
  {%- do lost.append(
    'not array_contains(json_object_keys(to_json(image_' ~ image ~ ')), field) and get_json_object(json_' ~ image ~ ", concat('$[\\'', name, '\\']')) is not null"
  ) -%}
{%- endfor -%}
concat_ws(': ', 'an image does not fit the types of its schema version', nullif(array_join(map_values(map_filter(
      typed_columns, (field, name) -> coalesce({{ lost | join(' or ') }}, false)
    )), ', '), ''))
{%- endmacro %}
