{#- The parts of a block's projection, as SQL, one for each attribute of the entity:
      texts      what images are parsed from, see `mapping_image_texts`
      images     {column: how an image is parsed}, see `mapping_parsed_images`
      documents  {column: how a text of an image is parsed}, see `mapping_parsed_documents`
      paths      whether an attribute is inside of a column
      fields     arrays with the parsed fields of attributes that are mapped alike (`mapping_alike`)
      source     values of the source that have to be read from their fields (a decimal from its Base64), `source_after_<attribute>` …
      values     {image: the attributes in the entity's types}, `after_<attribute>` and `before_<attribute>`; of a delete only the key, the rest of it is not real.
                 Each is a column, not a part of an expression: Spark would write a struct's whole expression in place of each mention of a field
      told       arrays with what is said of attributes that are mapped alike: whether they are present, and what did not fit
      after      the attributes of the after image, named as the entity's
      before     those of the before image
      carried    the names of the attributes that the block has
      present    the same, null where the after image does not carry a value
      carried_alike, present_alike  arrays of those of attributes that are mapped alike
      checks     what did not fit, as text; null where all is well. Of attributes that are mapped alike, an array of that -#}
{% macro mapping_block_columns(block, attributes) %}
  {%- set parsing = entrepot.mapping_parsing(block, attributes) -%}
  {%- set columns = {
    'texts': entrepot.mapping_image_texts(parsing), 'images': entrepot.mapping_parsed_images(parsing),
    'documents': entrepot.mapping_parsed_documents(parsing), 'paths': parsing.paths, 'fields': [], 'source': [],
    'values': {'after': [], 'before': []}, 'told': [], 'after': [], 'before': [], 'carried': [], 'present': [],
    'carried_alike': [], 'present_alike': [], 'checks': entrepot.mapping_misfits(parsing),
  } -%}
  {%- set attributes = adapter.mapping_columns(attributes) -%}
  {%- set alike = entrepot.mapping_alike(attributes, parsing, columns) -%}
  {%- for attribute in attributes -%}
    {%- if attribute.inside -%}
      {%- do entrepot.mapping_repeated_column(attribute, parsing, columns) -%}
    {%- elif attribute.name in alike -%}
      {%- do entrepot.mapping_alike_column(attribute, alike[attribute.name], columns) -%}
    {%- else -%}
      {%- do entrepot.mapping_plain_column(attribute, parsing, columns) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(columns) }}
{% endmacro %}


{#- Adds the parts of a projection for one attribute to `columns`, see `mapping_block_columns`. -#}
{% macro mapping_plain_column(attribute, parsing, columns) %}
  {%- set type = entrepot.mapping_spark_type(attribute.data_type) -%}
  {%- set element = parsing.elements.get(attribute.name) -%}
  {%- set sources = {} -%}
  {%- for image in ['after', 'before'] -%}
    {%- set mapped = adapter.sql_name(image ~ '_' ~ attribute.name) -%}
    {%- set value = 'cast(null as ' ~ type ~ ')' -%}
    {%- if element -%}
      {%- set place = parsing.places[element.attribute] -%}
      {%- set source = entrepot.mapping_source_column(
        element.data_type, place.struct ~ '_' ~ image ~ '.' ~ place.field, element.settings, 'json_' ~ image, columns.source, 'source_' ~ image ~ '_' ~ attribute.name
      ) -%}
      {%- do sources.update({image: source}) -%}
      {%- set value = entrepot.mapping_unless_placeholder(source, entrepot.mapping_cast(source, type)) -%}
    {%- endif -%}
    {%- set is_unreal = element and image == 'before' and not attribute.is_key -%}
    {%- do columns['values'][image].append(("if(op = 'd', null, " ~ value ~ ')' if is_unreal else value) ~ ' as ' ~ mapped) -%}
    {%- do columns[image].append(mapped ~ ' as ' ~ adapter.sql_name(attribute.name)) -%}
  {%- endfor -%}
  {%- if element -%}
    {%- do columns.carried.append(adapter.sql_literal(attribute.name)) -%}
    {%- do columns.present.append(entrepot.mapping_if_carried(element, sources.after, attribute.name)) -%}
    {%- set mapped = {'after': adapter.sql_name('after_' ~ attribute.name), 'before': adapter.sql_name('before_' ~ attribute.name)} -%}
    {%- set checks = entrepot.mapping_checks(sources, mapped, type, attribute.is_key) -%}
    {%- if checks -%}
      {%- do columns.checks.append(entrepot.mapping_first_said(checks, attribute.name)) -%}
    {%- endif -%}
  {%- endif -%}
{% endmacro %}


{#- How the value of a source attribute travels and what it is (`mapping_source_value`), `field` being such as image_after.`total`. What has
    to be read from its field, and is named more than once, becomes a column of this name: it is appended to `columns`, and `value` names it. -#}
{% macro mapping_source_column(data_type, field, settings, image, columns, name) %}
  {%- set source = entrepot.mapping_source_value(data_type, field, settings, image) -%}
  {%- if entrepot.mapping_is_read(source) -%}
    {%- do columns.append(source.value ~ ' as ' ~ adapter.sql_name(name)) -%}
    {%- do source.update({'value': adapter.sql_name(name)}) -%}
  {%- endif -%}
  {{ return(source) }}
{% endmacro %}


{#- Whether a source's value has to be read from its field, and is named more than once. -#}
{% macro mapping_is_read(source) %}
  {{ return(source.value != source.field and source.kind in ['decimal', 'digits', 'double', 'text']) }}
{% endmacro %}


{#- SQL: the name of the entity's attribute where the after image carries a value for it: no placeholder, and of a field inside of a column a field that
    is there, or within a column or record that is null. What is not null is there; only nulls are looked for in the image's text. -#}
{% macro mapping_if_carried(element, source, attribute) %}
  {%- set name = entrepot.mapping_unless_placeholder(source, adapter.sql_literal(attribute)) -%}
  {%- set carried = adapter.mapping_carried(element.attribute, 'json_after') -%}
  {{ return('if(' ~ source.field ~ ' is not null or coalesce(' ~ carried ~ ', false), ' ~ name ~ ', null)' if carried else name) }}
{% endmacro %}


{#- SQL: `value`, or null where the source sent Debezium's placeholder for a TOAST value that did not change: a text, its Base64, or
    as an element of an array also the codes of its characters, or a UUID made of it. -#}
{% macro mapping_unless_placeholder(source, value) %}
  {%- set texts = ['__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='] -%}
  {%- if source.kind == 'array' and not source.json.startswith('ARRAY<STRUCT') -%}
    {%- set codes = '95,95,100,101,98,101,122,105,117,109,95,117,110,97,118,97,105,108,97,98,108,101,95,118,97,108,117,101' -%}
    {%- set field = 'array_join(' ~ (source.field if source.json == 'ARRAY<STRING>' else 'cast(' ~ source.field ~ ' as array<string>)') ~ ", ',')" -%}
    {{ return('if(' ~ field ~ ' in (' ~ adapter.sql_literals(texts + ['b68a35a7-17ad-35b3-af2a-ae46edb4545a', codes]) ~ '), null, ' ~ value ~ ')') }}
  {%- elif source.text -%}
    {%- set texts = texts + ['{"__debezium_unavailable_value":"__debezium_unavailable_value"}'] if source.marked else texts -%}
    {{ return('if(' ~ source.field ~ ' in (' ~ adapter.sql_literals(texts) ~ '), null, ' ~ value ~ ')') }}
  {%- endif -%}
  {{ return(value) }}
{% endmacro %}


{#- SQL: a source's value (see `mapping_source_value`) in the entity's type, null where it does not fit. -#}
{% macro mapping_cast(source, type) %}
  {%- if source.kind == 'array' and type == 'string' -%}
    {#- to_json would cut timestamps to milliseconds -#}
    {{ return('to_json(' ~ ('cast(' ~ source.value ~ ' as array<string>)' if source.of == 'instant' else source.value) ~ ')') }}
  {%- elif source.kind == 'whole' and type in ['timestamp', 'timestamp_ntz'] -%}
    {#- seconds, of the years 1 to 9999 -#}
    {{ return('if(' ~ source.value ~ ' between -62135596800 and 253402300799, try_cast(' ~ source.value ~ ' as ' ~ type ~ '), null)') }}
  {%- elif source.kind == 'bytes' and type == 'string' -%}
    {#- which text bytes stand for nobody has said; what is no UTF-8 other readers refuse -#}
    {{ return('try_validate_utf8(cast(' ~ source.value ~ ' as string))') }}
  {%- elif source.kind == 'text' and type == 'binary' -%}
    {#- which bytes a text stands for nobody has said -#}
    {{ return('cast(null as binary)') }}
  {%- elif source.kind == 'text' and type in ['float', 'double'] -%}
    {#- Spark reads Java's literals, too, such as 1d -#}
    {{ return('try_cast(' ~ entrepot.mapping_double('trim(' ~ source.value ~ ')') ~ ' as ' ~ type ~ ')') }}
  {%- elif source.kind == 'text' and type == 'date' -%}
    {#- Spark drops what follows a date -#}
    {{ return('if(' ~ source.value ~ " rlike '^ *(?!0000)[0-9]{4}-[0-9]{1,2}-[0-9]{1,2} *$', try_cast(" ~ source.value ~ ' as date), null)') }}
  {%- elif source.kind == 'text' and type in ['timestamp', 'timestamp_ntz'] -%}
    {#- Spark reads a bare time as one of today, and drops digits beyond microseconds -#}
    {%- set is_told = source.value ~ " rlike '^ *(?!0000)[0-9]{4}-[0-9]{1,2}-[0-9]' and " ~ source.value ~ " not rlike '[.][0-9]{6}[0-9]*[1-9]'" -%}
    {%- set is_told = is_told ~ ' and ' ~ entrepot.mapping_within_years('trim(' ~ source.value ~ ')') if type == 'timestamp' else is_told -%}
    {{ return('if(' ~ is_told ~ ', try_cast(' ~ source.value ~ ' as ' ~ type ~ '), null)') }}
  {%- endif -%}
  {{ return('try_cast(' ~ source.value ~ ' as ' ~ type ~ ')') }}
{% endmacro %}


{#- Whether every value of a source fits the entity's type as it was parsed: there is nothing to check. -#}
{% macro mapping_always_fits(source, type) %}
  {%- set wider = {'INT': ['int', 'bigint'], 'BIGINT': ['bigint'], 'BOOLEAN': ['boolean']} -%}
  {{ return(not source.unclear and (source.kind == 'text' and type == 'string' or source.value == source.field and type in wider.get(source.json, []))) }}
{% endmacro %}


{#- What may be said of an attribute: a list of pairs, [what, SQL of a condition], the first that holds counts. Its value that is there has become null, or another
    one, in the entity's type, or it may be read in two ways. Of a key the before image counts too, where it is all that there is. -#}
{% macro mapping_checks(sources, mapped, type, is_key) %}
  {%- set source, checks = sources.after, [] -%}
  {%- if entrepot.mapping_always_fits(source, type) -%}
    {{ return(checks) }}
  {%- endif -%}
  {%- if source.either and (type.startswith('decimal') or type in ['tinyint', 'smallint', 'int', 'bigint', 'float', 'double']) -%}
    {%- do checks.append([' may be a number or Base64: say its type in the seed schema_attribute', source.either]) -%}
  {%- elif source.unclear -%}
    {%- do checks.append([' may be a number or Base64: say decimal.handling.mode of its connector in the variable connectors', source.unclear]) -%}
  {%- endif -%}
  {%- set lost = entrepot.mapping_lost(source, mapped.after, type) -%}
  {%- if is_key -%}
    {%- set lost = lost ~ ' or (image_after is null and ' ~ sources.before.field ~ ' is not null and ' ~ mapped.before ~ ' is null)' -%}
  {%- endif -%}
  {%- do checks.append([' does not fit ' ~ type, lost]) -%}
  {{ return(checks) }}
{% endmacro %}


{#- SQL: the sentence of the first of some `mapping_checks` that holds, else null; of an attribute, or of the one that SQL, `named`, is the name of. -#}
{% macro mapping_first_said(checks, attribute, named=none) %}
  {%- set said = namespace(sql='null') -%}
  {%- for what, condition in checks | reverse -%}
    {%- set sentence = 'concat(' ~ named ~ ', ' ~ adapter.sql_literal(what) ~ ')' if named else adapter.sql_literal(attribute ~ what) -%}
    {%- set said.sql = 'if(' ~ condition ~ ', ' ~ sentence ~ ', ' ~ said.sql ~ ')' -%}
  {%- endfor -%}
  {{ return(said.sql) }}
{% endmacro %}


{#- SQL: whether a value that is there in the source has become null, or another one, in the entity's type. -#}
{% macro mapping_lost(source, mapped, type) %}
  {%- set is_there = source.field ~ ' is not null and ' ~ entrepot.mapping_unless_placeholder(source, "''") ~ ' is not null' if source.text or source.kind == 'array' else source.field ~ ' is not null' -%}
  {{ return('(' ~ is_there ~ ' and (' ~ ([mapped ~ ' is null'] + entrepot.mapping_differs(source, mapped, type)) | join(' or ') ~ '))') }}
{% endmacro %}


{#- SQL conditions under which a value that is there in the entity's type is not the source's: digits that an exact type has cut off, a
    double that is not the number, an element of an array that did not fit. A list, empty where none can be. -#}
{% macro mapping_differs(source, mapped, type) %}
  {%- set too_small = mapped ~ ' = 0 and ' ~ source.value ~ " rlike '^[^eE]*[1-9]'" -%}
  {%- set is_exact = type in ['tinyint', 'smallint', 'int', 'bigint'] or type.startswith('decimal') -%}
  {%- set scale = type.split(',')[1].rstrip(')') | int if type.startswith('decimal') and ',' in type else 0 -%}
  {%- if source.kind == 'array' and (type.startswith('array') or type == 'string' and source.value != source.field) -%}
    {%- set there = 'element -> element is not null' -%}
    {#- doubles in arrays stay the texts that they came as -#}
    {%- set element = {'kind': 'text' if source.of == 'double' else source.of, 'value': 'one', 'scale': source.scale} -%}
    {%- set unlike = [] if type == 'string' else entrepot.mapping_differs(element, 'other', type[6:-1]) -%}
    {%- set elements = 'zip_with(' ~ source.value ~ ', ' ~ mapped ~ ', (one, other) -> ' ~ unlike | join(' or ') ~ ')' -%}
    {{ return(
      ['size(filter(' ~ source.field ~ ', ' ~ there ~ ')) <> size(filter(' ~ (source.value if type == 'string' else mapped) ~ ', ' ~ there ~ '))']
      + (['exists(' ~ elements ~ ', differs -> differs)'] if unlike else [])
    ) }}
  {%- elif source.kind == 'decimal' and is_exact and scale < source.scale -%}
    {#- what is left beyond the last digit: Spark rounds decimals before it compares them where both together need more than 38 digits -#}
    {{ return([source.value ~ " % cast('1e-" ~ scale ~ "' as decimal(" ~ (scale + 1) ~ ', ' ~ scale ~ ')) <> 0']) }}
  {%- elif source.kind == 'double' and is_exact or source.kind == 'whole' and type.startswith('decimal') -%}
    {{ return([mapped ~ ' <> ' ~ source.value]) }}
  {%- elif source.kind == 'double' and type == 'float' -%}
    {{ return(['abs(' ~ mapped ~ ") = double('Infinity') and abs(" ~ source.value ~ ") < double('Infinity')"]) }}
  {%- elif source.kind in ['whole', 'double', 'decimal'] and type == 'boolean' -%}
    {{ return([source.value ~ ' not in (0, 1)']) }}
  {%- elif source.kind == 'instant' and type in ['date', 'tinyint', 'smallint', 'int', 'bigint'] -%}
    {{ return(['try_cast(' ~ mapped ~ ' as timestamp) <> ' ~ source.value]) }}
  {%- elif source.kind == 'whole' and type in ['float', 'double'] -%}
    {{ return(['cast(' ~ mapped ~ ' as decimal(38, 0)) <> ' ~ source.value]) }}
  {%- elif source.kind in ['text', 'digits'] and is_exact -%}
    {%- set digits = source.value if source.kind == 'digits' else 'coalesce(' ~ entrepot.mapping_number('trim(' ~ source.value ~ ')') ~ ', ' ~ source.value ~ ')' -%}
    {%- set lost = "length(trim(trailing '0' from split_part(" ~ digits ~ ", '.', 2))) > " ~ scale -%}
    {#- mostly there are too few digits to look at -#}
    {{ return([lost, too_small] if source.kind == 'text' else ["(locate('.', " ~ digits ~ ') between 1 and length(' ~ digits ~ ') - ' ~ (scale + 1) ~ ' and ' ~ lost ~ ')']) }}
  {%- elif source.kind == 'text' and type in ['float', 'double'] -%}
    {%- set whole = 'abs(' ~ mapped ~ ') >= ' ~ (9007199254740992 if type == 'double' else 16777216) ~ ' and ' ~ source.value ~ " rlike '^ *[+-]?[0-9]+ *$'" -%}
    {{ return([
      'abs(' ~ mapped ~ ") = double('Infinity') and " ~ source.value ~ " not rlike 'Inf'", too_small,
      whole ~ ' and try_cast(' ~ mapped ~ ' as decimal(38, 0)) <> try_cast(' ~ source.value ~ ' as decimal(38, 0))',
    ]) }}
  {%- endif -%}
  {{ return([]) }}
{% endmacro %}
