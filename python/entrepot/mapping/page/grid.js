/** A grid of any size of which only what is seen is in the document: the one way in which this page shows tables. */

const OVERSCAN = 4;

/**
 * What a grid shows.
 *
 * @typedef {object} Source
 * @property {string} label - the name of the grid, for readers of screens
 * @property {number} rows - how many rows
 * @property {number[]} widths - the widths of the columns
 * @property {number} headWidth - the width of the rows' heads
 * @property {number} headHeight - the height of the columns' heads
 * @property {(row: number) => object} head - {content, level, expanded, kind} of a row's head; `expanded` undefined where it cannot be
 * @property {(column: number) => Node} columnHead - the head of a column
 * @property {(row: number, first: number, last: number) => object[]} cells - {column, span, content, kind} of what stands in these columns
 * @property {Node} corner - what stands above the rows' heads
 * @property {(row: number, column: number) => string} describe - a cell in a sentence; column -1 is the row's head, row -1 a column's
 * @property {(row: number, column: number) => void} open - Enter, or a click on a cell
 * @property {(row: number, expanded: boolean) => void} [expand] - a row is to be expanded or collapsed
 */

class Grid {
  static ROW = 30;
  static made = 0;

  /** @param {Source} source */
  constructor(source) {
    this.source = source;
    this.id = `grid${++Grid.made}`;
    this.active = { row: 0, column: -1 };
    this.onScroll = () => {};
    this.body = element("div.body", { role: "rowgroup" });
    this.headRow = element("div.heads", { role: "row", "aria-rowindex": 1 });
    this.top = element("div.top", { role: "rowgroup" }, this.headRow);
    this.root = element("div.grid", { role: "treegrid", tabindex: 0, "aria-label": source.label, "aria-readonly": true }, this.top, this.body);
    this.shown = new Map();
    this.root.addEventListener("scroll", () => this.later(), { passive: true });
    this.root.addEventListener("keydown", (event) => this.pressed(event));
    this.root.addEventListener("click", (event) => this.clicked(event));
    this.root.addEventListener("mousemove", (event) => this.pointed(event));
    this.root.addEventListener("focus", () => this.root.matches(":focus-visible") && this.move(this.active.row, this.active.column));
    this.observer = new ResizeObserver(() => this.later());
    this.observer.observe(this.root);
    this.lay();
  }

  /** Take a changed source: other rows, columns or widths. */
  lay(source = this.source) {
    this.source = source;
    this.offsets = [0];
    for (const width of source.widths) this.offsets.push(this.offsets[this.offsets.length - 1] + width);
    this.width = source.headWidth + this.offsets[this.offsets.length - 1];
    this.root.setAttribute("aria-rowcount", source.rows + 1);
    this.root.setAttribute("aria-colcount", source.widths.length + 1);
    placed(this.top, { width: this.width, height: source.headHeight });
    placed(this.body, { width: this.width, height: source.rows * Grid.ROW });
    placed(this.root, { height: source.headHeight + source.rows * Grid.ROW + 3 });
    const step = new Set(source.widths).size === 1 ? source.widths[0] : 0;
    this.body.classList.toggle("ruled", step > 0);
    for (const [name, pixels] of [["--step", step], ["--from", source.headWidth], ["--across", step * source.widths.length]]) {
      this.body.style.setProperty(name, `${pixels}px`);
    }
    this.active = source.rows ? { ...this.active, row: Math.min(this.active.row, source.rows - 1) } : { row: -1, column: 0 };
    this.draw(true);
  }

