// Everything once, when the page is there.

document.documentElement.classList.remove("plain");
document.querySelectorAll("table[data-sortable]").forEach(sortable);
copyButtons(document);
const data = document.getElementById("tests-data");
if (data) testBrowser(JSON.parse(data.textContent));
dropZone();
contents();
frames();
addEventListener("resize", frames);
printing();
