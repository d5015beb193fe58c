/** Search over schemas, entities and attributes: every word has to occur, names that begin with them come first. */

const MOST = 60;

/** Return what can be found; an attribute of a schema once, whatever versions have it. */
function searchIndex(mapping) {
  const found = [];
  const add = (kind, name, owner, href) => found.push({ kind, name, owner, href, plain: name.toLowerCase(), all: `${owner} ${name}`.toLowerCase() });
  for (const entity of mapping.entities) {
    add("entity", entity.name, "", address("entity", entity.name));
    for (const { version, first, size: attributes } of entity.versions) {
      for (const target of mapping.targets.slice(first, first + attributes)) {
        add("entity attribute", target.name, titleOf(entity, version), address("entity", entity.name, `${version}`, target.name));
      }
    }
  }
  for (const schema of mapping.schemas) {
    add("schema", schema.name, "", address("schema", schema.name));
    const names = new Set(schema.lives.flatMap((life) => life.stops.map((stop) => stop.name)));
    for (const name of names) add("attribute", name, schema.name, address("schema", schema.name, name));
  }
  return found;
}

/** Return what fits a question, best first: {hits, count}. */
function searched(index, question) {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return { hits: [], count: 0 };
  const whole = words.join(" ");
  const ranks = [[], [], [], []];
  for (const one of index) {
    if (!words.every((word) => one.all.includes(word))) continue;
    const rank = one.plain === whole ? 0 : one.plain.startsWith(words[0]) ? 1 : one.plain.includes(words[0]) ? 2 : 3;
    ranks[rank].push(one);
  }
  const order = { entity: 0, schema: 1, "entity attribute": 2, attribute: 3 };
  for (const rank of ranks) rank.sort((one, other) => order[one.kind] - order[other.kind]);
  const all = ranks.flat();
  return { hits: all.slice(0, MOST), count: all.length };
}

/** Return a name in pieces, what was looked for marked. */
function marked(text, words) {
  const plain = text.toLowerCase();
  const isMarked = new Array(text.length).fill(false);
  for (const word of words) {
    for (let at = plain.indexOf(word); at >= 0 && plain.length === text.length; at = plain.indexOf(word, at + word.length)) isMarked.fill(true, at, at + word.length);
  }
  const pieces = [];
  for (let at = 0, end; at < text.length; at = end) {
    end = at + 1;
    while (end < text.length && isMarked[end] === isMarked[at]) end++;
    pieces.push(isMarked[at] ? element("mark", {}, text.slice(at, end)) : text.slice(at, end));
  }
  return pieces;
}

class Search {
  constructor(mapping) {
    this.mapping = mapping;
    [this.input, this.answer, this.list, this.count] = [part("query"), part("answer"), part("hits"), part("count")];
    this.hits = [];
    this.active = -1;
    this.input.addEventListener("input", () => this.ask());
    this.input.addEventListener("focus", () => this.input.value && this.ask());
    this.input.addEventListener("keydown", (event) => this.pressed(event));
    this.answer.addEventListener("mousedown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const made = event.target.closest("[role=option]");
      if (made) this.go(Number(made.dataset.hit));
    });
    this.input.addEventListener("blur", () => this.hide());
    document.addEventListener("keydown", (event) => {
      const isWriting = event.target.matches?.("input, textarea, select");
      if (event.key !== "/" || isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.input.focus();
      this.input.select();
    });
  }

  ask() {
    this.index ??= searchIndex(this.mapping);
    const question = this.input.value;
    const words = question.toLowerCase().split(/\s+/).filter(Boolean);
    const { hits, count } = searched(this.index, question);
    this.hits = hits;
    const options = hits.map((hit, at) =>
      element("div", { role: "option", id: `hit${at}`, "data-hit": at, "aria-selected": "false" },
        element("span.kind", {}, hit.kind), element("span.found", {}, ...marked(hit.name, words)), element("span.owner", {}, ...marked(hit.owner, words))));
    const all = `${numberFormat.format(count)} found`;
    this.count.textContent = !count ? "Nothing is called that." : count > hits.length ? `${all}; the first ${hits.length} are listed.` : `${all}.`;
    this.list.replaceChildren(...options);
    this.answer.hidden = !words.length;
    this.answer.scrollTop = 0;
    this.input.setAttribute("aria-expanded", `${!this.answer.hidden}`);
    this.choose(hits.length ? 0 : -1);
    if (words.length) say(this.count.textContent);
  }

  choose(at) {
    this.list.children[this.active]?.setAttribute("aria-selected", "false");
    this.active = at;
    const made = at >= 0 ? this.list.children[at] : null;
    made?.setAttribute("aria-selected", "true");
    made?.scrollIntoView({ block: "nearest" });
    if (made) this.input.setAttribute("aria-activedescendant", made.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  pressed(event) {
    const last = this.hits.length - 1;
    if (event.key === "ArrowDown") this.choose(this.active < last ? this.active + 1 : 0);
    else if (event.key === "ArrowUp") this.choose(this.active > 0 ? this.active - 1 : last);
    else if (event.key === "Enter" && this.active >= 0 && !this.answer.hidden) this.go(this.active);
    else if (event.key === "Escape") this.escape();
    else return;
    event.preventDefault();
  }

  /** Escape clears what is written; once more leaves the search. */
  escape() {
    if (!this.input.value) {
      this.input.blur();
      document.querySelector("#view [tabindex='0']")?.focus();
      return;
    }
    this.input.value = "";
    this.ask();
  }

  go(at) {
    this.input.value = "";
    this.hide();
    this.input.blur();
    if (location.hash === this.hits[at].href) page.show();
    else location.hash = this.hits[at].href;
  }

  hide() {
    this.answer.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
}
