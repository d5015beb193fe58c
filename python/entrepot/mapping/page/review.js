/** What somebody has to look at: blocks that shrank or became null by themselves, and inherited attributes of another type. */

/** Return what waits, and below it what was retyped, as lines. */
function reviewLines(mapping) {
  const waiting = mapping.schemas.flatMap((schema) =>
    schema.reviews.map((one) => ({
      schema, position: one.position, entity: mapping.entities[one.entity], version: one.version, kind: one.after ? "shrank" : "null",
      change: `${one.before} to ${one.after}`, about: one.vanished.join(", "), attribute: one.vanished[0],
    })));
  const changed = mapping.schemas.flatMap((schema) =>
    [...schema.retyped].flatMap((key) => {
      const [position, life] = key.split(" ").map(Number);
      const stops = schema.lives[life].stops;
      const at = stops.findIndex((stop) => stop.first === position);
      return stops[at].targets.map((target) => ({
        schema, position, entity: mapping.entities[mapping.targets[target].entity], version: mapping.targets[target].version, kind: "retyped",
        change: `${stops[at - 1].type} to ${stops[at].type}`, about: stops[at].name, attribute: stops[at].name,
      }));
    }));
  return [...waiting, ...changed];
}

class ReviewView {
  static COLUMNS = [
    { name: "version", width: 76, text: (line) => `v${line.schema.versions[line.position]}` },
    { name: "entity", width: 170, text: (line) => titleOf(line.entity, line.version) },
    { name: "", width: 86, text: (line) => line.kind },
    { name: "elements, or types", width: 240, text: (line) => line.change },
    { name: "attributes", width: 320, text: (line) => line.about },
  ];

  constructor(mapping) {
    this.lines = reviewLines(mapping);
    this.title = "Review";
    const waiting = this.lines.filter(({ kind }) => kind !== "retyped").length;
    const changed = this.lines.length - waiting;
    this.node = element("section.view", { "aria-label": "Review" },
      element("div.heading", {}, element("h1", {}, waiting ? `${counted(waiting, "block")} waiting for a review` : "No block waits for a review"),
        element("span", {}, waiting ? "They lost elements by inheritance, and nobody has stored them yet: " : "", waiting ? element("code", {}, "entrepot mapping confirm") : null),
        changed ? element("span", {}, `Below: ${counted(changed, "inherited element")} of another type than in the version before.`) : null));
  }

  shown() {
    if (!this.lines.length) return;
    this.grid = new Grid(this.source());
    this.node.append(this.grid.root);
    this.grid.lay(this.source());
  }

  source() {
    const headWidth = Math.min(320, Math.max(130, Math.floor(roomOf(this) * 0.34)));
    return {
      label: "What waits for a review", rows: this.lines.length, widths: ReviewView.COLUMNS.map(({ width }) => width), headWidth, headHeight: 36,
      corner: element("span.axes", {}, "schema"), head: (row) => this.head(this.lines[row]),
      columnHead: (column) => element("span.left", {}, ReviewView.COLUMNS[column].name), cells: (row, first, last) => this.cells(this.lines[row], first, last),
      describe: (row) => (row === -1 ? "" : this.words(this.lines[row])), open: (row) => row >= 0 && this.open(this.lines[row]),
    };
  }

  head({ schema }) {
    return { content: [element("a.name", { href: address("schema", schema.name), tabindex: -1, title: schema.name }, schema.name)], level: 1, expanded: undefined };
  }

  cells(line, first, last) {
    return ReviewView.COLUMNS.slice(first, last + 1).map(({ text }, at) => ({
      column: first + at, span: 1, kind: first + at === 2 ? `text.${line.kind}` : "text", content: [element("span", { title: text(line) }, text(line))],
    }));
  }

  words({ schema, position, entity, version, kind, change, about }) {
    const place = `${schema.name} version ${schema.versions[position]} to ${titleOf(entity, version)}`;
    if (kind === "retyped") return `${place}: ${about} changed its type from ${change}.`;
    return `${place}: ${change} elements, without ${about}.`;
  }

  open({ schema, attribute }) {
    location.hash = address("schema", schema.name, attribute);
  }

  resized() {
    this.grid?.lay(this.source());
  }

  close() {
    this.grid?.close();
  }
}
