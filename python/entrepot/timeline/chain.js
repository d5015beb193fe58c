/** The chain of jobs as the rows of the page tell it (content.py). */

class Run {
  constructor(row, chain) {
    const [relation, outcome, rule, reason, path, read, inserted, updated, deleted, statements, start, took] = row;
    Object.assign(this, { read, inserted, updated, deleted, statements, start, took });
    this.relation = chain.relations[relation];
    this.outcome = OUTCOMES[outcome];
    this.rule = rule < 0 ? "" : chain.words[rule];
    this.reason = reason < 0 ? "" : chain.words[reason];
    this.path = path < 0 ? "" : chain.words[path];
  }

  /** Whether all words stand in it somewhere. */
  has(words) {
    this.text ??= `${this.relation} ${this.rule} ${this.reason} ${this.path} ${SAYS[this.outcome]}`.toLowerCase();
    return words.every((word) => this.text.includes(word));
  }
}

class Job {
  constructor(row, chain) {
    const [number, command, state, published, started, ended, detail, runs] = row;
    Object.assign(this, { number, command, state, started, ended, detail });
    this.isPublished = published === 1;
    this.runs = runs.map((run) => new Run(run, chain));
    this.place();
    this.took = ended < 0 ? (state === "running" ? chain.at - started : -1) : ended - started;
    this.span = Math.max(this.took, ...this.runs.map((run) => run.start + run.took), 1);
  }

  /** Runs of which nobody knows when they began stand one after the other, as they are noted. */
  place() {
    let end = 0;
    for (const run of this.runs) {
      if (run.start < 0) run.start = end;
      end = Math.max(end, run.start + run.took);
    }
  }

  /** What it came to: `published` of those that were, else its state. */
  get result() {
    return this.isPublished ? "published" : this.state;
  }

  count(outcome) {
    return this.runs.reduce((sum, run) => sum + (run.outcome === outcome), 0);
  }

  sum(what) {
    return this.runs.reduce((sum, run) => sum + Math.max(0, what(run)), 0);
  }
}

/** Return the chain that rows tell. */
function readChain(rows) {
  const [project, at, earlier, words, relations, jobs, sources, waiting, broken, progress] = rows;
  const chain = { project, at, earlier, words, relations, broken, progress };
  chain.jobs = jobs.map((row) => new Job(row, chain));
  chain.sources = sources.map(([name, points]) => ({ name, points: points.map(([job, moment, heard]) => ({ job, at: moment, heard })) }));
  chain.waiting = waiting.map(([says, total, reasons, more, problem, job]) => ({ says, total, reasons, more, problem, job }));
  return chain;
}
