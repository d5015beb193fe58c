/** One schema, its versions side by side: the entities that it feeds, through which attributes, and what was lost where. */

/**
 * Return the lines of a schema: for each entity version that it feeds a line of its blocks and one for each attribute that is fed; then the
 * attributes that become nothing, those of the newest version first.
 */
function schemaSections(mapping, schema) {
  const fed = new Map();
  schema.lives.forEach((life, number) => {
    for (const stop of life.stops) {
      for (const target of stop.targets) {
        if (!fed.has(target)) fed.set(target, new Set());
        fed.get(target).add(number);
      }
    }
  });
  const sections = [...blocksOf(mapping, schema)].map(([key, counts]) => {
    const [entity, version] = key.split(" ").map(Number);
    const own = [...fed.keys()].filter((target) => mapping.targets[target].entity === entity && mapping.targets[target].version === version);
    own.sort((one, other) => mapping.targets[other].isKey - mapping.targets[one].isKey || (mapping.targets[one].name < mapping.targets[other].name ? -1 : 1));
    return { entity: mapping.entities[entity], version, counts, lines: own.map((target) => ({ target, lives: [...fed.get(target)] })) };
  });
  sections.sort((one, other) => (one.entity.name === other.entity.name ? other.version - one.version : one.entity.name < other.entity.name ? -1 : 1));
  const left = schema.lives.map((life, number) => number).filter((number) => !schema.lives[number].stops.at(-1).targets.length);
  if (left.length) sections.push({ entity: null, lines: left.map((number) => ({ target: null, lives: [number] })) });
  return sections;
}

/**
 * Return the bars of a line, none over another: `fed` by an attribute; `gone` since the attribute vanished, until the line is fed again;
 * `idle` where an attribute that feeds it in other versions is there and does not, or where the line is an attribute that becomes nothing.
 */
function barsOf(schema, { target, lives }) {
  const bars = [];
  const taken = new Array(schema.versions.length).fill(false);
  const add = (kind, column, last, more) => {
    bars.push({ kind, column, span: last - column + 1, ...more });
    taken.fill(true, column, last + 1);
  };
  const stops = lives.flatMap((life) => schema.lives[life].stops.map((stop) => ({ stop, life })));
  for (const { stop, life } of stops) if (stop.targets.includes(target)) add("fed", stop.first, stop.last, { stop, life });
  for (const loss of target === null ? [] : schema.losses) {
    if (loss.target !== target || loss.isStored) continue;
    const next = taken.indexOf(true, loss.position);
    add("gone", loss.position, (next < 0 ? taken.length : next) - 1, { loss });
  }
  for (const { stop, life } of stops) {
    for (let at = stop.first, last; at <= stop.last; at = last + 1) {
      for (last = at; last < stop.last && taken[last + 1] === taken[at]; last++);
      if (!taken[at]) add("idle", at, last, { stop, life });
    }
  }
  return bars.sort((one, other) => one.column - other.column);
}

class SchemaView {
  constructor(mapping, [, name, attribute]) {
    this.mapping = mapping;
    this.schema = mapping.schemas.find((one) => one.name === name);
    this.attribute = attribute;
    this.title = name;
    this.collapsed = new Set();
    this.node = element("section.view", { "aria-label": `Schema ${name}` });
    if (!this.schema) {
      this.node.append(element("p.empty", {}, `There is no schema ${name} in this mapping. Press / to search.`));
      return;
    }
    this.sections = schemaSections(mapping, this.schema);
    this.list();
    this.node.append(this.heading(), this.news());
  }

  shown() {
    if (!this.schema) return;
    this.grid = new Grid(this.source());
    this.node.append(this.grid.root);
    this.grid.lay(this.source());
    const row = this.attribute === undefined ? -1 : this.rows.findIndex((one) => this.isMarked(one));
    if (row >= 0) this.grid.move(row, -1);
    else this.grid.reveal(0, this.schema.versions.length - 1);
  }

  heading() {
    const { schema, mapping } = this;
    const discovered = schema.discovered.size ? `, ${schema.discovered.size} of them discovered and not registered` : "";
    const feeds = this.sections.filter(({ entity }) => entity).map(({ entity, version, counts }) =>
      element("a.chip", { href: address("entity", entity.name, `${version}`) }, `${titleOf(entity, version)} ${counts.at(-1)} of ${this.attributes(entity, version)}`));
    return element("div.heading", {},
      element("h1", {}, schema.name),
      element("span", {}, `${counted(schema.versions.length, "version")}${discovered}`),
      feeds.length ? element("span.feeds", {}, "feeds ", ...feeds) : element("span", {}, mapping.entities.length ? "feeds nothing" : ""),
      legend());
  }

  attributes(entity, version) {
    return entity.versions.find((one) => one.version === version).size;
  }

