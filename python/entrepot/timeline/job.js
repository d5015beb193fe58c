/** A job's models: when each ran, by which rule and why, what it read and wrote. */

const HEADS = ["model", "rule", "when", "took", "in", "+", "~", "−", "why"];
const NUMBERS = new Set(["took", "in", "+", "~", "−"]);

/**
 * Return a job's runs as a table.
 *
 * @param {Job} job - the job
 * @param {Run[]} runs - those that are asked for
 * @param {boolean} withUnchanged - whether those that did nothing are listed, too
 */
function detail(job, runs, withUnchanged) {
  const idle = runs.filter((run) => run.outcome === "unchanged");
  const listed = (withUnchanged ? runs : runs.filter((run) => run.outcome !== "unchanged")).toSorted((one, other) => one.start - other.start);
  const parts = [];
  if (job.detail) parts.push(element("p.failure", {}, `Failed: ${job.detail}`));
  if (listed.length) {
    const heads = HEADS.map((name) => element(`th${NUMBERS.has(name) ? ".number" : ""}`, { scope: "col" }, name));
    parts.push(element("div.scroll", {}, element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...listed.map((run) => line(job, run))))));
  }
  if (idle.length && !withUnchanged) parts.push(element("p.empty", {}, `${plural(idle.length, "relation")} unchanged.`));
  if (!runs.length) parts.push(element("p.empty", {}, job.state === "running" ? "What it does is in the books when it has ended." : "The books say nothing of what it ran."));
  return element("div.detail", {}, ...parts);
}

function line(job, run) {
  const cell = (name, ...content) => element(`td.${name}`, {}, ...content);
  return element(
    `tr.${run.outcome}`,
    {},
    cell("model", run.relation),
    cell("rule", element("span.mark", {}), run.outcome === "failed" || run.outcome === "skipped" ? SAYS[run.outcome] : run.rule === "skip" ? "unchanged" : run.rule),
    cell("when", bar(job, run)),
    cell("number", span(run.took)),
    cell("number", amount(run.read)),
    cell("number", amount(run.inserted)),
    cell("number", amount(run.updated)),
    cell("number", amount(run.deleted)),
    cell("why", [run.reason, run.path && run.path !== run.rule ? `written by ${run.path}` : ""].filter(Boolean).join("; ")),
  );
}
