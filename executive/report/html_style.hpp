// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::report {

/// The style of a report; bars of tables take their widths from data-w, so that no element has a style of its
/// own.
inline constexpr const char* kStyle = R"(:root {
  color-scheme: light;
  --panel: #ffffff; --raised: #f1f4f6; --edge: #ccd4da; --edge-strong: #788793;
  --ink: #11181d; --soft: #4c5a66;
  --late: #9c5700; --work: #00679f; --slack: #007656; --s4: #6f6200; --s5: #5a49c2; --s6: #46525c;
  --alarm: #bb3400; --warn: #7f5a00; --focus: #0047bd;
  --sans: system-ui, "Segoe UI", Roboto, "Noto Sans", Cantarell, "DejaVu Sans", sans-serif;
  --mono: ui-monospace, "Cascadia Mono", "Roboto Mono", "Noto Sans Mono", "DejaVu Sans Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) { :root {
  color-scheme: dark;
  --panel: #141a20; --raised: #1d252d; --edge: #2b3640; --edge-strong: #62717e;
  --ink: #e9eef2; --soft: #a4b1bc;
  --late: #f2a93b; --work: #58b7f3; --slack: #36c99b; --s4: #e8dc63; --s5: #b7a8ff; --s6: #c6d0d8;
  --alarm: #ff7f57; --warn: #ffd24a; --focus: #a9d4ff;
} }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1080px; padding: 24px 20px 60px; background: var(--panel); color: var(--ink);
  font: 14px/20px var(--sans); font-variant-numeric: tabular-nums; overflow-wrap: break-word; }
a { color: var(--work); } :focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
header { border-bottom: 3px solid var(--ink); padding-bottom: 14px; }
h1 { font-size: 26px; line-height: 32px; margin: 0 0 6px; text-wrap: balance; }
h2 { font-size: 16px; margin: 34px 0 8px; break-after: avoid; }
p { margin: 6px 0 10px; } .soft, .note { color: var(--soft); } .note { font-size: 12px; line-height: 18px; }
code, .code { font: 12px var(--mono); }
.sign { margin-right: 6px; } .g_ { color: var(--slack); } .w_ { color: var(--alarm); } .f_ { color: var(--alarm); }
.c_ { color: var(--soft); } .runs { list-style: none; margin: 0 0 8px; padding: 0; }
nav { display: flex; flex-wrap: wrap; gap: 2px 16px; margin-top: 12px; font-size: 13px; }
nav a { min-height: 24px; }
.tiles { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); margin-top: 16px; row-gap: 12px; }
.tiles div { border-left: 1px solid var(--edge); padding: 0 14px; }
.tiles div:nth-child(4n+1) { border: 0; padding-left: 0; }
.tiles b { display: block; font-size: 26px; line-height: 32px; white-space: nowrap; }
svg { break-inside: avoid; width: 100%; height: auto; display: block; margin: 4px 0; }
.defs { position: absolute; width: 0; height: 0; }
.t { font: 11px var(--sans); fill: var(--soft); } .al { fill: var(--alarm); }
.m { paint-order: stroke; stroke: var(--panel); stroke-width: 3px; }
.g { stroke: var(--edge); fill: none; } .dl { stroke: var(--alarm); stroke-width: 1.5; fill: none; }
.lp { stroke: var(--late); } .wp { stroke: var(--work); } .sp { stroke: var(--slack); } .p4 { stroke: var(--s4); }
.p5 { stroke: var(--s5); } .p6 { stroke: var(--s6); }
.fill.lp { fill: var(--late); } .fill.wp { fill: var(--work); } .fill.sp { fill: var(--slack); }
.fill.p4 { fill: var(--s4); } .fill.p5 { fill: var(--s5); } .fill.p6 { fill: var(--s6); }
.fill.dl { fill: var(--alarm); } .fill { stroke-width: 0; } path { stroke-width: 1; }
polyline { fill: none; stroke-linejoin: round; stroke-width: 1.6; } .dash { stroke-dasharray: 6 3; }
.legend { font-size: 12px; margin: 6px 0; display: flex; flex-wrap: wrap; gap: 2px 16px; }
.legend svg { display: inline-block; width: 26px; height: 10px; margin: 0 6px 0 0; min-width: 0; vertical-align: middle; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; margin-bottom: 8px; }
th { text-align: left; font-weight: 600; font-size: 12px; color: var(--soft); vertical-align: bottom; }
th, td { padding: 4px 14px 4px 0; } td { border-top: 1px solid var(--edge); vertical-align: top; }
td { max-width: 460px; } .prose { min-width: 260px; } .r { text-align: right; white-space: nowrap; } tr { break-inside: avoid; }
.cause { border: 1px solid var(--alarm); border-radius: 4px; padding: 0 6px; font: 12px/18px var(--mono);
  white-space: nowrap; }
.good { color: var(--slack); } .bad { color: var(--alarm); }
.track { display: inline-block; width: 120px; height: 10px; background: var(--raised); }
.track i { display: block; height: 100%; background: var(--work); min-width: 2px; }
details { margin: 4px 0 8px; } summary { cursor: pointer; font-size: 13px; min-height: 24px; }
pre { font: 11px/15px var(--mono); overflow-x: auto; background: var(--raised); padding: 8px 10px; margin: 4px 0;
  border-radius: 6px; }
.warning { border-left: 3px solid var(--warn); padding-left: 10px; }
@media (max-width: 640px) {
  body { padding: 16px 12px 40px; } h1 { font-size: 20px; line-height: 26px; }
  .tiles { grid-template-columns: 1fr 1fr; } .tiles b { font-size: 22px; }
  .tiles div:nth-child(odd) { border: 0; padding-left: 0; }
  .plot { overflow-x: auto; } .plot svg { min-width: 640px; }
}
@media print {
  @page { size: A4; margin: 14mm; }
  body { padding: 0; font-size: 11px; line-height: 15px; max-width: none; } nav { display: none; }
  * { print-color-adjust: exact; } table { font-size: 9px; } th { font-size: 9px; } td, th { padding-right: 8px; }
  h2 { margin-top: 18px; } .prose { min-width: 0; } .scroll { overflow: visible; } .track { width: 70px; }
  pre { white-space: pre-wrap; overflow: visible; }
}
)";

}  // namespace tactus::report