  /** What was lost where, as sentences; what waits for a review says how it is confirmed. */
  news() {
    const { schema, mapping } = this;
    if (!schema.losses.length) return element("div.news", {}, element("p", {}, "Nothing was lost in any version."));
    const lines = [...schema.losses].reverse().map((loss) => {
      const target = mapping.targets[loss.target];
      const waits = this.waits(loss);
      const attribute = this.before(loss).name;
      const why = loss.isStored ? `its block is stored without it` : `${attribute} has vanished`;
      return element("li", {},
        element("span.version", {}, `v${schema.versions[loss.position]}`), " ",
        element("a", { href: address("schema", schema.name, target.name) }, `${titleOf(mapping.entities[target.entity], target.version)} ${target.name}`),
        ` is not fed any more: ${why}.`,
        waits ? element("span.waiting", {}, " Waits for a review.") : null);
    });
    const waiting = [...new Set(schema.reviews.map((one) => schema.versions[one.position]))].reverse();
    const commands = waiting.map((version) => element("code", {}, `entrepot mapping confirm ${quoted(schema.name)} --version ${version}`));
    return element("details.news", { open: schema.losses.length < 4 },
      element("summary", {}, `${counted(schema.losses.length, "element")} lost`, waiting.length ? element("span.waiting", {}, `, ${counted(schema.reviews.length, "block")} waiting for a review`) : null),
      element("ul", {}, ...lines),
      commands.length ? element("p.commands", {}, "To store what was inherited: ", ...commands) : null);
  }

  /** The stop of the version before a loss. */
  before({ life, position }) {
    return this.schema.lives[life].stops.find((stop) => stop.first <= position - 1 && position - 1 <= stop.last);
  }

  waits({ position, target, life }) {
    const { entity, version } = this.mapping.targets[target];
    return this.schema.reviews.some((one) => one.position === position && one.entity === entity && one.version === version && one.vanished.includes(this.before({ life, position }).name));
  }

  list() {
    this.rows = this.sections.flatMap((section) => [
      { section, isSection: true },
      ...(this.collapsed.has(section) ? [] : section.lines.map((line) => ({ section, line, isSection: false, bars: barsOf(this.schema, line) }))),
    ]);
  }

  isMarked({ line }) {
    if (!line) return false;
    if (line.target !== null && this.mapping.targets[line.target].name === this.attribute) return true;
    return line.lives.some((number) => this.schema.lives[number].stops.some((stop) => stop.name === this.attribute));
  }

  source() {
    const { schema } = this;
    const count = schema.versions.length;
    const room = roomOf(this);
    const headWidth = Math.min(280, Math.max(120, Math.floor(room * 0.3)));
    const width = Math.max(64, Math.min(200, Math.floor((room - headWidth) / count)));
    return {
      label: `Versions of ${schema.name}`, rows: this.rows.length, widths: schema.versions.map(() => width), headWidth, headHeight: 46,
      corner: element("span.axes", {}, "becomes ↓ version →"), head: (row) => this.head(this.rows[row]),
      columnHead: (column) => this.columnHead(column), cells: (row, first, last) => this.cells(this.rows[row], first, last),
      describe: (row, column) => this.describe(row, column), open: (row, column) => this.open(row, column), expand: (row, expanded) => this.expand(row, expanded),
    };
  }

  columnHead(column) {
    const { schema } = this;
    const come = schema.lives.filter((life) => life.first === column).length;
    const gone = schema.lives.filter((life) => life.last === column - 1).length;
    const change = column === 0 ? `${come}` : [come ? `+${come}` : "", gone ? `−${gone}` : ""].filter(Boolean).join(" ");
    const about = schema.discovered.has(column) ? element("span.new", { title: "discovered in events, not registered" }, "new") : null;
    return element("span.versionHead", {}, element("strong", {}, `v${schema.versions[column]}`, about), element("small", {}, change || "·"));
  }

  head({ section, line, isSection }) {
    if (!isSection) return this.lineHead(line);
    const expanded = !this.collapsed.has(section);
    if (!section.entity) return { content: [element("strong", {}, "not mapped"), element("span.version", {}, `${section.lines.length}`)], level: 1, expanded, kind: "section" };
    const link = element("a.name", { href: address("entity", section.entity.name, `${section.version}`), tabindex: -1 }, titleOf(section.entity, section.version));
    return { content: [link], level: 1, expanded, kind: "section" };
  }

  lineHead(line) {
    const isKey = line.target !== null ? this.mapping.targets[line.target].isKey : this.schema.lives[line.lives[0]].isKey;
    const name = line.target !== null ? this.mapping.targets[line.target].name : this.schema.lives[line.lives[0]].name;
    const key = isKey ? element("span.key", { title: "key" }, "key") : null;
    return { content: [element("span.name", { title: name }, name), key].filter(Boolean), level: 2, expanded: undefined, kind: this.isMarked({ line }) ? "marked" : line.target === null ? "unmapped" : "" };
  }

