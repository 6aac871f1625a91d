// A card, a labelled result or a judge result that is dropped on the page, opened in it. What such a file holds is not
// trusted: each field is looked at before it is shown, and what is not as expected is left out.

const MOST_BYTES = 256 * 1024 * 1024, MOST_ROWS = 500, MOST_DRAWN = 8;

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const object = (value) => (isObject(value) ? value : {});
const objects = (value) => (Array.isArray(value) ? value.filter(isObject) : []);
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const amount = (value) => (isNumber(value) ? whole(value) : "-");
const decimal = (value, digits = 3) => (isNumber(value) ? value.toFixed(digits) : "-");
const signed = (value, digits = 1) => (isNumber(value) ? (value > 0 ? "+" : "") + value.toFixed(digits) : "-");
const interval = (of) => (isObject(of) ? `[${percent(of.low)}, ${percent(of.high)}]` : "");
const named = (of, other = "") => (isObject(of) && typeof of.name === "string" && of.name ? of.name : other);
const word = (value) => (typeof value === "string" || isNumber(value) ? cut(String(value), 300) : "");
const paragraph = (text, className = null) => make("p", { className, text: cut(text, 1000) });
const heading = (text) => make("h3", { text: cut(text, 300) });

function plainTable(caption, heads, rows, texts = 1) {
  const left = rows.length - MOST_ROWS;
  const cell = (value, at) => value instanceof Node
    ? make("td", { className: "track short opt" }, value)
    : make(at ? "td" : "th", { className: at < texts ? "id" : "n", scope: at ? null : "row", text: cut(String(value), 300) });
  const frame = make("div", { className: "frame", role: "region", "aria-label": caption },
    make("table", {}, make("caption", { text: caption }),
      make("thead", {}, make("tr", {}, ...heads.map((head, at) =>
        make("th", { scope: "col", className: (at < texts ? "" : "n") + (head === "" ? " opt" : ""), text: head })))),
      make("tbody", {}, ...rows.slice(0, MOST_ROWS).map((cells) => make("tr", {}, ...cells.map(cell))))));
  if (left > 0) frame.append(paragraph(`and ${whole(left)} more rows`, "soft"));
  return frame;
}

function bar(share) {
  const made = make("span", { className: "bar", "aria-hidden": "true" });
  if (isNumber(share) && share >= 0 && share <= 1) made.append(make("i", { width: `${(100 * share).toFixed(2)}%` }));
  return made;
}

const folded = (title, open, ...inside) => make("details", { open }, make("summary", { text: title }), ...inside);

function openCard(card) {
  const identity = object(card.identity), counts = object(card.counts), scores = object(card.scores);
  const parts = [heading(`${named(identity.model, "a model")} on ${named(identity.suite, "own cases")}`)];
  parts.push(paragraph(`${amount(counts.planned)} tests planned: ${amount(counts.held)} held, ${amount(counts.violated)} violated, ${amount(object(counts.unjudged).total)} not judged`));
  if (isObject(card.gate) && typeof card.gate.decision === "string") parts.push(paragraph(`The gate: ${card.gate.decision}`));
  const reference = object(object(card.reference).scores);
  const uniform = (name) => (Object.hasOwn(reference, name) ? percent(object(reference[name]).score) : "");
  const beside = objects(scores.groups).filter((group) => /^(JUDGE|OWN)\./.test(group.name));
  const every = [scores.overall, ...objects(scores.dimensions), ...beside].filter(isObject);
  const means = beside.length ? every.filter((mean) => mean.tests !== 0) : every;
  parts.push(plainTable("Scores", ["score", "", "value", "95 % interval", "graded", "tests", "reads nothing"], means.map((mean) => [
    word(mean.name), bar(mean.score), percent(mean.score), interval(mean.interval), percent(mean.graded), amount(mean.tests), uniform(mean.name)])));
  if (isObject(card.accuracy)) parts.push(paragraph(`Accuracy on ${amount(card.accuracy.answered)} gold answers: ${percent(card.accuracy.accuracy_answered)} ${interval(card.accuracy.accuracy_answered_interval)}; guessing ${percent(card.accuracy.chance)}`));
  const relations = [...objects(card.relations), ...objects(card.diagnostics)].slice(0, 4 * MOST_ROWS);
  parts.push(folded(`Relations (${whole(relations.length)})`, true, plainTable("Tests that hold, in percent", ["relation", "", "held", "judged", "violated"], relations.map((row) => {
    const share = isNumber(row.violation_rate) ? 1 - row.violation_rate : null;
    return [word(row.name), bar(share), percent(share), amount(row.judged), amount(row.violated)];
  }))));
  const worst = relations.flatMap((row) => objects(row.worst).map((test) => ({ ...test, relation: row.name }))).filter((test) => isNumber(test.deviation));
  worst.sort((a, b) => b.deviation - a.deviation);
  if (worst.length) parts.push(folded("Worst violations", false, plainTable("By deviation", ["relation", "case", "question", "deviation"],
    worst.slice(0, 20).map((test) => [word(test.relation), word(test.case), word(test.key), decimal(test.deviation)]), 3)));
  return parts;
}

