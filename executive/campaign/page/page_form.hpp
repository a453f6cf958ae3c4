// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::campaign {

/// The page up to its data.
inline constexpr const char* kPageBegin = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>campaign · tactus</title><link rel="icon" href="data:,">
<style>
:root { color-scheme: light; --panel: #fff; --raised: #f1f4f6; --edge: #ccd4da; --ink: #11181d; --soft: #4c5a66;
  --work: #00679f; --good: #007656; --bad: #bb3400; --warn: #7f5a00; }
@media (prefers-color-scheme: dark) { :root { color-scheme: dark; --panel: #141a20; --raised: #1d252d; --edge: #2b3640;
  --ink: #e9eef2; --soft: #a4b1bc; --work: #58b7f3; --good: #36c99b; --bad: #ff7f57; --warn: #ffd24a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1400px; padding: 16px 20px 60px; background: var(--panel); color: var(--ink);
  font: 14px/20px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 24px; line-height: 30px; margin: 8px 0; } h2 { font-size: 15px; margin: 22px 0 6px; }
small, .soft { color: var(--soft); font-weight: 400; } a { color: var(--work); }
.pass { color: var(--good); } .fail, .error { color: var(--bad); } .untested, .inconclusive { color: var(--warn); }
.two { display: grid; grid-template-columns: 3fr 2fr; gap: 0 28px; } @media (max-width: 900px) { .two { display: block; } }
.controls { display: flex; flex-wrap: wrap; gap: 6px 14px; margin: 4px 0; align-items: center; }
input, select, button { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--edge);
  border-radius: 4px; padding: 2px 8px; } input[type=search] { min-width: 300px; } button[aria-pressed=true] { border-color: var(--work); }
canvas { width: 100%; display: block; } canvas:focus-visible, .rows:focus-visible { outline: 2px solid var(--work); }
.rows { height: 520px; overflow: auto; border: 1px solid var(--edge); position: relative; }
table { border-collapse: collapse; font-size: 13px; } .rows table { min-width: 100%; }
th { position: sticky; top: 0; background: var(--raised); text-align: right; font-size: 12px; z-index: 1; }
th button { border: 0; background: none; padding: 0; font-weight: 600; }
td, th { padding: 2px 10px; white-space: nowrap; height: 24px; text-align: right; }
td.l, th.l { text-align: left; } tbody tr { border-top: 1px solid var(--edge); } td.says { max-width: 420px; overflow: hidden; text-overflow: ellipsis; }
tr[aria-current] { background: var(--raised); } pre { white-space: pre-wrap; background: var(--raised); padding: 8px; margin: 4px 0; }
</style></head><body>
<header><b id="name"></b> <span class="soft">tactus campaign</span> <span class="soft" id="state"></span></header>
<h1 id="sentence"></h1><p class="soft" id="facts"></p>
<div class="two"><section><h2>Quantities against each other</h2>
<div class="controls"><label>x <select id="x"></select></label><label>y <select id="y"></select></label>
<button id="parallel" aria-pressed="false">Parallel coordinates</button><button id="clear">Clear the selection</button><small>drag to select</small></div>
<canvas id="space" height="360" role="img" aria-label="Cases by two quantities"></canvas></section>
<section><h2>Where it fails</h2><div class="controls"><label>over <select id="over"></select></label></div>
<canvas id="histogram" height="200" role="img" aria-label="Histogram of cases that pass and that do not"></canvas>
<h2>The worst <small>farthest beyond a limit</small></h2><div id="worst"></div></section></div>
<h2>Expectations</h2><table id="rates"></table>
<h2>Cases <small id="shown"></small></h2>
<div class="controls"><input type="search" id="filter" placeholder="fail   #311   resistance&gt;0.5   settles" aria-label="Filter cases" spellcheck="false">
<span id="verdicts"></span></div>
<div id="one"></div><div class="rows" id="rows" tabindex="0" role="region" aria-label="Table of cases"><table><thead></thead><tbody></tbody></table></div>
<noscript>This page needs JavaScript; `tactus campaign table` prints the same.</noscript>
)html";

