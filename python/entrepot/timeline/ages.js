/** The whole time at once: jobs on an axis, and below it how old the data of each source was. */

const SVG = "http://www.w3.org/2000/svg";
const WIDE = 1000;
const ROW = 40;

/** Return an element of a drawing. */
function drawn(tag, attributes = {}, ...content) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

/** Return a drawing that is as wide as its place; its units across are thousandths of that. */
function drawing(height, says) {
  return drawn("svg", { viewBox: `0 0 ${WIDE} ${height}`, preserveAspectRatio: "none", height, role: "img", "aria-label": says });
}

class Ages {
  /**
   * @param {object} chain - the chain
   * @param {function(Job)} open - shows a job
   */
  constructor(chain, open) {
    this.chain = chain;
    this.open = open;
    this.from = chain.jobs.length ? chain.jobs.at(-1).started : chain.at - 1;
    this.to = Math.max(chain.at, this.from + 1);
    this.node = element("section.ages", { "aria-label": "All the time" }, this.jobs(), ...chain.sources.map((source) => this.source(source)), this.axis());
    this.node.addEventListener("pointermove", (event) => this.tell(event));
    this.node.addEventListener("pointerleave", () => say(""));
  }

  across(at) {
    return ((at - this.from) / (this.to - this.from)) * WIDE;
  }

  row(name, quiet, picture) {
    return element("div.span", {}, element("div.of", {}, element("strong", {}, name), element("span", {}, quiet)), element("div.plot", {}, picture));
  }

  /** A mark for each job, as high as it took long. */
  jobs() {
    const { jobs } = this.chain;
    const longest = Math.max(1, ...jobs.map((job) => job.took));
    const picture = drawing(ROW, `${plural(jobs.length, "job")}, the longest of ${span(longest)}`);
    for (const job of jobs) {
      const high = job.took < 0 ? ROW : Math.max(4, Math.sqrt(job.took / longest) * (ROW - 2));
      const wide = Math.max(2.2, job.took < 0 ? 0 : (job.took / (this.to - this.from)) * WIDE);
      const left = Math.min(this.across(job.started), WIDE - wide);
      picture.append(drawn("rect", { class: job.result, x: left, y: ROW - high, width: wide, height: high }));
    }
    picture.addEventListener("click", (event) => {
      const job = this.at(event);
      if (job) this.open(job);
    });
    return this.row("jobs", `up to ${span(longest)}`, picture);
  }

  /** How old the data of a source was: older with the time, until a job lands what has been heard since. */
  source(source) {
    const known = source.points.filter((point) => point.heard >= 0);
    if (!known.length) return this.row(source.name, "never heard", drawing(ROW, `${source.name}: never heard`));
    const corners = [];
    known.forEach((point, place) => {
      const end = known[place + 1]?.at ?? this.to;
      corners.push([point.at, point.at - point.heard], [end, end - point.heard]);
    });
    const oldest = Math.max(...corners.map(([, old]) => old));
    const now = this.to - known.at(-1).heard;
    const picture = drawing(ROW, `${source.name}: ${span(now)} old now, ${span(oldest)} at most`);
    const at = ([when, old]) => `${this.across(when).toFixed(1)} ${(ROW - 1 - (old / (oldest || 1)) * (ROW - 4)).toFixed(1)}`;
    const line = corners.map(at).join(" L ");
    picture.append(
      drawn("path", { class: "area", d: `M ${this.across(corners[0][0]).toFixed(1)} ${ROW} L ${line} L ${this.across(this.to).toFixed(1)} ${ROW} Z` }),
      drawn("path", { class: "edge", d: `M ${line}` }),
    );
    return this.row(source.name, `${span(now)} old, ${span(oldest)} at most`, picture);
  }

  axis() {
    return element("div.span.axis", {}, element("div.of", {}, "UTC"), element("div.plot", {}, element("span", {}, moment(this.from)), element("span", {}, moment(this.to))));
  }

  /** Return the job at a place of the picture: the nearest one. */
  at(event) {
    const plot = event.target.closest(".plot");
    if (!plot) return null;
    const box = plot.getBoundingClientRect();
    const when = this.from + ((event.clientX - box.left) / box.width) * (this.to - this.from);
    const far = (job) => (when < job.started ? job.started - when : Math.max(0, when - job.started - Math.max(0, job.took)));
    return this.chain.jobs.reduce((best, job) => (best && far(best) <= far(job) ? best : job), null);
  }

  tell(event) {
    const job = this.at(event);
    if (!job) return;
    const ages = this.chain.sources.map((source) => {
      const point = source.points.findLast((one) => one.job <= job.number && one.heard >= 0);
      return point ? `${source.name} ${span(point.at - point.heard)} old` : "";
    });
    say([`job ${job.number}`, moment(job.started), job.result, job.took < 0 ? "" : span(job.took), ...ages].filter(Boolean).join(" · "));
  }
}
