"use strict";
// Tables sort by the column whose head is pressed; rows without a figure stay last.
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const given = [...body.rows];
  const value = (row, at, kind) => {
    const cell = row.cells[at];
    if (kind === "t") return cell.textContent.trim().toLowerCase();
    return cell.dataset.v === "" ? null : Number(cell.dataset.v);
  };
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const kind = head.dataset.kind;
    const first = kind === "t" || at === 0 ? "ascending" : "descending";
    button.addEventListener("click", () => {
      const was = head.getAttribute("aria-sort");
      const order = was === null ? first : was === "ascending" ? "descending" : "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const sorted = given.slice().sort((a, b) => {
        const x = value(a, at, kind), y = value(b, at, kind);
        if (x === null || y === null) return (x === null) - (y === null);
        return x < y ? -sign : x > y ? sign : 0;
      });
      body.append(...sorted);
    });
  });
}
