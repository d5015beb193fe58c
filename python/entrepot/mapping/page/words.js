/** Numbers, versions and addresses in words. */

const numberFormat = new Intl.NumberFormat("en");

/** Return a count with its noun: `1 block`, `2 blocks`. */
function counted(count, noun, nouns = `${noun}s`) {
  return `${numberFormat.format(count)} ${count === 1 ? noun : nouns}`;
}

/** Return positions that follow each other as version numbers: `3`, or `3 to 7`. */
function span(schema, first, last) {
  return first === last ? `${schema.versions[first]}` : `${schema.versions[first]} to ${schema.versions[last]}`;
}

/** Return a number that may be very large: below a million as it is, else as a power of ten. */
function size(number) {
  if (number < 1e6) return numberFormat.format(number);
  const power = Math.floor(Math.log10(number));
  const digits = [...`${power}`].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
  return `${(number / 10 ** power).toFixed(1)} · 10${digits}`;
}

/** Return the share that is left out, with as many digits as it takes to be other than 100 %. */
function compaction(elements, cells) {
  if (!cells) return "0 %";
  const left = (100 * elements) / cells;
  const digits = left >= 1 || left === 0 ? 0 : Math.min(6, Math.ceil(-Math.log10(left)) + 1);
  return `${(100 - left).toFixed(digits)} %`;
}

/** Return the fragment of a view's address: `address("schema", "shop.item", "name")`. */
function address(...parts) {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** Return the parts of a fragment; one that nobody has encoded properly is taken as it stands. */
function partsOf(fragment) {
  return fragment
    .replace(/^#\/?/, "")
    .split("/")
    .map((one) => {
      try {
        return decodeURIComponent(one);
      } catch {
        return one;
      }
    });
}