  cells({ section, line, isSection, bars }, first, last) {
    if (isSection) return section.entity ? this.sizes(section, first, last) : [];
    return bars.filter(({ column, span }) => column <= last && column + span > first).map((bar) => this.bar(line, bar));
  }

  bar(line, { kind, column, span, stop, life, loss }) {
    if (kind === "gone") {
      const words = span === 1 ? "gone" : `gone since v${this.schema.versions[column]}`;
      return { column, span, kind: this.waits(loss) ? "lost.waits" : "lost", content: [element("span", {}, words)] };
    }
    const isRetyped = kind === "fed" && stop.first === column && this.schema.retyped.has(`${column} ${life}`);
    const drawn = line.target === null ? "bar.idle" : kind === "idle" ? "bar.ghost" : isRetyped ? "bar.retyped" : "bar";
    const name = line.target === null && stop.name === this.schema.lives[life].name ? null : element("span.attribute", {}, stop.name);
    const type = stop.type ? element("span.type", {}, stop.type) : null;
    return { column, span, kind: drawn, content: [element("span.ink", {}, element("span.label", {}, ...[name, name && type ? " " : null, type].filter(Boolean)))] };
  }

  sizes({ entity, version, counts }, first, last) {
    const cells = [];
    for (let column = first; column <= last; column++) {
      const isStored = this.schema.stored.has(`${column} ${entity.number}`);
      const waits = this.schema.reviews.some((one) => one.position === column && one.entity === entity.number && one.version === version);
      if (!counts[column] && !isStored && !waits) continue;
      const kind = counts[column] ? `block.level${level(counts[column], this.attributes(entity, version))}` : "block.null";
      cells.push({ column, span: 1, kind: `${kind}${waits ? ".waits" : ""}${isStored ? ".stored" : ""}`, content: [element("span", {}, counts[column] ? `${counts[column]}` : "∅")] });
    }
    return cells;
  }

  describe(row, column) {
    const { schema, mapping } = this;
    if (row === -1) return `Version ${schema.versions[column]}: ${counted(schema.lives.filter((life) => life.first <= column && column <= life.last).length, "attribute")}${schema.discovered.has(column) ? ", discovered in events and not registered" : ""}.`;
    const { section, line, isSection, bars } = this.rows[row];
    if (isSection) {
      if (!section.entity) return `Attributes that become nothing: ${section.lines.length}.`;
      const { entity, version, counts } = section;
      if (column === -1) return `${titleOf(entity, version)}: ${counts.at(-1)} of ${this.attributes(entity, version)} attributes in the newest version. Enter shows what else feeds it.`;
      return blockWords(mapping, { schema, column: { entity, version, attributes: this.attributes(entity, version) }, counts, position: column });
    }
    const target = line.target === null ? null : mapping.targets[line.target];
    if (column === -1) return target ? `${target.name}: ${[target.type, target.description].filter(Boolean).join(". ")}` : `${schema.lives[line.lives[0]].name} becomes nothing.`;
    const bar = bars.find((one) => covers(one, column));
    if (bar?.kind === "gone") return `Version ${span(schema, bar.column, bar.column + bar.span - 1)}: ${this.before(bar.loss).name} is gone.${this.waits(bar.loss) ? " Waits for a review." : ""}`;
    if (bar) return barWords(schema, target, bar);
    return `Version ${schema.versions[column]}: not there.`;
  }

  open(row, column) {
    const { section, line } = row === -1 ? {} : this.rows[row];
    if (section?.entity && (line || column === -1)) {
      const more = line ? [mappingName(this.mapping, line)] : [];
      location.hash = address("entity", section.entity.name, `${section.version}`, ...more);
    }
  }

  expand(row, expanded) {
    const { section } = this.rows[row];
    if (expanded) this.collapsed.delete(section);
    else this.collapsed.add(section);
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

/** Return the name of the attribute of an entity that a line shows. */
function mappingName(mapping, line) {
  return mapping.targets[line.target].name;
}

/** Return a bar as a sentence. */
function barWords(schema, target, { kind, stop, life, column, span: length }) {
  const type = stop.type ? ` (${stop.type})` : "";
  const becomes = target === null ? "becomes nothing" : kind === "fed" ? `becomes ${target.name}${target.type ? ` (${target.type})` : ""}` : `is there and does not feed ${target.name}`;
  const before = schema.lives[life].stops.find((one) => one.last === column - 1);
  const changes = [before && before.name !== stop.name ? `it was ${before.name} before` : "", before && before.type !== stop.type ? `its type was ${before.type || "not known"}` : ""].filter(Boolean);
  return `Version ${span(schema, column, column + length - 1)}: ${stop.name}${type} ${becomes}${changes.length ? `; ${changes.join(", ")}` : ""}.`;
}

/** Return a text as a shell reads it. */
function quoted(text) {
  return /^[\w.@%+=:,/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
