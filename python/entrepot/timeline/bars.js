/** The models of a job as bars on its time, in lanes: what ran side by side stands one above the other. */

const LANES = 6;
const LANE = 4;

/** Return {run: lane}, the first lane that is free when a run begins; what finds none stands in the last. */
function lanes(runs) {
  const free = [];
  const found = new Map();
  for (const run of [...runs].sort((one, other) => one.start - other.start)) {
    let lane = free.findIndex((end) => end <= run.start);
    if (lane < 0) lane = free.length < LANES ? free.length : LANES - 1;
    free[lane] = Math.max(free[lane] ?? 0, run.start + run.took);
    found.set(run, lane);
  }
  return found;
}

/** Return all runs of a job as one small drawing: a path for each outcome. */
function bars(job, runs) {
  const seen = runs.filter((run) => run.outcome !== "unchanged" && run.outcome !== "skipped");
  const picture = drawing(LANES * LANE, `${plural(seen.length, "run")} in ${span(job.span)}`);
  picture.classList.add("bars");
  picture.append(drawn("rect", { class: "ground", x: 0, y: 0, width: Math.max(2, (Math.max(0, job.took) / job.span) * WIDE), height: LANES * LANE }));
  const paths = {};
  for (const [run, lane] of lanes(seen)) {
    const wide = Math.max(2.5, (run.took / job.span) * WIDE - 0.6);
    const left = (run.start / job.span) * WIDE;
    (paths[run.outcome] ??= []).push(`M${left.toFixed(1)} ${lane * LANE + 0.5}h${wide.toFixed(1)}v${LANE - 1}h${(-wide).toFixed(1)}z`);
  }
  for (const [outcome, parts] of Object.entries(paths)) picture.append(drawn("path", { class: outcome, d: parts.join("") }));
  return picture;
}

/** Return one run as a bar on the job's time. */
function bar(job, run) {
  const picture = drawing(12, `${span(run.took)}, from ${span(run.start)} on`);
  const wide = Math.max(4, (run.took / job.span) * WIDE);
  picture.append(drawn("rect", { class: run.outcome, x: Math.min((run.start / job.span) * WIDE, WIDE - wide), y: 1, width: wide, height: 10 }));
  return picture;
}