/// The script that draws it: no library, no network.
inline constexpr const char* kPageScript = R"html(<script>
"use strict";
const D = JSON.parse(document.getElementById("data").textContent), N = D.number.length, H = D.head;
const one = (id) => document.getElementById(id), WORDS = { p: "pass", f: "fail", u: "untested", i: "inconclusive", e: "error" };
const SIGNS = { pass: "✓", fail: "✕", untested: "–", inconclusive: "?", error: "!" };
function h(tag, more, ...inside) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(more ?? {})) if (key.startsWith("on")) node.addEventListener(key.slice(2), value); else if (value !== undefined) node.setAttribute(key, value);
  node.append(...inside.flat().filter((each) => each !== null && each !== undefined));
  return node;
}
const tests = new Set(D.columns.filter((c) => c.kind === "margin").map((c) => c.test));
const COLUMNS = D.columns.map((c, i) => ({ ...c, values: D.values[i], verdicts: D.verdictOf[i], labels: new Map(c.labels ?? []),
  title: (c.kind === "margin" ? "margin of " : "") + c.name + (c.kind === "margin" && tests.size > 1 ? ` in ${c.test}` : "") }));
COLUMNS.push({ kind: "time", name: "seconds", title: "seconds", unit: "s", values: D.seconds, labels: new Map() });
const short = (c) => c.kind === "drawn" ? c.name.split(".").pop() : c.title;
const show = (c, i) => { const v = c.values[i]; return v === null ? "" : c.labels.get(v) ?? String(+v.toPrecision(5)); };
const verdict = (i) => WORDS[D.verdicts[i]] ?? "";
const folder = (i) => `cases/${Math.floor(D.number[i] / 1000)}/${D.number[i]}-${D.attempt[i]}`;
const tokens = new Map();  // asked once, not for each point
const token = (name) => { if (!tokens.has(name)) tokens.set(name, getComputedStyle(document.documentElement).getPropertyValue(name)); return tokens.get(name); };
const color = (i) => token({ p: "--work", f: "--bad", e: "--bad" }[D.verdicts[i]] ?? "--warn");
// The smallest margin of a case, as a share of the greatest of its column, so that units do not matter.
const scale = COLUMNS.map((c) => c.kind !== "margin" ? 1 : c.values.reduce((a, v) => v === null ? a : Math.max(a, Math.abs(v)), 0) || 1);
const least = new Float64Array(N);
for (let i = 0; i < N; i++) { let low = Infinity; for (let k = 0; k < COLUMNS.length; k++) { const c = COLUMNS[k]; if (c.kind === "margin" && c.values[i] !== null) low = Math.min(low, c.values[i] / scale[k]); } least[i] = low; }

let saved = {};
try { saved = JSON.parse(sessionStorage.getItem("tactus " + H.name) ?? "{}"); } catch { /* a browser that keeps nothing */ }
const first = (kind) => { const numbers = COLUMNS.findIndex((c) => c.kind === kind && c.labels.size === 0); return numbers >= 0 ? numbers : Math.max(0, COLUMNS.findIndex((c) => c.kind === kind)); };
const S = { x: first("drawn"), y: first("margin"), over: first("drawn"), parallel: false, filter: "", only: "", sort: "least", down: false, chosen: -1, brush: {}, ...saved };
for (const key of ["x", "y", "over"]) if (!COLUMNS[S[key]]) S[key] = 0;
const keep = () => { try { sessionStorage.setItem("tactus " + H.name, JSON.stringify(S)); } catch { /* likewise */ } };

