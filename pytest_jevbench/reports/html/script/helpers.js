// What the other parts share. Every text goes into the page as text, never as markup.

function make(tag, options = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") node.textContent = visible(String(value));
    else if (name === "width" || name === "left") node.style[name] = value;
    else node.setAttribute(name === "className" ? "class" : name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

// Marks of direction and other characters that nobody sees, as their codes.
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;
const visible = (text) =>
  text.replace(HIDDEN, (found) => "\\u" + found.codePointAt(0).toString(16).padStart(4, "0"));
const cut = (text, most) => (text.length > most ? text.slice(0, most) + "…" : text);
const whole = (number) => number.toLocaleString("en-US");

// As the tables print shares: only all is 100 and only none is 0.
function percent(share) {
  if (typeof share !== "number" || !Number.isFinite(share)) return "-";
  let scaled = 100 * share;
  if (share > 0 && share < 1) scaled = Math.min(Math.max(scaled, 0.1), 99.9);
  return scaled.toFixed(1);
}
