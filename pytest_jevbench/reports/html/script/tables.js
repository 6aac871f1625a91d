// Sorting and shortening tables, and copying commands.

function valueOf(cell, kind) {
  const told = cell && cell.dataset.v !== undefined ? cell.dataset.v : cell ? cell.textContent.trim() : "";
  if (kind === "t") return told;
  return told === "" ? null : Number(told);
}

function compare(a, b, kind, down) {
  if (a === null || b === null) return (a === null) - (b === null); // what has no figure comes last
  const order = kind === "t" ? a.localeCompare(b) : a - b;
  return down ? -order : order;
}

function limitRows(table, all) {
  const limit = Number(table.dataset.limit);
  if (!limit) return;
  [...table.querySelectorAll("tbody tr")].forEach((row, at) => row.classList.toggle("more", !all && at >= limit));
}

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...table.querySelectorAll("tbody tr")].filter((row) => !row.classList.contains("group"));
  heads.forEach((head, column) => {
    const kind = head.dataset.kind;
    if (!kind) return;
    const button = make("button", { type: "button" });
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const down = now === "none" ? kind === "n" : now === "ascending";
      heads.forEach((other) => other.hasAttribute("aria-sort") && other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const keyed = rows.map((row) => [valueOf(row.cells[column], kind), row]);
      keyed.sort((a, b) => compare(a[0], b[0], kind, down));
      table.classList.add("sorted");
      table.tBodies[table.tBodies.length - 1].append(...keyed.map((pair) => pair[1]));
      limitRows(table, table.dataset.all === "yes");
    });
  });
  if (Number(table.dataset.limit) && rows.length > Number(table.dataset.limit)) {
    limitRows(table, false);
    const button = make("button", { type: "button", className: "showall", text: `Show all ${whole(rows.length)}` });
    button.addEventListener("click", () => {
      table.dataset.all = "yes";
      limitRows(table, true);
      button.remove();
    });
    table.closest(".frame").after(button);
  }
}

// A frame takes the keyboard only where there is something to scroll.
const frames = () =>
  document.querySelectorAll(".frame").forEach((frame) => {
    if (frame.scrollWidth > frame.clientWidth + 1) frame.tabIndex = 0;
    else frame.removeAttribute("tabindex");
  });

function copyButtons(inside) {
  inside.querySelectorAll(".copy").forEach((button) => {
    button.hidden = false;
    button.setAttribute("aria-label", "Copy the command");
  });
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest && event.target.closest(".copy");
  if (!button) return;
  const code = button.parentElement.querySelector("code");
  let copied = false;
  try {
    await navigator.clipboard.writeText(code.textContent);
    copied = true;
  } catch {
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    try { copied = document.execCommand("copy"); } catch { copied = false; }
  }
  button.textContent = copied ? "Copied" : "Selected";
  setTimeout(() => (button.textContent = "Copy"), 2000);
});

function command(text) {
  const code = make("code");
  code.textContent = text;
  const made = make("div", { className: "command" }, code, make("button", { type: "button", className: "copy", text: "Copy" }));
  copyButtons(made);
  return made;
}
