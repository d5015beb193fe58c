/** The matrix seen from above: a line for each schema, a column for each entity, and in each block how many attributes it maps. */

const orders = [
  { name: "by-entity", words: "by entity" },
  { name: "by-name", words: "by name" },
];

/** Return the columns: the newest version of each entity, and older ones that something feeds still. */
function matrixColumns(mapping, blocks) {
  const fed = new Set();
  for (const some of blocks) for (const [key, sizes] of some) if (sizes[sizes.length - 1]) fed.add(key);
  return mapping.entities.flatMap((entity) =>
    entity.versions
      .filter(({ version }) => version === newestOf(entity).version || fed.has(`${entity.number} ${version}`))
      .reverse()
      .map(({ version, size: attributes }) => ({ entity, version, attributes, key: `${entity.number} ${version}` })),
  );
}

/** Return what the matrix is drawn from, computed once: columns, and for each schema its blocks by column. */
function matrixOf(mapping) {
  const sizes = mapping.schemas.map((schema) => blocksOf(mapping, schema));
  const columns = matrixColumns(mapping, sizes);
  const number = new Map(columns.map((column, at) => [column.key, at]));
  const lines = mapping.schemas.map((schema, at) => {
    const blocks = [...sizes[at]].filter(([key]) => number.has(key)).map(([key, counts]) => ({ column: number.get(key), counts }));
    blocks.sort((one, other) => one.column - other.column);
    const now = blocks.find(({ counts }) => counts[counts.length - 1]) ?? blocks[0];
    return { schema, blocks, leads: now ? now.column : Infinity };
  });
  return { columns, lines };
}

/** Return the sentence for a block. */
function blockWords(mapping, { schema, column, counts, position }) {
  const { entity, version, attributes } = column;
  let stored = position;
  while (stored >= 0 && !schema.stored.has(`${stored} ${entity.number}`)) stored--;
  const origin = stored === position ? "stored" : stored < 0 ? "" : `inherited from version ${schema.versions[stored]}`;
  const waiting = schema.reviews.filter((one) => one.entity === entity.number && one.version === version && one.position <= position);
  const found = counts[position] ? `${counts[position]} of ${attributes} attributes, ${origin}` : "a null block: it does not feed it any more";
  return [`${schema.name} version ${schema.versions[position]} → ${titleOf(entity, version)}: ${found}.`, ...waiting.map((one) => reviewWords(schema, one))].join(" ");
}

/** Return the sentence for a block that waits. */
function reviewWords(schema, { position, before, after, vanished }) {
  const what = after ? `shrank from ${before} to ${after}` : "became null";
  return `Version ${schema.versions[position]} ${what} by itself, without ${vanished.join(", ")}, and waits for a review.`;
}

/** Return how dark a block is drawn, from 1 to 4, by the share of the entity's attributes. */
function level(count, attributes) {
  return count >= attributes ? 4 : Math.max(1, Math.ceil((3 * count) / attributes));
}

/** Return what colours and marks of blocks mean. */
function legend() {
  const shades = [1, 2, 3, 4].map((shade) => element(`span.block.level${shade}`, {}, element("span")));
  return element("span.legend", {},
    element("span", {}, element("span.block", {}, ...shades), "share of attributes"),
    element("span", {}, element("span.block.level2.stored", {}, element("span")), "stored"),
    element("span", {}, element("span.dot"), "waits for a review"));
}

class MatrixView {
  constructor(mapping, [order]) {
    this.mapping = mapping;
    this.matrix = mapping.matrix ??= matrixOf(mapping);
    this.order = orders.find(({ name }) => name === order) ?? orders[0];
    this.expanded = mapping.expanded ??= new Set();
    this.lines = [...this.matrix.lines];
    if (this.order.name === "by-entity") this.lines.sort((one, other) => one.leads - other.leads || this.compared(one, other));
    else this.lines.sort((one, other) => this.compared(one, other));
    this.list();
    this.title = "Matrix";
    this.node = element("section.view", { "aria-label": "Matrix" }, this.facts());
  }

  compared(one, other) {
    return one.schema.name < other.schema.name ? -1 : 1;
  }

  /** Once the view is in the document and has a size. */
  shown() {
    if (!this.lines.length) {
      this.node.append(element("p.empty", {}, "No schema is in schema_attribute.csv yet."));
      return;
    }
    this.grid = new Grid(this.source());
    this.minimap = new Minimap(this.grid, this.lines.map((line) => line.blocks.filter(({ counts }) => counts[counts.length - 1]).map(({ column }) => column)), () => this.expanded.size === 0);
    this.node.append(element("div.beside", {}, this.grid.root, this.minimap.root));
    this.minimap.draw();
    this.grid.lay(this.source());
  }

