/** The page: what waits, all the time at once, and the jobs; a live one asks for newer rows by itself. */

const EVERY = 5000;
const STATES = [["all", "all jobs"], ["published", "published"], ["finished", "finished"], ["failed", "failed"], ["killed", "killed"], ["running", "running"]];

const page = {
  opened: new Set(),

  /** Show what rows tell; what is open, chosen and scrolled to stays. */
  read(rows) {
    this.chain = readChain(rows);
    const focused = document.activeElement?.dataset?.job;
    const scrolled = part("view").scrollTop;
    this.list = new JobList(this.chain, this.opened);
    this.ages = new Ages(this.chain, (job) => this.go(job));
    part("project").textContent = this.chain.project;
    document.title = ["Jobs", this.chain.project].filter(Boolean).join(" · ");
    part("view").replaceChildren(this.facts(), this.waiting(), this.ages.node, this.legend(), this.list.node);
    this.filter();
    part("view").scrollTop = scrolled;
    if (focused) this.list.head(focused)?.focus({ preventScroll: true });
  },

  facts() {
    const { jobs, at, earlier, broken } = this.chain;
    const newest = jobs.find((job) => job.isPublished);
    const facts = [
      `${plural(jobs.length, "job")}${earlier ? `, and ${amount(earlier)} before that are not shown` : ""}`,
      newest ? `published by job ${newest.number}, ${span(at - Math.max(newest.ended, newest.started))} before` : "nothing published",
      `as the books were at ${moment(at)} UTC`,
    ];
    return element("div.facts", {}, ...facts.map((fact) => element("span", {}, fact)), ...broken.map((sentence) => element("span.lost", {}, `Broken: ${sentence}`)));
  },

  /** What waits for somebody, as jobs have counted it. */
  waiting() {
    const told = ({ says, total, reasons, more, problem }) => {
      const why = problem || reasons.filter(([reason]) => reason).map(([reason, count]) => `${amount(count)} ${reason}`).join("; ") + (more ? " …" : "");
      return element(`li${total === 0 ? ".none" : ""}`, {}, element("strong", {}, total < 0 ? "?" : amount(total)), element("span", {}, says), element("small", {}, why));
    };
    return element("ul.waits", { "aria-label": "What waits for somebody" }, ...this.chain.waiting.map(told));
  },

  legend() {
    const marks = ["changes", "whole", "view", "failed"].map((outcome) => element(`span.${outcome}`, {}, element("span.mark", {}), SAYS[outcome]));
    return element("div.legend", {}, ...marks, element("span.keys", {}, "↑ ↓ go · → opens · ← closes · / searches"));
  },

  filter() {
    const words = part("query").value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.list.show({ state: part("state").value, words, unchanged: part("unchanged").checked });
    say(words.length || part("state").value !== "all" ? `${amount(found)} of ${plural(this.chain.jobs.length, "job")}` : "");
  },

  /** Show a job opened, whatever else is asked for. */
  go(job) {
    if (!this.list.head(job.number)) {
      part("query").value = "";
      part("state").value = "all";
      this.filter();
    }
    this.list.toggle(job, true);
    const head = this.list.head(job.number);
    head.scrollIntoView({ block: "start" });
    head.focus({ preventScroll: true });
  },

  /** Show what the fragment of the address names: `#/job/12`, `#/model/fct_payment`. */
  address() {
    const [kind, name] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
    if (kind === "job") {
      const job = this.chain.jobs.find((one) => `${one.number}` === name);
      if (job) this.go(job);
      else say(`There is no job ${name} here.`);
    } else if (kind === "model") {
      part("query").value = name ?? "";
      this.filter();
    }
  },

  async refresh(address) {
    try {
      const answer = await fetch(address, { cache: "no-store" });
      if (!answer.ok) throw new Error(`${answer.status}`);
      const text = await answer.text();
      if (text !== this.text) this.read(JSON.parse(text));
      this.text = text;
      part("home").classList.remove("gone");
    } catch {
      part("home").classList.add("gone");
      say("The process that has written this page does not answer: what is shown may be old.");
    }
    setTimeout(() => this.refresh(address), EVERY);
  },
};

part("state").append(...STATES.map(([value, says]) => element("option", { value }, says)));
for (const name of ["state", "unchanged"]) part(name).addEventListener("change", () => page.filter());
part("query").addEventListener("input", () => page.filter());
part("query").addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    part("query").value = "";
    page.filter();
  } else if (event.key === "ArrowDown" || event.key === "Enter") {
    page.list.node.querySelector(".head")?.focus();
    event.preventDefault();
  }
});
addEventListener("keydown", (event) => {
  if (event.key === "/" && !["INPUT", "SELECT"].includes(document.activeElement.tagName) && !event.ctrlKey && !event.metaKey) {
    part("query").focus();
    part("query").select();
    event.preventDefault();
  }
});
addEventListener("hashchange", () => page.address());
new Colours(() => {});
const { docs, live } = part("rows").dataset;
if (docs) {
  part("docs").href = docsAddress();
  part("docs").hidden = false;
}
page.text = part("rows").textContent;
page.read(JSON.parse(page.text));
page.address();
if (live) setTimeout(() => page.refresh(live), EVERY);
