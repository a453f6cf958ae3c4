// SPDX-License-Identifier: Apache-2.0
// What models of drivers have measured: one row a distribution, those that reach furthest first.
import {h, list, one, put, redraw} from './dom.js';
import {Refused} from './port.js';
import {grouped, spanText} from './text.js';

const MOST = 200;

/** 0.00012 in s is "120 µs". */
const shown = (value, unit) => (unit === 's' ? spanText(Math.round(value * 1e9)) : `${+ value.toPrecision(4)} ${unit}`);

/** "bus 3, rig 1" of those above the limit. */
const causes = (row) => Object.entries(row.too_large)
                            .filter(([, count]) => count > 0)
                            .map(([cause, count]) => `${cause} ${grouped(count)}`)
                            .join(', ');

export async function readHistograms(rig) {
  let histograms;
  try {
    ({histograms} = await rig.port.json('/v1/histograms'));
  } catch (error) {
    if (!(error instanceof Refused)) return;
    histograms = [];
  }
  one('.histograms').hidden = histograms.length === 0;
  if (!histograms.length) return;
  const doubts = [...new Set(histograms.filter((row) => row.not_measured).map((row) => `${row.model}: ${row.not_measured}`))];
  const sorted = [...histograms].sort((a, b) => b.longest - a.longest);
  put('histograms-note', [...doubts, sorted.length > MOST ? `${MOST} of ${sorted.length} are shown` : ''].filter(Boolean).join('; '));
  const right = (text) => h('td', {class: 'r'}, text);
  redraw(list('histograms'),
         h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Histogram'),
                          ...['Values', 'p50', 'p99', 'longest', 'limit'].map((text) => h('th', {scope: 'col', class: 'r'}, text)),
                          h('th', {scope: 'col'}, 'Above the limit, by cause'))),
         h('tbody', {}, sorted.slice(0, MOST).map((row) => h(
             'tr', {title: row.about}, h('td', {class: 'mono'}, `${row.model}.${row.name}`), right(grouped(row.count)),
             ...['p50', 'p99', 'longest'].map((key) => right(shown(row[key], row.unit))),
             right(row.limit === null ? '–' : shown(row.limit, row.unit)), h('td', {}, causes(row) ? `▲ ${causes(row)}` : '–')))));
}
