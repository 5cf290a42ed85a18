"""How a report looks, on a screen and in print, and what it does where the pointer rests."""

CSS = """\
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; color: #1a1a1a;
  background: #fff; margin: 0 auto; padding: 1.5rem 2rem 3rem; max-width: 1400px; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid #ccc; }
p { margin: .3rem 0; }
.file, .note { color: #555; font-size: .9rem; }
.verdict { border: 2px solid; border-radius: 6px; padding: .5rem 1rem; margin: 1rem 0; }
.verdict b { font-size: 1.2rem; }
.verdict pre { white-space: pre-wrap; margin: .3rem 0; font-size: .85rem; }
.pass { border-color: #0072b2; background: #eef6fb; }
.fail { border-color: #d55e00; background: #fdf1ea; }
.none { border-color: #888; background: #f4f4f4; }
.figures { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: 1rem 0; }
.figures div { display: flex; flex-direction: column-reverse; }
.figures dd { margin: 0; font-size: 1.3rem; font-weight: 600; }
.figures dt { color: #555; font-size: .85rem; }
.scroll { overflow-x: auto; }
.chart { display: flex; align-items: flex-start; }
.chart .scroll { flex: 1; min-width: 0; border-left: 1px solid #999; }
.report svg { display: block; }
.drawing svg { max-width: 100%; height: auto; }
.time text { font: 10px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; }
.time .kind { font-weight: bold; font-size: 11px; }
.time .band { fill: #f5f5f5; }
.time .grid { stroke: #ddd; }
.time .bar { stroke: #555; stroke-width: .7; }
.time .coming { stroke: #555; stroke-width: .7; stroke-dasharray: 2 2; fill-opacity: .35; }
.time .tail { fill: none; stroke: #333; stroke-width: 1.5; }
.time .curve { fill: #77aadd; stroke: #0072b2; stroke-width: .5; }
.time.pointed g[data-d]:not(.same) { opacity: .25; }
.tables { display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 0 2rem; }
.tables section { min-width: 0; overflow-x: auto; }
.tables .wide { grid-column: 1 / -1; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .15rem .9rem .15rem 0; border-bottom: 1px solid #e4e4e4;
  vertical-align: top; }
th { color: #555; font-weight: 600; }
td.number, th.number { text-align: right; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  .scroll { overflow: visible; }
  section { break-inside: avoid-page; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""

SCRIPT = """\
for (const chart of document.querySelectorAll(".time")) {
  chart.addEventListener("mouseover", event => {
    const datum = event.target.closest("[data-d]")?.dataset.d;
    chart.classList.toggle("pointed", datum !== undefined);
    for (const bar of chart.querySelectorAll("[data-d]"))
      bar.classList.toggle("same", bar.dataset.d === datum);
  });
  chart.addEventListener("mouseleave", () => chart.classList.remove("pointed"));
}
"""
