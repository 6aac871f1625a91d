"use strict";
// Sorting, filtering, copying, and opening a dropped file. Every text goes into the page as text, never as markup.
(() => {
  const root = document.documentElement;
  root.classList.remove("plain");

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

  // Tables ----------------------------------------------------------------------------------------------------------

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

  // Copying ---------------------------------------------------------------------------------------------------------

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

  // The browser of tests --------------------------------------------------------------------------------------------

  const VERDICTS = ["violated", "held", "unjudged", "not_applicable"];
  const WORDS = { violated: "violated", held: "held", unjudged: "not judged", not_applicable: "not applicable", new: "newly violated" };
  const PAGE = 25;

  function testBrowser(data) {
    const place = document.getElementById("browser");
    const form = place.querySelector("form");
    const body = place.querySelector("tbody");
    const table = place.querySelector("table");
    const found = place.querySelector(".found");
    const tests = [];
    data.cards.forEach((card, number) => card.rows.forEach((row) => tests.push({ card, number, row })));
    for (const test of tests) {
      const deviations = test.row[5].map((outcome) => outcome[0]);
      test.deviation = deviations.includes(null) ? Infinity : deviations.length ? Math.max(...deviations) : null;
      test.flip = test.row[5].some((outcome) => outcome[2] === 1) ? 1 : test.row[5].some((outcome) => outcome[2] === 0) ? 0 : null;
    }
    const text = {
      relation: (test) => test.card.relations[test.row[0]],
      case: (test) => test.card.cases[test.row[1]],
      key: (test) => test.card.keys[test.row[2]],
      model: (test) => test.card.name,
      domain: (test) => test.card.domains[test.card.caseDomains[test.row[1]]],
      verdict: (test) => WORDS[VERDICTS[test.row[3]]],
    };

    function options(name, values, first) {
      const select = form.elements[name];
      if (first) select.append(make("option", { value: "", text: first }));
      for (const value of values) {
        const option = make("option", { text: cut(value, 60) });
        option.value = value;
        select.append(option);
      }
    }
    const distinct = (name) => [...new Set(tests.map(text[name]))].filter((value) => value !== "");
    options("model", distinct("model"), "all models");
    options("domain", distinct("domain").sort(), "all domains");
    options("key", distinct("key").sort(), "all questions");
    if (distinct("domain").length === 0) form.elements.domain.closest("label").remove();
    if (data.cards.length === 1) place.classList.add("single");
    const present = new Set(tests.map((test) => VERDICTS[test.row[3]]));
    const verdicts = VERDICTS.filter((name) => present.has(name));
    if (data.cards.some((card) => card.compared)) verdicts.unshift("new");
    for (const name of verdicts) form.elements.verdict.append(make("option", { value: name, text: WORDS[name] }));
    form.elements.verdict.append(make("option", { value: "", text: "all" }));
    const preset = present.has("violated") ? "violated" : "";
    const chosen = [...form.elements.verdict.options].find((option) => option.value === preset);
    chosen.defaultSelected = chosen.selected = true;
    const relations = form.elements.relation;
    relations.append(make("option", { value: "", text: "all relations" }));
    const groups = new Map();
    const tested = new Set(distinct("relation"));
    for (const [name, law] of Object.entries(data.laws)) {
      if (!tested.has(name)) continue;
      if (!groups.has(law[0])) groups.set(law[0], make("optgroup", { label: law[0] }));
      groups.get(law[0]).append(make("option", { value: name, text: name }));
    }
    relations.append(...groups.values());
    for (const name of tested) if (!(name in data.laws)) relations.append(make("option", { value: name, text: name }));

    let by = "deviation", down = true, page = 0, shown = [];

    function filter() {
      const want = Object.fromEntries(["model", "verdict", "relation", "domain", "key", "case"].map((name) => [name, form.elements[name] ? form.elements[name].value : ""]));
      const part = want.case.trim().toLowerCase();
      const flips = form.elements.flips.checked;
      shown = tests.filter((test) =>
        (!want.model || text.model(test) === want.model) &&
        (!want.verdict || (want.verdict === "new" ? test.row[7] === 1 : VERDICTS[test.row[3]] === want.verdict)) &&
        (!want.relation || text.relation(test) === want.relation) &&
        (!want.domain || text.domain(test) === want.domain) &&
        (!want.key || text.key(test) === want.key) &&
        (!part || text.case(test).toLowerCase().includes(part)) &&
        (!flips || test.flip === 1));
      page = 0;
      sort();
    }

    function sort() {
      const figure = by === "deviation" || by === "flip";
      const of = figure ? (test) => test[by] : text[by];
      shown.sort((a, b) => compare(of(a), of(b), figure ? "n" : "t", down));
      draw();
    }

    function draw() {
      const pages = Math.max(1, Math.ceil(shown.length / PAGE));
      page = Math.min(Math.max(page, 0), pages - 1);
      const rows = shown.slice(page * PAGE, (page + 1) * PAGE);
      body.replaceChildren(...rows.map(row));
      const all = tests.length;
      found.textContent = `${whole(shown.length)} of ${whole(all)} ${all === 1 ? "test" : "tests"}`;
      place.querySelector(".pages").hidden = pages === 1;
      place.querySelector(".page").textContent = `Page ${whole(page + 1)} of ${whole(pages)}`;
      place.querySelector('[data-page="-1"]').disabled = page === 0;
      place.querySelector('[data-page="1"]').disabled = page === pages - 1;
      if (!rows.length) body.append(make("tr", {}, make("td", { colspan: 7, className: "soft", text: "No test fits the filter." })));
    }

    function row(test) {
      const open = make("button", { type: "button", className: "open", "aria-expanded": "false", text: text.relation(test) });
      const verdict = VERDICTS[test.row[3]];
      const cell = (name) => make("td", { className: "id cut opt", text: text[name](test), title: text[name](test) });
      const deviation = test.deviation === null ? "" : test.deviation === Infinity ? "not finite" : test.deviation.toFixed(3);
      const line = make("tr", {},
        make("td", {}, open, make("span", { className: "sub", text: [text.case(test), text.key(test), ...(data.cards.length > 1 ? [text.model(test)] : [])].map((part) => cut(part, 80)).join(" · ") })), cell("case"), cell("key"),
        make("td", { className: "of-model id", text: text.model(test) }),
        make("td", { className: `opt ${verdict === "violated" ? "bad" : "soft"}`, text: test.row[7] === 1 ? "new" : WORDS[verdict] }),
        make("td", { className: "n", text: deviation }),
        make("td", { className: "opt", text: test.flip === 1 ? "flips" : test.flip === 0 ? "stays" : "" }));
      open.addEventListener("click", () => toggle(test, line, open));
      return line;
    }

    function toggle(test, line, open) {
      const opened = open.getAttribute("aria-expanded") === "true";
      open.setAttribute("aria-expanded", String(!opened));
      line.classList.toggle("opened", !opened);
      if (opened) line.nextElementSibling.remove();
      else line.after(make("tr", { className: "full" }, make("td", { colspan: 7 }, inFull(test))));
    }

    function inFull(test) {
      const kept = test.row[6] ? document.getElementById(test.row[6]) : null;
      if (kept) {
        const copy = kept.querySelector(".violation").cloneNode(true);
        copyButtons(copy);
        return copy;
      }
      const law = data.laws[text.relation(test)] || ["", "", "", ""];
      const made = make("div", { className: "violation" });
      if (law[1]) made.append(make("p", { className: "lawtext", text: law[1] + " " }, make("code", { className: "formula", text: law[2] })));
      const facts = make("dl", { className: "where" });
      const fact = (name, value) => facts.append(make("div", {}, make("dt", { text: name }), make("dd", { className: "id", text: value })));
      fact("Case", text.case(test));
      fact("Question", text.key(test));
      if (text.domain(test)) fact("Domain", text.domain(test));
      fact("Verdict", WORDS[VERDICTS[test.row[3]]]);
      made.append(facts);
      if (VERDICTS[test.row[3]] === "unjudged") made.append(make("p", { className: "warn", text: test.card.errors[test.row[4]] || "" }));
      if (test.row[5].length) made.append(outcomes(test, law[3]));
      made.append(
        make("p", { className: "ask", text: "Ask again, with requests and answers" }),
        command(test.card.ask[0] + nodeId(test) + test.card.ask[1]));
      made.append(make("p", { className: "soft", text: "The card keeps requests and answers of the worst violations of each relation alone." }));
      return made;
    }

    function outcomes(test, check) {
      const heads = ["questions", "variant", "deviation", "allowed", "decision", "verdict"];
      const rows = test.row[5].map((outcome) => {
        const keys = outcome[6] ? outcome[6].map((key) => test.card.keys[key]) : [text.key(test)];
        return make("tr", {},
          make("th", { scope: "row", className: "id", text: keys.join(", ") }),
          make("td", { className: "n", text: outcome[4] }),
          make("td", { className: "n strong", text: outcome[0] === null ? "not finite" : outcome[0].toFixed(4) }),
          make("td", { className: "n", text: String(outcome[1]) }),
          make("td", { text: outcome[2] === 1 ? "flips" : outcome[2] === 0 ? "stays" : "-" }),
          make("td", { className: outcome[3] ? "bad" : "good", text: outcome[3] ? "violated" : "held" }));
      });
      return make("div", { className: "frame" }, make("table", { className: "answers" },
        make("caption", { text: check ? `Outcomes, measured as ${check}` : "Outcomes" }),
        make("thead", {}, make("tr", {}, ...heads.map((head, at) => make("th", { scope: "col", className: at > 0 && at < 4 ? "n" : "", text: head })))),
        make("tbody", {}, ...rows)));
    }

    function nodeId(test) {
      const { card, row: of } = test;
      const slug = (slugs, texts, number) => slugs[number] || texts[number];
      return `${card.suite}::${slug(card.caseSlugs, card.cases, of[1])}::${card.relations[of[0]]}-${slug(card.keySlugs, card.keys, of[2])}`;
    }

    const heads = [...table.tHead.querySelectorAll("[data-by]")];
    const mark = () => heads.forEach((head) => head.setAttribute("aria-sort", head.dataset.by === by ? (down ? "descending" : "ascending") : "none"));
    for (const head of heads) {
      const button = make("button", { type: "button", text: head.textContent });
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        down = by === head.dataset.by ? !down : ["deviation", "flip"].includes(head.dataset.by);
        by = head.dataset.by;
        page = 0;
        mark();
        sort();
      });
    }
    mark();
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(filter));
    place.querySelectorAll("[data-page]").forEach((button) => button.addEventListener("click", () => {
      page += Number(button.dataset.page);
      draw();
      place.querySelector(".found").scrollIntoView({ block: "nearest" });
    }));
    document.addEventListener("click", (event) => {
      const link = event.target.closest && event.target.closest("a[data-relation]");
      if (!link) return;
      form.reset();
      form.elements.relation.value = link.dataset.relation;
      form.elements.verdict.value = "";
      setTimeout(() => {
        form.elements.relation.value = link.dataset.relation;
        form.elements.verdict.value = "";
        filter();
      });
    });
    document.getElementById("kept").hidden = true;
    place.hidden = false;
    filter();
  }

  // A dropped file --------------------------------------------------------------------------------------------------

  function plainTable(caption, heads, rows) {
    return make("div", { className: "frame", role: "region", "aria-label": caption },
      make("table", {}, make("caption", { text: caption }),
        make("thead", {}, make("tr", {}, ...heads.map((head, at) => make("th", { scope: "col", className: at ? "n" : "", text: head })))),
        make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((cell, at) =>
          cell instanceof Node ? make("td", { className: "track short" }, cell)
            : make(at ? "td" : "th", { className: at ? "n" : "id", scope: at ? null : "row", text: cut(String(cell), 300) })))))));
  }

  function bar(share) {
    const made = make("span", { className: "bar", "aria-hidden": "true" });
    if (typeof share === "number" && share >= 0 && share <= 1) made.append(make("i", { width: `${(100 * share).toFixed(2)}%` }));
    return made;
  }

  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const array = (value) => (Array.isArray(value) ? value.filter(isObject) : []);
  const interval = (of) => (isObject(of) ? `[${percent(of.low)}, ${percent(of.high)}]` : "");
  const amount = (value) => (typeof value === "number" && Number.isFinite(value) ? whole(value) : "-");

  function openCard(card) {
    const parts = [];
    const identity = isObject(card.identity) ? card.identity : {};
    const name = (of) => (isObject(of) && typeof of.name === "string" ? of.name : "");
    parts.push(make("h3", { text: cut(`${name(identity.model) || "a model"} on ${name(identity.suite) || "own cases"}`, 300) }));
    const counts = isObject(card.counts) ? card.counts : {};
    const unjudged = isObject(counts.unjudged) ? counts.unjudged.total : 0;
    parts.push(make("p", { text: `${amount(counts.planned)} tests planned: ${amount(counts.held)} held, ${amount(counts.violated)} violated, ${amount(unjudged)} not judged` }));
    if (isObject(card.gate) && typeof card.gate.decision === "string") parts.push(make("p", { text: `The gate: ${card.gate.decision}` }));
    const scores = isObject(card.scores) ? card.scores : {};
    const means = [scores.overall, ...array(scores.dimensions)].filter(isObject);
    parts.push(plainTable("Scores", ["score", "", "value", "95 % interval", "graded", "tests"], means.map((mean) => [
      String(mean.name), bar(mean.score), percent(mean.score), interval(mean.interval), percent(mean.graded), amount(mean.tests)])));
    if (isObject(card.accuracy)) parts.push(make("p", { text: `Accuracy on ${amount(card.accuracy.answered)} gold answers: ${percent(card.accuracy.accuracy_answered)} ${interval(card.accuracy.accuracy_answered_interval)}; guessing ${percent(card.accuracy.chance)}` }));
    const relations = [...array(card.relations), ...array(card.diagnostics)];
    parts.push(make("details", { open: true }, make("summary", { text: `Relations (${relations.length})` }),
      plainTable("Relations", ["relation", "", "held", "judged", "violated"], relations.map((row) => {
        const share = typeof row.violation_rate === "number" ? 1 - row.violation_rate : null;
        return [String(row.name), bar(share), percent(share), amount(row.judged), amount(row.violated)];
      }))));
    return parts;
  }

  // A result that has no view of its own here: its figures as they stand, lists of objects by their number.
  function openResult(value, kind) {
    const figures = [];
    const walk = (of, path, depth) => {
      for (const [name, item] of Object.entries(of)) {
        if (figures.length >= 400) return;
        const at = path ? `${path}.${name}` : name;
        if (isObject(item) && depth < 5) walk(item, at, depth + 1);
        else if (Array.isArray(item)) figures.push([at, `${whole(item.length)} entries`]);
        else if (typeof item === "number") figures.push([at, Number.isInteger(item) ? whole(item) : String(Number(item.toPrecision(6)))]);
        else if (item === null) figures.push([at, "not defined"]);
        else figures.push([at, cut(String(item), 200)]);
      }
    };
    walk(value, "", 0);
    return [make("h3", { text: kind }), plainTable("Figures", ["field", "value"], figures)];
  }

  function openText(text, name, place) {
    let value;
    try { value = JSON.parse(text); } catch (error) { return place.prepend(make("p", { className: "bad", text: `${name}: this is not JSON (${error.message})` })); }
    let parts = null;
    if (isObject(value) && value.format === "jevbench-labelled") parts = openResult(value, "Labelled result");
    else if (isObject(value) && value.format === "jevbench-judges") parts = openResult(value, "Judge result");
    else if (isObject(value) && isObject(value.scores) && "schema_version" in value) parts = openCard(value);
    if (!parts) return place.prepend(make("p", { className: "bad", text: `${name}: this is neither a coherence card nor a labelled or judge result` }));
    const made = make("article", { className: "opened-file", tabindex: "-1", "aria-label": cut(name, 200) }, make("p", { className: "soft", text: cut(name, 200) }), ...parts);
    place.prepend(made);
    made.focus({ preventScroll: true });
    made.scrollIntoView({ block: "nearest" });
  }

  function dropZone() {
    const zone = document.getElementById("open");
    zone.hidden = false;
    const place = zone.querySelector(".opened");
    const take = (files) => [...files].forEach(async (file) => openText(await file.text(), file.name, place));
    const input = zone.querySelector("input");
    zone.querySelector("button").addEventListener("click", () => input.click());
    input.addEventListener("change", () => { take(input.files); input.value = ""; });
    addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
    addEventListener("dragleave", (event) => { if (!event.relatedTarget) zone.classList.remove("over"); });
    addEventListener("drop", (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      if (event.dataTransfer) take(event.dataTransfer.files);
    });
  }

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

  document.querySelectorAll("table[data-sortable]").forEach(sortable);
  copyButtons(document);
  const data = document.getElementById("tests-data");
  if (data) testBrowser(JSON.parse(data.textContent));
  dropZone();
  contents();
  frames();
  addEventListener("resize", frames);
  printing();
})();
