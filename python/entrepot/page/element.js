/** Elements of the page. Whatever comes from the seeds becomes text, never HTML. */

/**
 * Return a new element.
 *
 * @param {string} tag - such as `div`, with classes behind dots: `a.name.key`
 * @param {object} attributes - attributes by name; those that are null, undefined or false are left out
 * @param {...(Node|string|null)} content - children; texts become text nodes
 */
function element(tag, attributes = {}, ...content) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...content.filter((one) => one !== null && one !== undefined && one !== ""));
  return made;
}

/** Place an element within its container; sizes in pixels. (A style attribute would be refused by the page's security policy.) */
function placed(made, place) {
  for (const [side, pixels] of Object.entries(place)) made.style[side] = `${pixels}px`;
  return made;
}

/** Return the element of the page's frame with this id. */
function part(id) {
  return document.getElementById(id);
}

/** Say something in the line at the foot of the page; readers of screens hear it. */
function say(sentence) {
  part("said").textContent = sentence;
}

/** Return the address of a page of dbt docs; from a file only its static form can be read, which `dbt docs generate --static` writes. */
function docsAddress(fragment = "") {
  const { docs } = part("rows").dataset;
  return (location.protocol === "file:" ? docs.replace(/index\.html$/, "static_index.html") : docs) + fragment;
}
