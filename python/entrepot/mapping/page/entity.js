/** One version of an entity and what feeds it (the paper's reverse search): a line for versions that feed it alike, a column an attribute. */

/** Return what feeds an entity version: for each schema its runs of versions with the same elements, the newest first. */
function feedsOf(mapping, entity, { version, first, size: attributes }) {
  const found = [];
  for (const schema of mapping.schemas) {
    const names = schema.versions.map(() => null);
    schema.lives.forEach((life) => {
      for (const stop of life.stops) {
        for (const target of stop.targets) {
          if (target < first || target >= first + attributes) continue;
          for (let at = stop.first; at <= stop.last; at++) (names[at] ??= new Array(attributes).fill(""))[target - first] = stop.name;
        }
      }
    });
    const runs = [];
    names.forEach((row, at) => {
      if (!row) return;
      const last = runs.at(-1);
      if (last && last.last === at - 1 && last.names.every((name, place) => name === row[place])) last.last = at;
      else runs.push({ schema, first: at, last: at, names: row });
    });
    if (runs.length) found.push({ schema, runs: runs.reverse(), isLive: names.at(-1) !== null });
  }
  return found;
}

class EntityView {
  constructor(mapping, [, name, version, attribute]) {
    this.mapping = mapping;
    this.entity = mapping.entities.find((one) => one.name === name);
    this.version = this.entity && (this.entity.versions.find((one) => `${one.version}` === version) ?? newestOf(this.entity));
    this.attribute = attribute;
    this.title = name;
    this.expanded = new Set();
    this.node = element("section.view", { "aria-label": `Entity ${name}` });
    if (!this.entity) {
      this.node.append(element("p.empty", {}, `There is no entity ${name} in this mapping. Press / to search.`));
      return;
    }
    const { first, size: attributes } = this.version;
    this.columns = mapping.targets.slice(first, first + attributes).map((target, place) => ({ target, place }));
    this.columns.sort((one, other) => other.target.isKey - one.target.isKey || one.place - other.place);
    this.feeds = feedsOf(mapping, this.entity, this.version);
    this.list();
    this.node.append(this.heading());
  }

  shown() {
    if (!this.entity) return;
    if (!this.feeds.length) this.node.append(element("p.empty", {}, "Nothing feeds it."));
    this.grid = new Grid(this.source());
    this.node.append(this.grid.root);
    this.grid.lay(this.source());
    const column = this.attribute === undefined ? -1 : this.columns.findIndex(({ target }) => target.name === this.attribute);
    if (column >= 0) this.grid.move(-1, column);
  }

  heading() {
    const { entity, version } = this;
    const others = entity.versions.filter((one) => one !== version).map((one) => element("a.chip", { href: address("entity", entity.name, `${one.version}`) }, `version ${one.version}`));
    const fed = new Set(this.feeds.filter(({ isLive }) => isLive).flatMap(({ runs }) => this.columns.filter(({ place }) => runs[0].names[place]).map(({ place }) => place)));
    const missing = this.columns.filter(({ place }) => !fed.has(place)).map(({ target }) => target.name);
    return element("div.heading", {},
      element("h1", {}, entity.name),
      element("span", {}, `version ${version.version}, ${counted(version.size, "attribute")}, fed by ${counted(this.feeds.filter(({ isLive }) => isLive).length, "schema")}`),
      missing.length && this.feeds.length ? element("span.missing", { title: missing.join(", ") }, `fed by no newest version: ${missing.slice(0, 4).join(", ")}${missing.length > 4 ? ` and ${missing.length - 4} more` : ""}`) : null,
      others.length ? element("span.feeds", {}, ...others) : null,
      entity.links.length ? element("span.feeds", {}, ...entity.links.map(([name, page]) => element("a.chip.docs", { href: docsAddress(page) }, `${name} ↗`))) : null);
  }

  list() {
    this.rows = this.feeds.flatMap(({ schema, runs }) => runs.slice(0, this.expanded.has(schema) ? runs.length : 1).map((run, at) => ({ run, runs, isFirst: at === 0 })));
  }

  source() {
    const room = roomOf(this);
    const headWidth = Math.min(320, Math.max(140, Math.floor(room * 0.34)));
    const width = Math.max(96, Math.min(180, Math.floor((room - headWidth) / Math.max(1, this.columns.length))));
    return {
      label: `What feeds ${this.entity.name}`, rows: this.rows.length, widths: this.columns.map(() => width), headWidth, headHeight: 46,
      corner: element("span.axes", {}, "schema ↓ attribute →"), head: (row) => this.head(this.rows[row]), columnHead: (column) => this.columnHead(this.columns[column]),
      cells: (row, first, last) => this.cells(this.rows[row], first, last), describe: (row, column) => this.describe(row, column),
      open: (row, column) => this.open(row, column), expand: (row, expanded) => this.expand(row, expanded),
    };
  }

  columnHead({ target }) {
    return element(target.name === this.attribute ? "span.versionHead.chosen" : "span.versionHead", { title: target.description || null },
      element("strong", {}, target.name, target.isKey ? element("span.key", { title: "key" }, "key") : null), element("small", {}, target.type || "·"));
  }

  head({ run, runs, isFirst }) {
    const { schema } = run;
    const versions = element("span.version", {}, span(schema, run.first, run.last));
    if (!isFirst) return { content: [versions], level: 2, expanded: undefined, kind: "older" };
    const name = element("a.name", { href: address("schema", schema.name), tabindex: -1, title: schema.name }, schema.name);
    const isLive = run.last === schema.versions.length - 1;
    return { content: [name, versions], level: 1, expanded: runs.length > 1 ? this.expanded.has(schema) : undefined, kind: isLive ? "" : "ended" };
  }

  cells({ run }, first, last) {
    return this.columns
      .slice(first, last + 1)
      .map(({ place }, at) => ({ column: first + at, span: 1, kind: run.names[place] ? "source" : "missing", content: [element("span.attribute", { title: run.names[place] || null }, run.names[place] || "·")] }));
  }

  describe(row, column) {
    if (row === -1) {
      const { target } = this.columns[column];
      return `${target.name}${target.type ? ` (${target.type})` : ""}${target.description ? `: ${target.description}` : ""}`;
    }
    const { run } = this.rows[row];
    const { schema } = run;
    const versions = `${schema.name} version ${span(schema, run.first, run.last)}`;
    if (column === -1) {
      const missing = this.columns.filter(({ place }) => !run.names[place]).map(({ target }) => target.name);
      const ended = run.last < schema.versions.length - 1 && this.rows[row].isFirst ? `, and does not since version ${schema.versions[run.last + 1]}` : "";
      return `${versions} feeds ${this.columns.length - missing.length} of ${this.columns.length}${missing.length ? `, not ${missing.join(", ")}` : ""}${ended}.`;
    }
    const { target, place } = this.columns[column];
    return run.names[place] ? `${versions}: ${run.names[place]} becomes ${target.name}.` : `${versions} does not feed ${target.name}.`;
  }

  open(row, column) {
    if (row === -1) return;
    const { run } = this.rows[row];
    const name = column >= 0 ? run.names[this.columns[column].place] : "";
    location.hash = name ? address("schema", run.schema.name, name) : address("schema", run.schema.name);
  }

  expand(row, expanded) {
    const { schema } = this.rows[row].run;
    if (expanded) this.expanded.add(schema);
    else this.expanded.delete(schema);
    this.list();
    this.grid.lay(this.source());
    this.grid.move(row, -1);
  }

  resized() {
    this.grid?.lay(this.source());
  }

  close() {
    this.grid?.close();
  }
}
