"""What a test measures in the page: JavaScript that returns findings, none where all is well."""

from __future__ import annotations

CONTRAST = r"""(() => {
  const parse = (text) => {
    let found = text.match(/^rgba?\(([^)]+)\)$/);
    if (!found) throw new Error("a colour that this test cannot read: " + text);
    const [r, g, b, a = 1] = found[1].split(/[\s,/]+/).filter(Boolean).map(Number);
    return [r, g, b, a];
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const ground = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) {
      const back = at.tagName === "svg" ? at.querySelector(".jr-back, .b") : null;
      const cell = at === node && at.tagName === "text" ? at.previousElementSibling : null;
      if (cell && cell.matches(".c[fill]")) layers.push(parse(getComputedStyle(cell).fill));
      if (back) layers.push(parse(getComputedStyle(back).fill));
      layers.push(parse(getComputedStyle(at).backgroundColor));
    }
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255, 1]);
  };
  const poor = [];
  let measured = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim(), node = walker.currentNode.parentElement;
    if (!text || !node.checkVisibility({ checkOpacity: true })) continue;
    if (node.closest("script, style, option, title, desc, :disabled, .unseen")) continue;
    const style = getComputedStyle(node), svg = node.closest("svg");
    const colour = parse(svg ? style.fill : style.color);
    const back = ground(node);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const found = ratio(over(colour, back), back), where = node.outerHTML.slice(0, 50);
    measured += 1;
    if (found < (large ? 3 : 4.5)) poor.push(`${found.toFixed(2)} ${text.slice(0, 30)} (${where})`);
  }
  return { measured, poor };
})()"""
"""Texts whose contrast with what lies behind them is under that of WCAG AA, and how many texts were measured."""

UNNAMED = r"""[...document.querySelectorAll("button, input, select, a, summary, [role=region], table")]
  .filter((node) => node.checkVisibility())
  .filter((node) => {
    const label = node.closest("label") || (node.labels && node.labels[0]);
    const by = node.getAttribute("aria-labelledby");
    const name = node.getAttribute("aria-label") || (by && document.getElementById(by)?.textContent)
      || (node.tagName === "TABLE" ? node.caption : label || node)?.textContent;
    return !name || !name.trim();
  }).map((node) => node.outerHTML.slice(0, 200))"""
"""Controls, regions and tables that a screen reader has no name for."""

CLIPPED = r"""[...document.querySelectorAll("main svg, main p, main h2, main h3, main summary, main pre")]
  .filter((node) => node.checkVisibility() && !node.closest(".frame, .crop, .unseen, svg svg"))
  .filter((node) => node.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((node) => node.outerHTML.slice(0, 120))"""
"""What stands beyond the right edge of the window."""