  facts() {
    const { schemas, entities, size: sizes } = this.mapping;
    const versions = schemas.reduce((sum, schema) => sum + schema.versions.length, 0);
    const cells = sizes.rows * sizes.columns;
    const order = element("span.orders", { role: "group", "aria-label": "Order of schemas" }, "Schemas ", ...orders.flatMap(({ name, words }, at) => [
      at ? " " : "",
      element("a", { href: at ? address(name) : "#/", "aria-current": name === this.order.name && "true" }, words),
    ]));
    return element("div.facts", {},
      element("span", {}, `${counted(schemas.length, "schema")} in ${counted(versions, "version")}, ${counted(entities.length, "entity", "entities")}`),
      element("span", { title: `${numberFormat.format(sizes.columns)} attributes of schema versions × ${numberFormat.format(sizes.rows)} attributes of entity versions` }, `${size(cells)} elements of M`),
      element("span", { title: `${numberFormat.format(sizes.balanced)} elements, compaction ${compaction(sizes.balanced, cells)}` }, `${numberFormat.format(sizes.balanced)} in D`, element("sub", {}, "P")),
      element("span", { title: `${numberFormat.format(sizes.unique)} elements` }, `${numberFormat.format(sizes.unique)} in D`, element("sub", {}, "U"), `, compaction ${compaction(sizes.unique, cells)}`),
      legend(), order);
  }

  /** The lines as they are listed: schemas, and below those that are expanded their older versions, newest first. */
  list() {
    this.rows = this.lines.flatMap((line) => {
      const newest = line.schema.versions.length - 1;
      const rows = [{ line, position: newest, isSchema: true }];
      if (this.expanded.has(line.schema)) for (let at = newest - 1; at >= 0; at--) rows.push({ line, position: at, isSchema: false });
      return rows;
    });
  }

  source() {
    const { columns } = this.matrix;
    const room = roomOf(this);
    const headWidth = Math.min(300, Math.max(130, Math.floor(room * 0.36)));
    const width = Math.max(38, Math.min(150, Math.floor((room - headWidth) / Math.max(1, columns.length))));
    const isWide = width >= 96;
    const longest = Math.max(0, ...columns.map(({ entity, version }) => titleOf(entity, version).length));
    return {
      label: "Schemas and the entities that they feed", rows: this.rows.length, widths: columns.map(() => width), headWidth,
      headHeight: isWide ? 36 : Math.min(150, 24 + 7 * longest), corner: element("span.axes", {}, "schema ↓ entity →"),
      head: (row) => this.head(this.rows[row]), columnHead: (column) => this.columnHead(columns[column], isWide),
      cells: (row, first, last) => this.cells(this.rows[row], first, last), describe: (row, column) => this.describe(row, column),
      open: (row, column) => this.open(row, column), expand: (row, expanded) => this.expand(row, expanded),
    };
  }

  head({ line: { schema }, position, isSchema }) {
    const version = element("span.version", {}, `v${schema.versions[position]}`);
    if (!isSchema) return { content: [version], level: 2, expanded: undefined, kind: "older" };
    const name = element("a.name", { href: address("schema", schema.name), tabindex: -1, title: schema.name }, schema.name);
    const waits = schema.reviews.length ? element("span.dot", { title: "waits for a review" }) : null;
    return { content: [name, waits, version].filter(Boolean), level: 1, expanded: schema.versions.length > 1 ? this.expanded.has(schema) : undefined };
  }

  columnHead({ entity, version }, isWide) {
    const kind = isWide ? "a.name" : "a.name.upright";
    return element(kind, { href: address("entity", entity.name, `${version}`), tabindex: -1, title: titleOf(entity, version) }, titleOf(entity, version));
  }

  cells({ line, position, isSchema }, first, last) {
    const { schema } = line;
    return line.blocks
      .filter(({ column }) => column >= first && column <= last)
      .map(({ column, counts }) => {
        const { entity, version, attributes } = this.matrix.columns[column];
        const waits = schema.reviews.some((one) => one.entity === entity.number && one.version === version && (isSchema || one.position === position));
        const wasFed = counts.slice(0, position).some(Boolean);
        const kind = counts[position] ? `block.level${level(counts[position], attributes)}` : "block.null";
        const isStored = counts[position] && schema.stored.has(`${position} ${entity.number}`);
        const words = counts[position] ? `${counts[position]}` : "∅";
        return counts[position] || wasFed ? { column, span: 1, kind: `${kind}${waits ? ".waits" : ""}${isStored ? ".stored" : ""}`, content: [element("span", {}, words)] } : null;
      })
      .filter(Boolean);
  }

  describe(row, column) {
    if (row === -1) {
      const { entity, version, attributes } = this.matrix.columns[column];
      return `${titleOf(entity, version)}: ${counted(attributes, "attribute")}. Enter shows what feeds it.`;
    }
    const { line, position } = this.rows[row];
    if (column === -1) return `${line.schema.name}, ${counted(line.schema.versions.length, "version")}. Enter shows them side by side.`;
    const block = line.blocks.find((one) => one.column === column);
    if (!block) return `${line.schema.name} does not feed ${titleOf(this.matrix.columns[column].entity, this.matrix.columns[column].version)}.`;
    return blockWords(this.mapping, { schema: line.schema, column: this.matrix.columns[column], counts: block.counts, position });
  }

  open(row, column) {
    if (row === -1) location.hash = address("entity", this.matrix.columns[column].entity.name, `${this.matrix.columns[column].version}`);
    else location.hash = address("schema", this.rows[row].line.schema.name);
  }

  expand(row, expanded) {
    const { schema } = this.rows[row].line;
    if (expanded) this.expanded.add(schema);
    else this.expanded.delete(schema);
    this.list();
    this.grid.lay(this.source());
    this.grid.move(row, -1);
    this.minimap.draw();
  }

  resized() {
    this.grid?.lay(this.source());
    this.minimap?.draw();
  }

  close() {
    this.grid?.close();
  }
}