function openLabelled(result) {
  const figures = object(result.figures), counts = object(figures.counts), accuracy = object(figures.accuracy);
  const calibration = object(figures.calibration), latency = object(figures.latency), cost = object(figures.cost);
  const parts = [heading(`${named(result.model, "a model")} on ${named(result.dataset, "labelled tasks")}`)];
  parts.push(paragraph(`${amount(counts.planned)} tasks planned: ${amount(counts.correct)} correct, ${amount(counts.wrong)} wrong, ${amount(counts.unjudged)} not judged${counts.complete === false ? "; incomplete" : ""}`));
  const figure = (title, of) => [title, decimal(object(of).value), amount(object(of).n)];
  parts.push(plainTable("Figures", ["figure", "value", "tasks"], [
    ["accuracy, %", `${percent(accuracy.accuracy_strict)} ${interval(accuracy.interval)}`, amount(accuracy.n)],
    ["mean of families, %", percent(object(figures.macro_accuracy).value), amount(accuracy.n)],
    ["most frequent label, %", percent(accuracy.majority_class), amount(accuracy.n)],
    figure("Brier score", calibration.brier),
    figure("ECE, top label", calibration.ece_top_label),
    figure("ECE of P(yes)", calibration.ece_positive),
    ["median latency, s", decimal(latency.p50_s), amount(latency.n)],
    ["cost, $", decimal(cost.usd, 4), amount(cost.n)],
  ]));
  for (const [title, by] of [["family", figures.by_family], ["split", figures.by_split], ["type", figures.by_type]]) {
    const rows = Object.entries(object(by)).filter((pair) => isObject(pair[1]));
    if (rows.length > 1) parts.push(plainTable(`Accuracy by ${title}`, [title, "", "accuracy, %", "95 % interval", "tasks"], rows.map(([name, of]) => [
      name, bar(of.accuracy_strict), percent(of.accuracy_strict), interval(of.interval), amount(of.n)])));
  }
  return parts;
}

function openJudges(result) {
  const parts = [heading("Judges"), ...(Array.isArray(result.cautions) ? result.cautions : []).slice(0, 20).map((text) => paragraph(word(text), "caution"))];
  const bench = objects(result.bench);
  if (bench.length) parts.push(plainTable("As recorded, on held-out items", ["judge", "", "accuracy, %", "95 % interval", "items", "Brier score", "ECE of P(yes)"], bench.map((row) => {
    const of = object(row.holdout);
    return [word(row.judge), bar(of.accuracy), percent(of.accuracy), interval(of.accuracy_interval), amount(of.n), decimal(of.brier, 4), decimal(of.ece_positive, 4)];
  })));
  const fitted = objects(result.calibration).flatMap((row) => Object.entries(object(row.methods)).slice(0, MOST_ROWS).map(([method, shown]) => [row.judge, method, object(object(object(shown).changes).ece_positive)]));
  if (fitted.length) parts.push(plainTable("ECE of P(yes) on held-out items", ["judge", "method", "before", "after", "change", "verdict"], fitted.map(([judge, method, change]) => [
    word(judge), method, decimal(change.before, 4), decimal(change.after, 4), signed(change.change, 4), word(change.verdict) + (change.certain === false && change.verdict !== "same" ? ", unsure" : "")]), 2));
  const places = objects(result.bias);
  if (places.length) parts.push(plainTable("Both orders of each pair", ["judge", "pairs", "flips", "flip, %", "first wins, %"], places.map((row) => {
    const of = object(row.position);
    return [word(row.judge), amount(of.pairs), amount(of.flips), percent(object(of.flip_rate).value), percent(object(of.first_rate).value)];
  })));
  const agreement = object(result.agreement), kappas = objects(agreement.cohen).map((pair) => [`Cohen's kappa: ${word(pair.a)}, ${word(pair.b)}`, pair]);
  if (isObject(agreement.fleiss)) kappas.push(["Fleiss' kappa", agreement.fleiss]);
  for (const [level, alpha] of Object.entries(object(agreement.krippendorff))) kappas.push([`Krippendorff's alpha, ${level}`, object(alpha)]);
  if (kappas.length) parts.push(plainTable("Agreement beyond chance", ["coefficient", "value", "items"], kappas.map(([name, of]) => [name, decimal(of.value), amount(of.n)])));
  return parts.length > 1 ? parts : [...parts, paragraph("It holds no figures.")];
}

