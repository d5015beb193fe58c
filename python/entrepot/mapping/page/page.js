/** The page: it reads the mapping once and shows the view that the fragment of its address names. */

const views = { "": MatrixView, "by-name": MatrixView, schema: SchemaView, entity: EntityView, review: ReviewView };

const page = {
  mapping: readMapping(JSON.parse(part("rows").textContent)),
  view: null,
  /** {fragment: where its grid stood when it was left} */
  places: new Map(),
  shown: "",

  /** Show what the address says; an address that says nothing shows the matrix. */
  show() {
    const parts = partsOf(location.hash);
    const View = Object.hasOwn(views, parts[0]) ? views[parts[0]] : MatrixView;
    if (this.view?.grid) this.places.set(this.shown, this.view.grid.kept());
    this.view?.close();
    this.shown = location.hash;
    this.view = new View(this.mapping, parts);
    part("view").replaceChildren(this.view.node);
    say("");
    this.view.shown();
    if (this.view.grid && this.places.has(this.shown)) this.view.grid.restore(this.places.get(this.shown));
    document.title = [this.view.title, "Mapping", this.mapping.project].filter(Boolean).join(" · ");
    for (const link of document.querySelectorAll("nav a")) {
      const isHere = View === (link.dataset.view === "review" ? ReviewView : MatrixView);
      if (isHere) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (document.activeElement === document.body) part("view").querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  },
};

part("project").textContent = page.mapping.project;
part("home").title = `Seeds: ${page.mapping.source}`;
const waiting = page.mapping.schemas.reduce((sum, schema) => sum + schema.reviews.length, 0);
part("waiting").textContent = waiting ? `${waiting}` : "";
new Search(page.mapping);
new Colours(() => page.view?.resized());
addEventListener("hashchange", () => page.show());
addEventListener("resize", () => page.view?.resized());
page.show();
