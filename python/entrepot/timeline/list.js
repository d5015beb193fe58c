/** The jobs, newest first, each a line that opens; by keys: ↑ ↓ Home End go, → opens, ← closes. */

class JobList {
  constructor(chain, opened) {
    this.chain = chain;
    /** numbers of the jobs that are open; it outlives newer rows of a live page */
    this.opened = opened;
    this.node = element("ol.jobs", { "aria-label": "Jobs, newest first" });
    this.node.addEventListener("keydown", (event) => this.key(event));
  }

  /**
   * Show the jobs that meet a wish.
   *
   * @param {object} wish - state: which ones; words: what they or one of their models has; unchanged: whether that may be one that did nothing
   */
  show(wish) {
    this.wish = wish;
    const found = this.chain.jobs.map((job) => [job, this.meeting(job)]).filter(([, runs]) => runs);
    this.node.replaceChildren(...found.map(([job, runs]) => this.item(job, runs)));
    if (!found.length) {
      this.node.append(element("li.empty", {}, this.chain.jobs.length ? "No job is like that." : "No job has run on this warehouse yet."));
    }
    return found.length;
  }

  /** Return the runs of a job that are asked for; null where the job is not. */
  meeting(job) {
    const { state, words, unchanged } = this.wish;
    if (state !== "all" && state !== job.result && state !== job.state) return null;
    if (!words.length) return job.runs;
    const own = `${job.number} #${job.number} job ${job.number} ${job.command} ${job.result} ${job.detail}`.toLowerCase();
    if (words.every((word) => (/^#?\d+$/.test(word) ? [`${job.number}`, `#${job.number}`].includes(word) : own.includes(word)))) return job.runs;
    const runs = job.runs.filter((run) => run.has(words) && (unchanged || run.outcome !== "unchanged"));
    return runs.length ? runs : null;
  }

  item(job, runs) {
    const isOpen = this.opened.has(job.number);
    const head = element(
      "button.head",
      { type: "button", "aria-expanded": `${isOpen}`, "data-job": job.number },
      element("span.twist", { "aria-hidden": "true" }, "›"),
      element("span.number", {}, `${job.number}`),
      element(`span.state.${job.result}`, {}, job.result),
      element("span.command", {}, job.command),
      element("span.moment", {}, moment(job.started)),
      element("span.took", {}, job.took < 0 ? "" : span(job.took)),
      element("span.picture", {}, bars(job, runs)),
      element("span.counts", {}, this.counts(job)),
    );
    head.addEventListener("click", () => this.toggle(job));
    const item = element("li", {}, head);
    if (isOpen) item.append(detail(job, runs, this.wish.unchanged));
    return item;
  }

  counts(job) {
    const parts = job.state === "running" && this.chain.progress ? [this.chain.progress] : [];
    const did = job.count("changes") + job.count("whole");
    if (job.runs.length) parts.push(`${did} ran`);
    for (const outcome of ["unchanged", "failed", "skipped"]) if (job.count(outcome)) parts.push(`${job.count(outcome)} ${SAYS[outcome]}`);
    const read = job.sum((run) => run.read);
    const written = job.sum((run) => run.inserted) + job.sum((run) => run.updated) + job.sum((run) => run.deleted);
    if (read || written) parts.push(`${amount(read)} in, ${amount(written)} out`);
    return parts.join(" · ");
  }

  toggle(job, isOpen = !this.opened.has(job.number)) {
    if (isOpen) this.opened.add(job.number);
    else this.opened.delete(job.number);
    const head = this.head(job.number);
    if (!head) return;
    head.setAttribute("aria-expanded", `${isOpen}`);
    head.parentElement.querySelector(".detail")?.remove();
    if (isOpen) head.after(detail(job, this.meeting(job) ?? job.runs, this.wish.unchanged));
  }

  head(number) {
    return this.node.querySelector(`[data-job="${number}"]`);
  }

  key(event) {
    const heads = [...this.node.querySelectorAll(".head")];
    const place = heads.indexOf(document.activeElement);
    if (place < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const job = this.chain.jobs.find((one) => one.number === Number(heads[place].dataset.job));
    const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: heads.length - 1 }[event.key];
    if (next !== undefined) heads[Math.min(heads.length - 1, Math.max(0, next))].focus();
    else if (event.key === "ArrowRight") this.toggle(job, true);
    else if (event.key === "ArrowLeft") this.toggle(job, false);
    else return;
    event.preventDefault();
  }
}
