// The contents while one scrolls, and what is printed.

// The section that is being read, in the contents.
function contents() {
  const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
  const seen = new Set();
  const observer = new IntersectionObserver((entries) => {
    entries.forEach((entry) => (entry.isIntersecting ? seen.add(entry.target.id) : seen.delete(entry.target.id)));
    const first = [...links.keys()].find((id) => seen.has(id));
    links.forEach((link, id) => (id === first ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
    const now = links.get(first), list = now && now.closest("ul");
    if (list && list.scrollWidth > list.clientWidth) list.scrollLeft = now.offsetLeft - list.offsetLeft - 16;
  }, { rootMargin: "-60px 0px -60% 0px" });
  links.forEach((_, id) => observer.observe(document.getElementById(id)));
}

// On paper: of each model the worst violations in full, and the notes; the other violations are left to the screen.
function printing() {
  const kept = document.getElementById("kept");
  const opened = [];
  const depth = (node) => (node.dataset.v === "" ? Infinity : Number(node.dataset.v));
  addEventListener("beforeprint", () => {
    const of = [...document.querySelectorAll("details.notes")];
    if (kept) {
      kept.hidden = false;
      const byCard = new Map();
      for (const node of kept.querySelectorAll(":scope > details")) {
        byCard.set(node.dataset.card, [...(byCard.get(node.dataset.card) || []), node]);
      }
      for (const nodes of byCard.values()) of.push(...nodes.sort((a, b) => depth(b) - depth(a)).slice(0, 3));
    }
    for (const node of of) if (!node.open) { node.open = true; opened.push(node); }
  });
  addEventListener("afterprint", () => {
    opened.splice(0).forEach((node) => { node.open = false; });
    if (kept) kept.hidden = true;
  });
}
