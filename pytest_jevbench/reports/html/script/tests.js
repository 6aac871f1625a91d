// The browser of tests: filter, sort, pages, a test in full.

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