const FORMATS = { "jevbench-labelled": openLabelled, "jevbench-judges": openJudges };

function viewOf(value) {
  if (!isObject(value)) return null;
  if (typeof value.format === "string") return Object.hasOwn(FORMATS, value.format) ? FORMATS[value.format] : null;
  return isObject(value.scores) && "schema_version" in value ? openCard : null;
}

function openText(text, name, place) {
  const shown = cut(name, 200);
  const refuse = (why) => place.prepend(paragraph(`${shown}: ${why}`, "bad"));
  let value;
  try { value = JSON.parse(text); } catch (error) { return refuse(`this is not JSON (${cut(error.message, 200)})`); }
  const view = viewOf(value);
  if (!view) return refuse("this is neither a coherence card nor a labelled or judge result");
  if (typeof value.schema_version !== "string" || !/^1(\.|$)/.test(value.schema_version)) return refuse(`its version is ${cut(JSON.stringify(value.schema_version ?? null), 40)}, and this page reads 1.x; make a page with the pytest-jevbench that wrote it`);
  const close = make("button", { type: "button", className: "close", text: "Close", "aria-label": `Close ${shown}` });
  const made = make("article", { className: "opened-file", tabindex: "-1", "aria-label": shown }, make("p", { className: "soft file" }, make("span", { className: "id", text: shown }), close), ...view(value));
  close.addEventListener("click", () => { made.remove(); place.closest(".drop").querySelector("button").focus(); });
  place.prepend(made);
  while (place.children.length > MOST_DRAWN) place.lastElementChild.remove();
  frames();
  made.focus({ preventScroll: true });
  made.scrollIntoView({ block: "nearest" });
}

// The text of a file, plain or gzip. A file that is packed may be a thousand times as large as it looks.
async function textOf(file) {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const packed = start[0] === 0x1f && start[1] === 0x8b;
  const reader = (packed ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream()).getReader();
  const decoder = new TextDecoder();
  const texts = [];
  for (let size = 0, read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.byteLength;
    if (size > MOST_BYTES) {
      reader.cancel().catch(() => {});
      throw new Error("it is larger than 256 MB: make a page of it with pytest-jevbench card report FILE --html PATH");
    }
    texts.push(decoder.decode(read.value, { stream: true }));
  }
  return texts.join("") + decoder.decode();
}

async function openFile(file, place) {
  let text;
  try {
    text = await textOf(file);
  } catch (error) {
    return place.prepend(paragraph(`${cut(file.name, 200)}: it cannot be read (${cut(error.message, 300)})`, "bad"));
  }
  openText(text.replace(/^\ufeff/, ""), file.name, place);
}

function dropZone() {
  const zone = document.getElementById("open");
  zone.hidden = false;
  const place = zone.querySelector(".opened");
  const take = async (files) => { for (const file of [...files].slice(0, MOST_DRAWN)) await openFile(file, place); };
  const input = zone.querySelector("input");
  zone.querySelector("button").addEventListener("click", () => input.click());
  input.addEventListener("change", async () => { await take(input.files); input.value = ""; });
  addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) zone.classList.remove("over"); });
  addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    if (event.dataTransfer) take(event.dataTransfer.files);
  });
}