  /** Draw before the next frame, once. */
  later() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      this.draw(false);
    });
  }

  /** Return the columns that are seen, first and last. */
  columns() {
    const { scrollLeft, clientWidth } = this.root;
    const last = this.source.widths.length - 1;
    const at = (x) => Math.min(last, Math.max(0, this.offsets.findLastIndex((offset) => offset <= x)));
    return [Math.max(0, at(scrollLeft) - OVERSCAN), Math.min(last, at(scrollLeft + clientWidth - this.source.headWidth) + OVERSCAN)];
  }

  /** Draw what is seen; what was drawn already stays, unless everything has changed. */
  draw(isNew) {
    const { scrollTop, clientHeight } = this.root;
    const [firstColumn, lastColumn] = this.columns();
    const first = Math.max(0, Math.floor(scrollTop / Grid.ROW) - OVERSCAN);
    const last = Math.min(this.source.rows - 1, Math.ceil((scrollTop + clientHeight) / Grid.ROW) + OVERSCAN);
    const columns = `${firstColumn} ${lastColumn}`;
    if (isNew || columns !== this.drawn) {
      this.drawHeads(firstColumn, lastColumn);
      for (const row of this.shown.values()) row.remove();
      this.shown.clear();
    }
    this.drawn = columns;
    for (const [row, made] of this.shown) {
      if (row < first || row > last) {
        made.remove();
        this.shown.delete(row);
      }
    }
    for (let row = first; row <= last; row++) {
      if (this.shown.has(row)) continue;
      const made = this.row(row, firstColumn, lastColumn);
      this.shown.set(row, made);
      this.body.append(made);
    }
    this.onScroll();
  }

  drawHeads(first, last) {
    const corner = placed(element("div.corner", { role: "columnheader", "aria-colindex": 1 }, this.source.corner), { width: this.source.headWidth });
    const heads = [corner];
    for (let column = first; column <= last; column++) {
      const kind = this.isActive(-1, column) ? "div.column.active" : "div.column";
      const made = element(kind, { role: "columnheader", "aria-colindex": column + 2, id: this.cellId(-1, column) }, this.source.columnHead(column));
      Object.assign(made.dataset, { row: -1, column });
      heads.push(placed(made, { left: this.source.headWidth + this.offsets[column], width: this.source.widths[column] }));
    }
    this.headRow.replaceChildren(...heads);
  }

  row(row, first, last) {
    const { content, level, expanded, kind } = this.source.head(row);
    const made = element(kind ? `div.row.${kind}` : "div.row", { role: "row", "aria-rowindex": row + 2, "aria-level": level, "aria-expanded": expanded === undefined ? null : `${expanded}` });
    placed(made, { top: row * Grid.ROW, width: this.width });
    const head = element(this.isActive(row, -1) ? "div.head.active" : "div.head", { role: "rowheader", "aria-colindex": 1, id: this.cellId(row, -1) });
    if (expanded !== undefined) head.append(element("span.twist", { "aria-hidden": true }, "›"));
    head.append(...content);
    Object.assign(head.dataset, { row, column: -1 });
    made.append(placed(head, { width: this.source.headWidth }));
    const cells = this.source.cells(row, first, last);
    if (this.active.row === row && this.active.column >= 0 && !cells.some((cell) => covers(cell, this.active.column))) {
      cells.push({ column: this.active.column, span: 1, content: [] });
    }
    for (const cell of cells) made.append(this.cell(row, cell));
    return made;
  }

  cell(row, { column, span, content, kind }) {
    const isActive = this.active.row === row && covers({ column, span }, this.active.column);
    const made = element(`div.cell${kind ? `.${kind}` : ""}${isActive ? ".active" : ""}`, {
      role: "gridcell", "aria-colindex": column + 2, "aria-colspan": span > 1 ? span : null, id: this.cellId(row, column),
    });
    made.append(...content);
    Object.assign(made.dataset, { row, column });
    const left = this.offsets[column];
    return placed(made, { left: this.source.headWidth + left, width: this.offsets[column + span] - left });
  }

  cellId(row, column) {
    return `${this.id}-${row}-${column}`;
  }

  isActive(row, column) {
    return this.active.row === row && this.active.column === column;
  }

  /** Make a cell the active one, and bring it into view. */
  move(row, column) {
    const before = this.active.row;
    this.active = { row: Math.max(-1, Math.min(row, this.source.rows - 1)), column: Math.max(-1, Math.min(column, this.source.widths.length - 1)) };
    if (this.active.row === -1 && this.active.column === -1) this.active = this.source.rows ? { row: 0, column: -1 } : { row: -1, column: 0 };
    this.reveal(this.active.row, this.active.column);
    for (const one of [before, this.active.row]) {
      this.shown.get(one)?.remove();
      this.shown.delete(one);
    }
    this.draw(before === -1 || this.active.row === -1);
    const made = this.root.querySelector(".active");
    if (made) this.root.setAttribute("aria-activedescendant", made.id);
    say(this.source.describe(this.active.row, this.active.column));
  }

  /** Scroll as far as it takes to see a cell. */
  reveal(row, column) {
    const { headHeight, headWidth } = this.source;
    const view = this.root;
    const seen = view.clientHeight - headHeight;
    if (row >= 0) {
      if (row * Grid.ROW < view.scrollTop) view.scrollTop = row * Grid.ROW;
      else if ((row + 1) * Grid.ROW > view.scrollTop + seen) view.scrollTop = (row + 1) * Grid.ROW - seen;
    }
    if (column >= 0) {
      const wide = view.clientWidth - headWidth;
      if (this.offsets[column] < view.scrollLeft) view.scrollLeft = this.offsets[column];
      else if (this.offsets[column + 1] > view.scrollLeft + wide) view.scrollLeft = this.offsets[column + 1] - wide;
    }
  }

  pressed(event) {
    const { row, column } = this.active;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor((this.root.clientHeight - this.source.headHeight) / Grid.ROW) - 1);
    const expanded = row >= 0 && column === -1 ? this.source.head(row).expanded : undefined;
    const moves = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, this.next(1)], ArrowLeft: [row, this.next(-1)],
      PageDown: [row + page, column], PageUp: [Math.max(0, row - page), column], Home: [row, -1], End: [row, this.source.widths.length - 1],
    };
    if (event.key === "ArrowRight" && expanded === false) this.source.expand(row, true);
    else if (event.key === "ArrowLeft" && expanded === true) this.source.expand(row, false);
    else if (event.key === "Enter") this.source.open(row, column);
    else if (event.key in moves) this.move(...moves[event.key]);
    else return;
    event.preventDefault();
  }

  /** Return the column beside the active cell, which may cover several. */
  next(step) {
    const { row, column } = this.active;
    if (row < 0 || column < 0) return column + step;
    const cell = this.source.cells(row, column, column).find((one) => covers(one, column));
    if (!cell) return column + step;
    return step > 0 ? cell.column + cell.span : cell.column - 1;
  }

  place(event) {
    const made = event.target.closest("[data-row]");
    return made ? { row: Number(made.dataset.row), column: Number(made.dataset.column) } : null;
  }

  clicked(event) {
    const place = this.place(event);
    if (!place || event.target.closest("a") || `${getSelection()}`) return;
    this.move(place.row, place.column);
    const expanded = place.row >= 0 && place.column === -1 ? this.source.head(place.row).expanded : undefined;
    if (expanded !== undefined) this.source.expand(place.row, !expanded);
    else this.source.open(place.row, place.column);
  }

  pointed(event) {
    const place = this.place(event);
    if (!place) return;
    say(this.source.describe(place.row, place.column));
    for (const head of this.headRow.querySelectorAll(".column")) head.classList.toggle("pointed", Number(head.dataset.column) === place.column);
  }

  /** Return where it stands, so that who comes back finds it there. */
  kept() {
    return { top: this.root.scrollTop, left: this.root.scrollLeft, active: this.active };
  }

  /** Stand where it stood. */
  restore({ top, left, active }) {
    this.active = active;
    this.root.scrollTo(left, top);
    this.draw(true);
  }

  /** End. */
  close() {
    this.observer.disconnect();
    cancelAnimationFrame(this.waiting);
  }
}

/** Return the width that a view's grid has; before it is in the document, that of the view without its edges. */
function roomOf(view) {
  return view.grid?.root.clientWidth || view.node.clientWidth - 42;
}

/** Whether a cell stands in a column. */
function covers(cell, column) {
  return cell.column <= column && column < cell.column + cell.span;
}
