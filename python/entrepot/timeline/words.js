/** Moments, spans and numbers, as people say them. */

const OUTCOMES = ["changes", "unchanged", "whole", "failed", "skipped", "view"];
const SAYS = {
  changes: "changes computed", unchanged: "unchanged", whole: "all rows computed", failed: "failed", skipped: "left out", view: "view",
};

const UNITS = [["d", 86400, "h", 3600], ["h", 3600, "min", 60], ["min", 60, "s", 1]];

/** Return a span of milliseconds, such as `2 min 5 s`; a short one with a tenth of a second. */
function span(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  for (const [unit, size, restUnit, restSize] of UNITS) {
    if (seconds >= size) {
      const rest = Math.floor((seconds % size) / restSize);
      return `${Math.floor(seconds / size)} ${unit}${rest ? ` ${rest} ${restUnit}` : ""}`;
    }
  }
  return `${Math.floor(seconds)} s`;
}

/** Return a moment in UTC, to the second. */
function moment(at) {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}

/** Return a number with thousands apart; nothing where nobody knows it. */
function amount(count) {
  return count < 0 ? "" : count.toLocaleString("en").replaceAll(",", "\u202f");
}

function plural(count, one, many = `${one}s`) {
  return `${amount(count)} ${count === 1 ? one : many}`;
}