const COMPARE = { "<": (v, to) => v < to, ">": (v, to) => v > to, "<=": (v, to) => v <= to, ">=": (v, to) => v >= to, "=": (v, to) => v === to };
// Reads the filter once: a function of the case for each of its words.
const words = () => S.filter.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
    const test = /^([^<>=#]+)(<=|>=|=|<|>)(.+)$/.exec(word);
    if (test) {
      const c = COLUMNS.find((each) => each.title.toLowerCase().includes(test[1])), to = Number(test[3]), compare = COMPARE[test[2]];
      if (!c) return () => false;
      if (Number.isNaN(to)) return (i) => test[2] === "=" && (c.labels.get(c.values[i]) ?? "").toLowerCase() === test[3];
      return (i) => c.values[i] !== null && compare(c.values[i], to);
    }
    if (word[0] === "#") return (i) => String(D.number[i]) === word.slice(1);
    return (i) => verdict(i).startsWith(word) || (D.says[D.number[i]] ?? "").toLowerCase().includes(word)
      || COLUMNS.some((c) => c.kind === "margin" && c.verdicts[i] !== "p" && c.verdicts[i] !== " " && c.name.toLowerCase().includes(word));
});
function filter() {
  const all = words(), brush = Object.entries(S.brush).filter(([k]) => COLUMNS[k]);
  return (i) => (!S.only || verdict(i) === S.only) && brush.every(([k, [a, b]]) => { const v = COLUMNS[k].values[i]; return v !== null && v >= a && v <= b; })
    && all.every((word) => word(i));
}
let lines = [];
function select() {
  lines = [];
  const fits = filter();
  for (let i = 0; i < N; i++) if (fits(i)) lines.push(i);
  const get = S.sort === "least" ? (i) => least[i] : S.sort === "number" ? (i) => D.number[i] : S.sort === "verdict" ? (i) => "feiup".indexOf(D.verdicts[i]) : (i) => COLUMNS[S.sort]?.values[i] ?? Infinity;
  lines.sort((a, b) => ((get(a) < get(b) ? -1 : get(a) > get(b) ? 1 : 0) * (S.down ? -1 : 1)) || a - b);
  one("shown").textContent = `${lines.length} of ${N} that have a result`;
  keep(); head(); rows(); space(); histogram();
}
function head() {
  const th = (id, text, left, unit) => h("th", { class: left ? "l" : undefined, scope: "col", "aria-sort": S.sort === id ? (S.down ? "descending" : "ascending") : undefined },
    h("button", { onclick: () => { S.down = S.sort === id && !S.down; S.sort = id; select(); } }, text, unit ? h("small", {}, ` ${unit}`) : null, S.sort === id ? (S.down ? " ▾" : " ▴") : ""));
  document.querySelector("#rows thead").replaceChildren(h("tr", {}, th("number", "case"), th("verdict", "verdict", true), th("least", "least margin"), COLUMNS.map((c, k) => th(k, short(c), false, c.unit)), h("th", { class: "l" }, "says")));
}
const ROW = 25;
function rows() {  // only those that are seen: 100,000 cases cost as much as 30
  const box = one("rows"), from = Math.max(0, Math.floor(box.scrollTop / ROW) - 4), to = Math.min(lines.length, from + 36);
  const gap = (n) => { if (n <= 0) return []; const tr = h("tr", { "aria-hidden": "true" }, h("td", { colspan: COLUMNS.length + 4 })); tr.firstChild.style.cssText = `height:${n * ROW}px;padding:0`; return [tr]; };
  document.querySelector("#rows tbody").replaceChildren(...gap(from), ...lines.slice(from, to).map((i) => h("tr", { "aria-current": i === S.chosen ? "true" : undefined, onclick: () => choose(i) },
    h("td", {}, `#${D.number[i]}`), h("td", { class: "l " + verdict(i) }, `${SIGNS[verdict(i)] ?? ""} ${verdict(i)}`), h("td", {}, Number.isFinite(least[i]) ? `${(least[i] * 100).toFixed(1)} %` : ""),
    COLUMNS.map((c) => h("td", { class: c.kind === "margin" ? WORDS[c.verdicts[i]] : undefined }, show(c, i))), h("td", { class: "l says" }, D.says[D.number[i]] ?? ""))), ...gap(lines.length - to));
}
const report = (i) => [h("a", { href: `${folder(i)}/run/report.html` }, "report"), " ", h("a", { href: `${folder(i)}/run/` }, "run folder"), " ", h("a", { href: `${folder(i)}/command.txt` }, "command line")];
function choose(i) {
  S.chosen = i; keep();
  const line = D.lines[D.number[i]];
  one("one").replaceChildren(h("b", {}, `#${D.number[i]} `), h("span", { class: verdict(i) }, `${verdict(i)} `), ...report(i), line ? h("pre", {}, line) : "", h("p", { class: "soft" }, `Without a report: tactus report ${folder(i)}/run`));
  rows(); space();
}
function context(id) {
  const canvas = one(id), wide = canvas.clientWidth, high = Number(canvas.dataset.high ??= canvas.getAttribute("height")), c = canvas.getContext("2d");
  canvas.style.height = `${high}px`; canvas.width = wide * devicePixelRatio; canvas.height = high * devicePixelRatio;
  c.scale(devicePixelRatio, devicePixelRatio); c.font = "11px system-ui, sans-serif";
  return { c, wide, high };
}
const reaches = COLUMNS.map((c) => { let a = Infinity, b = -Infinity; for (const v of c.values) if (v !== null) { a = Math.min(a, v); b = Math.max(b, v); } return a > b ? [0, 1] : c.labels.size || a === b ? [a - 0.5, b + 0.5] : [a, b]; });
// Words have a tick each, as far as there is room; numbers have the ends and the middle.
const ticks = (k) => { const [a, b] = reaches[k], words = [...COLUMNS[k].labels].filter(([v]) => v >= a && v <= b).sort((p, q) => p[0] - q[0]), step = Math.ceil(words.length / 8);
  return words.length ? words.filter((_, n) => n % step === 0) : [a, (a + b) / 2, b].map((v) => [v, String(+v.toPrecision(4))]); };
