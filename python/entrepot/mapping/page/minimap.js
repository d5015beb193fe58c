/** The whole matrix on a strip beside the grid: where the blocks are, and which part of them is seen. For the pointer only. */

class Minimap {
  static WIDTH = 84;

  /**
   * @param {Grid} grid - what it moves
   * @param {number[][]} lines - the columns of the blocks in each line
   * @param {() => boolean} holds - whether the lines are those of the grid now
   */
  constructor(grid, lines, holds) {
    this.grid = grid;
    this.lines = lines;
    this.holds = holds;
    this.canvas = element("canvas", {});
    this.frame = element("div.frame");
    this.root = element("div.minimap", { "aria-hidden": true }, this.canvas, this.frame);
    this.root.addEventListener("pointerdown", (event) => {
      this.root.setPointerCapture(event.pointerId);
      this.go(event);
    });
    this.root.addEventListener("pointermove", (event) => event.buttons && this.go(event));
    grid.onScroll = () => this.follow();
  }

  draw() {
    const view = this.grid.root;
    const isNeeded = this.holds() && view.scrollHeight > view.clientHeight * 1.5 && innerWidth > 800;
    this.root.hidden = !isNeeded;
    if (!isNeeded) return;
    const [width, height] = [Minimap.WIDTH, Math.min(view.clientHeight, this.lines.length * 3)];
    const ratio = devicePixelRatio;
    Object.assign(this.canvas, { width: width * ratio, height: height * ratio });
    placed(this.canvas, { width, height });
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.fillStyle = getComputedStyle(this.root).color;
    const [across, down] = [width / this.grid.source.widths.length, height / this.lines.length];
    this.lines.forEach((columns, row) => {
      for (const column of columns) pen.fillRect(column * across, row * down, Math.max(1.5, across), Math.max(1, down));
    });
    this.follow();
  }

  /** Draw the frame around what is seen. */
  follow() {
    if (this.root.hidden) return;
    const view = this.grid.root;
    const [width, height] = [Minimap.WIDTH, this.canvas.clientHeight];
    const { headWidth, headHeight } = this.grid.source;
    const [wide, high] = [view.scrollWidth - headWidth, view.scrollHeight - headHeight];
    placed(this.frame, {
      left: (view.scrollLeft / wide) * width, width: Math.min(1, (view.clientWidth - headWidth) / wide) * width,
      top: (view.scrollTop / high) * height, height: Math.min(1, (view.clientHeight - headHeight) / high) * height,
    });
  }

  go(event) {
    const view = this.grid.root;
    const box = this.canvas.getBoundingClientRect();
    const share = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    view.scrollTo(share[0] * (view.scrollWidth - this.grid.source.headWidth) - view.clientWidth / 2, share[1] * view.scrollHeight - view.clientHeight / 2);
  }
}
