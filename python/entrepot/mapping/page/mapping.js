/** The mapping as the page knows it: the rows that `content.py` has written, read once. */

/**
 * A stop of an attribute: positions from `first` to `last` in which it has one name, one type and the same targets.
 *
 * @typedef {{first: number, last: number, name: string, type: string, targets: number[]}} Stop
 */

/** Read the rows of a life: [first position, whether it is a key, stops of [length, name or 0 for the same, type, target …]]. */
function readLife([first, isKey, rows], types) {
  const stops = [];
  let [at, name] = [first, ""];
  for (const [length, named, type, ...targets] of rows) {
    name = named === 0 ? name : named;
    stops.push({ first: at, last: at + length - 1, name, type: types[type] ?? "", targets });
    at += length;
  }
  return { first, last: at - 1, isKey: isKey === 1, stops, name };
}

/** Read the row of a schema. */
function readSchema(row, types) {
  const [name, versions, discovered, lives, stored, losses, retyped, reviews] = row;
  return {
    name,
    versions,
    discovered: new Set(discovered),
    lives: lives.map((life) => readLife(life, types)),
    stored: new Set(stored.map(([position, entity]) => `${position} ${entity}`)),
    losses: losses.map(([position, life, target, isStored]) => ({ position, life, target, isStored: isStored === 1 })),
    retyped: new Set(retyped.map(([position, life]) => `${position} ${life}`)),
    reviews: reviews.map(([position, entity, version, before, after, vanished]) => ({ position, entity, version, before, after, vanished })),
  };
}

/** Read everything. Targets, the attributes of entity versions, have their numbers in the order in which the rows have them. */
function readMapping(rows) {
  const [project, source, [matrixRows, matrixColumns, balanced, unique], types, entityRows, schemaRows] = rows;
  const entities = [];
  const targets = [];
  for (const [name, versionRows, links] of entityRows) {
    const entity = { name, number: entities.length, links, versions: [] };
    for (const [version, attributes] of versionRows) {
      const first = targets.length;
      for (const [attribute, type, isKey, description] of attributes) {
        targets.push({ entity: entity.number, version, name: attribute, type: types[type] ?? "", isKey: isKey === 1, description });
      }
      entity.versions.push({ version, first, size: attributes.length });
    }
    entities.push(entity);
  }
  const schemas = schemaRows.map((row) => readSchema(row, types));
  return { project, source, size: { rows: matrixRows, columns: matrixColumns, balanced, unique }, entities, targets, schemas };
}

/** Return the sizes of a schema's blocks: {entity and version of it, such as `3 1`: elements at each position}. */
function blocksOf(mapping, schema) {
  const found = new Map();
  for (const life of schema.lives) {
    for (const stop of life.stops) {
      for (const number of stop.targets) {
        const target = mapping.targets[number];
        const key = `${target.entity} ${target.version}`;
        if (!found.has(key)) found.set(key, new Array(schema.versions.length).fill(0));
        const sizes = found.get(key);
        for (let at = stop.first; at <= stop.last; at++) sizes[at]++;
      }
    }
  }
  return found;
}

/** Return the newest version of an entity. */
function newestOf(entity) {
  return entity.versions[entity.versions.length - 1];
}

/** Return the name of an entity's version as the matrix shows it: the newest is the entity. */
function titleOf(entity, version) {
  return version === newestOf(entity).version ? entity.name : `${entity.name} ${version}`;
}