const MOST = 20000;
function drawn() { const step = Math.max(1, Math.ceil(lines.length / MOST)); return lines.filter((i, n) => n % step === 0 || D.verdicts[i] !== "p"); }
function space() {
  const { c, wide, high } = context("space"), x = COLUMNS[S.x], y = COLUMNS[S.y], [xa, xb] = reaches[S.x], [ya, yb] = reaches[S.y];
  c.fillStyle = token("--soft");
  if (S.parallel) {
    const axes = COLUMNS.map((_, k) => k), at = (n) => 30 + n * (wide - 60) / Math.max(1, axes.length - 1), py = (k, v) => high - 24 - (v - reaches[k][0]) / (reaches[k][1] - reaches[k][0]) * (high - 56);
    c.globalAlpha = Math.max(0.05, Math.min(0.6, 200 / (lines.length + 1)));
    for (const i of drawn().slice(0, 5000)) { c.strokeStyle = color(i); c.beginPath(); let open = false; axes.forEach((k, n) => { const v = COLUMNS[k].values[i]; if (v === null) { open = false; return; } if (open) c.lineTo(at(n), py(k, v)); else c.moveTo(at(n), py(k, v)); open = true; }); c.stroke(); }
    c.globalAlpha = 1; c.textAlign = "center";
    axes.forEach((k, n) => { c.strokeStyle = token("--edge"); c.beginPath(); c.moveTo(at(n), 20); c.lineTo(at(n), high - 24); c.stroke(); c.fillStyle = token("--ink"); c.fillText(short(COLUMNS[k]).slice(0, 18), at(n), 12 + (n % 2) * 0); c.fillStyle = token("--soft"); const ends = ticks(k); c.fillText(ends[0][1].slice(0, 12), at(n), high - 10); c.fillText(ends[ends.length - 1][1].slice(0, 12), at(n), 30); });
    return;
  }
  const px = (v) => 56 + (v - xa) / (xb - xa) * (wide - 70), py = (v) => high - 34 - (v - ya) / (yb - ya) * (high - 58);
  c.textAlign = "center"; for (const [v, text] of ticks(S.x)) { const half = c.measureText(text).width / 2; c.fillText(text, Math.max(half, Math.min(wide - half, px(v))), high - 18); }
  c.fillText(`${x.title}${x.unit ? ` (${x.unit})` : ""}`, wide / 2, high - 4);
  c.textAlign = "right"; for (const [v, text] of ticks(S.y)) c.fillText(text.slice(0, 8), 52, py(v) + 4);
  c.textAlign = "left"; c.fillText(`${y.title}${y.unit ? ` (${y.unit})` : ""}`, 4, 10);
  if (y.kind === "margin" && ya < 0 && yb > 0) { c.fillStyle = token("--bad"); c.fillRect(56, py(0), wide - 70, 1); }
  c.globalAlpha = lines.length > 2000 ? 0.4 : 0.8;
  for (const i of drawn()) { const a = x.values[i], b = y.values[i]; if (a === null || b === null) continue; c.fillStyle = color(i); const r = i === S.chosen ? 5 : D.verdicts[i] === "p" ? 1.4 : 2.2;
    if (lines.length > 2000 && i !== S.chosen) { c.fillRect(px(a) - r, py(b) - r, 2 * r, 2 * r); continue; } c.beginPath(); c.arc(px(a), py(b), r, 0, 7); c.fill(); }
  c.globalAlpha = 1;
  space.back = (ex, ey) => [xa + (ex - 56) / (wide - 70) * (xb - xa), ya + (high - 34 - ey) / (high - 58) * (yb - ya)];
}
function histogram() {
  const { c, wide, high } = context("histogram"), q = COLUMNS[S.over], [a, b] = reaches[S.over], bins = 24, good = new Array(bins).fill(0), bad = new Array(bins).fill(0);
  for (const i of lines) { const v = q.values[i]; if (v === null) continue; const n = Math.min(bins - 1, Math.floor((v - a) / (b - a) * bins)); (D.verdicts[i] === "p" ? good : bad)[n]++; }
  histogram.counts = good.map((g, n) => g + bad[n]);
  const most = Math.max(1, ...good.map((g, n) => g + bad[n])), w = (wide - 50) / bins, y = (v) => v / most * (high - 40);
  for (let n = 0; n < bins; n++) { c.fillStyle = token("--work"); c.fillRect(44 + n * w, high - 28 - y(good[n]), w - 1, y(good[n])); c.fillStyle = token("--bad"); c.fillRect(44 + n * w, high - 28 - y(good[n] + bad[n]), w - 1, y(bad[n])); }
  c.fillStyle = token("--soft"); c.textAlign = "right"; c.fillText(String(most), 40, 16); c.fillText("0", 40, high - 26); c.textAlign = "center"; histogram.ticks = ticks(S.over); for (const [v, text] of histogram.ticks) { const half = c.measureText(text).width / 2; c.fillText(text, Math.max(44 + half, Math.min(wide - 6 - half, 44 + (v - a) / (b - a) * bins * w)), high - 14); }
  c.textAlign = "center"; c.fillText(`${q.title}${q.unit ? ` (${q.unit})` : ""}; red: did not pass`, wide / 2, high - 2);
}
function once() {
  const count = {}; for (const letter of D.verdicts) count[letter] = (count[letter] ?? 0) + 1;
  const failed = count.f ?? 0, open = N - (count.p ?? 0) - failed;
  document.title = `${failed ? `✕ ${failed} · ` : ""}${H.name} · tactus`;
  one("name").textContent = H.name; one("state").textContent = H.running ? "runs; this page loads itself again" : N < H.cases ? "not complete" : "complete";
  one("sentence").textContent = N === 0 ? "No case has a result yet" : failed ? `${failed} of ${N} cases fail` : open ? `No case fails, ${open} of ${N} could not be judged` : `All ${N} cases pass`;
  one("sentence").className = N === 0 ? "" : failed ? "fail" : open ? "inconclusive" : "pass";
  one("facts").textContent = `${N} of ${H.cases} cases have a result${open ? `, ${open} of them could not be judged` : ""}. ${H.file}, on ${H.machine}; written ${H.written}.`;
  for (const [id, act] of [["x", select], ["y", select], ["over", histogram]]) { const node = one(id); COLUMNS.forEach((c, k) => node.append(h("option", { value: k }, `${c.title}${c.unit ? ` (${c.unit})` : ""}`))); node.value = S[id]; node.addEventListener("change", () => { S[id] = Number(node.value); if (id !== "over") S.brush = {}; keep(); act(); }); }
  const p = one("parallel"); p.setAttribute("aria-pressed", S.parallel); p.addEventListener("click", () => { S.parallel = !S.parallel; p.setAttribute("aria-pressed", S.parallel); keep(); space(); });
  one("clear").addEventListener("click", () => { S.brush = {}; select(); });
  const box = one("filter"); box.value = S.filter; box.addEventListener("input", () => { S.filter = box.value; select(); });
  for (const word of ["", "fail", "error", "inconclusive", "untested", "pass"]) one("verdicts").append(h("button", { "aria-pressed": S.only === word, "data-only": word, onclick: (e) => { S.only = word; for (const each of one("verdicts").children) each.setAttribute("aria-pressed", each === e.currentTarget); select(); } }, word || "all"), " ");
  one("rates").replaceChildren(h("tr", {}, ["expectation", "pass", "fail", "other", "least margin"].map((text, n) => h("th", { class: n ? undefined : "l" }, text))), ...COLUMNS.filter((c) => c.kind === "margin").map((c) => {
    const n = { p: 0, f: 0, o: 0 }; let low = Infinity; for (let i = 0; i < N; i++) { const v = c.verdicts[i]; if (v === " ") continue; n[v === "p" || v === "f" ? v : "o"]++; if (c.values[i] !== null) low = Math.min(low, c.values[i]); }
    return h("tr", {}, h("td", { class: "l" }, c.title.slice(10)), h("td", {}, n.p), h("td", { class: n.f ? "fail" : undefined }, n.f), h("td", {}, n.o), h("td", {}, Number.isFinite(low) ? `${+low.toPrecision(4)} ${c.unit}` : "")); }));
  const worst = []; for (let i = 0; i < N; i++) if (D.verdicts[i] === "f") worst.push(i);
  worst.sort((a, b) => least[a] - least[b]);
  one("worst").replaceChildren(...(worst.length ? worst.slice(0, 3).map((i) => h("p", {}, h("b", { class: "fail" }, `✕ #${D.number[i]} `), D.says[D.number[i]] ?? "", " ", ...report(i), " ", h("button", { onclick: () => choose(i) }, "select"))) : [h("p", {}, "No case fails.")]));
  one("rows").addEventListener("scroll", rows);
  one("rows").addEventListener("keydown", (e) => { const by = { ArrowDown: 1, ArrowUp: -1 }[e.key]; if (!by || !lines.length) return; e.preventDefault(); const at = Math.max(0, Math.min(lines.length - 1, lines.indexOf(S.chosen) + by)); if (at * ROW < one("rows").scrollTop || at * ROW > one("rows").scrollTop + 440) one("rows").scrollTop = at * ROW; choose(lines[at]); });
  let from = null;
  one("space").addEventListener("pointerdown", (e) => { from = [e.offsetX, e.offsetY]; });
  addEventListener("pointerup", (e) => {
    if (!from || S.parallel || !space.back) { from = null; return; }
    const box = one("space").getBoundingClientRect(), a = space.back(...from), b = space.back(e.clientX - box.left, e.clientY - box.top), far = Math.hypot(e.clientX - box.left - from[0], e.clientY - box.top - from[1]);
    from = null;
    if (far > 6) { S.brush = { [S.x]: [Math.min(a[0], b[0]), Math.max(a[0], b[0])], [S.y]: [Math.min(a[1], b[1]), Math.max(a[1], b[1])] }; select(); return; }
    let best = -1, near = Infinity; const [xa, xb] = reaches[S.x], [ya, yb] = reaches[S.y];
    for (const i of lines) { const u = COLUMNS[S.x].values[i], v = COLUMNS[S.y].values[i]; if (u === null || v === null) continue; const d = ((u - a[0]) / (xb - xa)) ** 2 + ((v - a[1]) / (yb - ya)) ** 2; if (d < near) { near = d; best = i; } }
    if (best >= 0 && near < 0.001) choose(best);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { tokens.clear(); space(); histogram(); });
  let waiting; addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => { space(); histogram(); }, 120); });
  if (S.chosen >= 0 && S.chosen < N) choose(S.chosen);
  if (H.running) setInterval(() => { if (!document.hidden && document.activeElement !== box) location.reload(); }, 10000);
}
once(); select();
</script>
)html";

inline constexpr const char* kPageEnd = "</body></html>\n";

}  // namespace tactus::campaign
