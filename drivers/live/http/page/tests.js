// SPDX-License-Identifier: Apache-2.0
// Tests: what the expectations of the test have come to, as a board that is read from afar and as a list.
import {facts, h, list, missing, one, put, redraw, say, segment, token} from './dom.js';
import {curvePlot, linePlot, mark, show} from './lines.js';
import {faultsAt} from './marks.js';
import {Refused} from './port.js';
import {Steps} from './steps.js';
import {grouped, shownUnit, spanText} from './text.js';
import {figures} from './top.js';
import {columns} from './track.js';

const SPAN = 5;           // s of the chart
const MANY = 40;          // expectations: cells have a sign only
const MOST_CHARTED = 24;  // variables at frame rate
const MOST_FAULTS = 3;    // named beside a failure
const ANNOUNCED = 5000;   // ms between two failures that are said aloud

/** The verdicts as they are shown, from the worst to the best. */
const KINDS = {
  fail: {sign: '✕', word: 'Fail'},
  inconclusive: {sign: '?', word: 'Inconclusive'},
  untested: {sign: '○', word: 'Untested'},
  warned: {sign: '▲', word: 'Warning'},
  running: {sign: '▶', word: 'Running'},
  pass: {sign: '✓', word: 'Pass'},
};
const ORDER = Object.keys(KINDS);
const COUNTED = ['fail', 'inconclusive', 'untested', 'running', 'pass'];

/** The kind of an expectation: while a test runs, what may still change is running. */
export function kindOf(row, ended) {
  const counts = row.severity === 'fail' || row.severity === 'stop';
  // A step that is over has come to something, even if a branch may lead there again.
  const decided = row.final || ended || Boolean(row.step && row.step.last !== null && !row.active);
  if (row.verdict === 'fail' || row.verdict === 'error') return !decided ? 'running' : counts ? 'fail' : 'warned';
  if (!decided && (row.verdict !== 'inconclusive' || row.why === 'its time is not over')) return 'running';
  return counts || row.verdict === 'pass' ? row.verdict : 'warned';
}

/** It has failed for good: one that says what holds at the end may still come true. */
const hasFailed = (row, ended) => row.verdict === 'fail' && ['fail', 'warned'].includes(kindOf(row, ended));

/** The share of its limit that was used, 1 at the limit; undefined: it is not known. */
export function usedOf({margin, chart: {limit}}) {
  return margin === null || !limit ? undefined : 1 - margin / limit;
}

const quantity = (value, unit) => `${figures.text(Math.abs(value))} ${shownUnit(unit)}`.trim();
const marginText = ({margin, unit}) =>
    margin === null ? '' : margin < 0 ? `over by ${quantity(margin, unit)}` : `${quantity(margin, unit)} left`;
const sign = (kind) => h('i', {class: 'tests-mark', 'data-k': kind, 'aria-hidden': 'true'}, KINDS[kind].sign);

export class Tests {
  constructor(rig, marks) {
    Object.assign(this, {rig, marks, found: null, why: null, open: null, chosen: false, only: 'all', search: '', said: -Infinity});
    this.steps = new Steps(rig);
    this.latest = false;  // the chart has the newest seconds although there is a failure
    one('[data-act="judged-now"]').addEventListener('click', () => {
      this.latest = !this.latest;
      this.drawChart();
    });
    this.choose = segment('verdict', 'all', (value) => this.filter(value));
    one('[data-act="search-tests"]').addEventListener('input', (event) => {
      this.search = event.target.value.trim().toLowerCase();
      this.rows();
    });
    rig.addEventListener('verdict', ({detail: row}) => this.take(row));
    rig.addEventListener('facts', () => this.begin());
  }

  begin() {
    Object.assign(this, {open: null, chosen: false, found: null, latest: false});
    return this.read();
  }

  /** All there is; margins change without an event. */
  async read() {
    try {
      this.found = await this.rig.port.json('/v1/verdicts');
      this.why = null;
    } catch (error) {
      if (!(error instanceof Refused)) return;
      this.why = this.found ? null : error.message;
    }
    this.draw();
  }

  /** One has changed. */
  take(row) {
    if (!row || !this.found?.expectations[row.id]) return void this.read();
    const before = kindOf(this.found.expectations[row.id], this.found.ended);
    this.found.expectations[row.id] = row;
    const kind = kindOf(row, this.found.ended);
    if (kind === 'fail' && before !== 'fail' && performance.now() - this.said > ANNOUNCED) {
      this.said = performance.now();
      say(`✕ ${row.name}: ${row.says}`);
    }
    this.draw();
  }

  get ended() {
    return Boolean(this.found?.ended || this.rig.over);
  }
  get shown() {
    return !one('#view-tests').hidden;
  }

  show() {
    this.chartAll();
    this.draw();
    this.read();
  }

  hide() {
    document.body.removeAttribute('data-board');
    this.endPlot();
  }

  board() {
    document.body.toggleAttribute('data-board');
    this.draw();
  }

  filter(kind) {
    this.only = kind;
    this.choose(kind);
    this.draw();
  }

  select(row) {
    if (this.open !== row.id) this.latest = false;
    this.open = row.id;
    this.chosen = true;
    this.draw();
    if (innerWidth <= 900) one('.opened').scrollIntoView({block: 'start'});
  }

  // ---- Drawing: when something has changed ----

  draw() {
    const rows = this.found?.expectations ?? [];
    const kinds = rows.map((row) => kindOf(row, this.ended));
    const count = (kind) => kinds.filter((each) => each === kind).length;
    put('badge-tests', count('fail') ? `✕${count('fail')}` : '');
    if (!this.shown) return;
    one('[data-part="tests"]').hidden = !rows.length;
    if (!rows.length) return this.nothing();
    redraw(list('test-none'));
    const worst = this.worst(kinds, rows);
    this.sentence(worst, rows, kinds);
    this.word(worst, count);
    this.rows();
    this.steps.draw(rows, this.ended);
    redraw(list('test-cells'), rows.map((row, i) => this.cell(row, kinds[i])));
    list('test-cells').toggleAttribute('data-many', rows.length > MANY);
    this.opened();
  }

  nothing() {
    list('test-sentence').textContent = 'Tests';
    this.spoken = undefined;
    const text = this.why ? [missing(this.why)] :
        this.found        ? [
                       h('b', {}, 'This rig runs without a test'), 'To run it with a test: ',
                       h('code', {}, 'tactus run RIG.yaml --test FILE.test.yaml')
                     ] :
                     ['…'];
    redraw(list('test-none'), h('div', {class: 'panel tests-none'}, text));
  }

  /** The verdict of the test: while it runs, only a failure is known. */
  worst(kinds) {
    if (kinds.includes('fail')) return 'fail';
    if (!this.ended) return 'running';
    return ORDER.find((kind) => kind !== 'warned' && kinds.includes(kind)) ?? 'pass';
  }

  sentence(worst, rows, kinds) {
    const failed = rows.filter((row, i) => kinds[i] === 'fail').sort((a, b) => a.frame - b.frame);
    const {test} = this.found;
    const text = failed.length ?
        `${test}: ${failed.length} of ${rows.length} failed, first ${failed[0].name}` :
        this.ended ? `${test}: ${KINDS[worst].word.toLowerCase()}` : `${test} runs: nothing has failed so far`;
    const line = [h('span', {class: 'sign', 'data-k': worst, 'aria-hidden': 'true'}, KINDS[worst].sign), text];
    if (this.spoken === text) return;
    this.spoken = text;
    list('test-sentence').replaceChildren(...line);
  }

  word(worst, count) {
    const word = list('test-word'), at = this.found.frame;
    word.dataset.k = worst;
    word.replaceChildren(
        h('b', {}, h('i', {'aria-hidden': 'true'}, KINDS[worst].sign), KINDS[worst].word),
        h('small', {}, `${this.found.test} · ${this.ended ? 'ended' : 'after'} ${
            at === null ? 'no frame' : `frame ${grouped(at)}, ${this.rig.seconds(at).toFixed(3)} s`}`));
    redraw(
        list('test-counts'),
        COUNTED.map((kind) => h(
                        'button', {
                          'data-k': kind,
                          'data-n': count(kind),
                          'aria-pressed': String(this.only === kind),
                          onclick: () => this.filter(this.only === kind ? 'all' : kind),
                        },
                        h('i', {'aria-hidden': 'true'}, KINDS[kind].sign), h('b', {class: 'num'}, count(kind)),
                        h('span', {}, KINDS[kind].word))));
  }

  cell(row, kind) {
    return h(
        'button', {
          'data-k': kind,
          'aria-current': row.id === this.open ? 'true' : undefined,
          'aria-label': `${row.name}: ${KINDS[kind].word}`,
          title: row.name,
          onclick: () => this.select(row),
        },
        // A long name breaks behind a dot.
        sign(kind), h('span', {}, row.name.split('.').flatMap((part, i) => (i ? ['.', h('wbr'), part] : [part]))));
  }

  // Worst first; of those alike the least margin.
  rows() {
    if (!this.found || !this.shown) return;
    const {ended} = this, share = (row) => usedOf(row) ?? -Infinity;
    const listed = this.found.expectations.map((row) => ({row, kind: kindOf(row, ended)}))
                       .filter(({row, kind}) => (this.only === 'all' || kind === this.only) &&
                                   `${row.name} ${row.expects} ${row.requirement}`.toLowerCase().includes(this.search))
                       .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) ||
                                 share(b.row) - share(a.row) || a.row.id - b.row.id);
    put('tests-shown', `${listed.length} of ${this.found.expectations.length}`);
    if (!this.chosen && listed.length) this.open = listed[0].row.id;
    redraw(list('test-rows'), listed.map(({row, kind}) => h('li', {}, this.row(row, kind))));
  }

  row(row, kind) {
    const used = usedOf(row);
    const fill = h('i');
    fill.style.width = `${Math.min(Math.max(used ?? 0, 0), 4 / 3) * 75}%`;
    return h(
        'button',
        {'aria-current': row.id === this.open ? 'true' : undefined, onclick: () => this.select(row)}, sign(kind),
        h('span', {class: 'name'}, row.name, h('span', {class: 'unseen'}, `: ${KINDS[kind].word}`)),
        h('code', {}, row.expects),
        used !== undefined && h('span', {class: 'tests-margin', 'data-k': kind, 'aria-hidden': 'true'}, fill),
        h('span', {class: 'used'}, marginText(row) || (row.verdict === 'untested' ? 'waits' : '')),
        // Where one that may still come true was looked at last, it has not failed.
        h('span', {class: 'at num'}, row.time_s === null || kind === 'running' ? '' : `${row.time_s.toFixed(3)} s`),
        h('span', {class: 'frame num'}, row.frame === null || kind === 'running' ? '' : `frame ${grouped(row.frame)}`));
  }

  // ---- The opened one ----

  opened() {
    const row = this.found.expectations[this.open ?? 0];
    const kind = kindOf(row, this.ended);
    redraw(list('test-head'), sign(kind), row.name, h('small', {}, KINDS[kind].word));
    put('test-says', `${row.says[0].toUpperCase()}${row.says.slice(1)}.${this.faultText(row)}`);
    redraw(list('test-facts'), facts([
             ['Expects', h('code', {}, row.expects)],
             ...(row.requirement ? [['Requirement', row.requirement]] : []),
             ['Severity', row.severity],
             ['Margin', marginText(row) || (row.no_margin ? `none: ${row.no_margin}` : 'none yet')],
           ]));
    const {signals, reference, low, high} = row.chart;
    redraw(
        list('test-legend'), signals.map((name, i) => h('span', {}, i === 0 && h('i'), name)),
        ...(reference ? [h('span', {}, h('i', {class: 'ref'}), reference)] : []),
        ...(low !== null || high !== null ? [h('span', {}, h('i', {class: 'band'}), 'where it holds')] : []));
    this.makePlot(row);
  }

  /** " Fault encoder_stuck had begun 64.0 ms earlier.": a time, and no cause. */
  faultText(row) {
    const {rig} = this;
    if (!hasFailed(row, this.ended) || row.frame === null) return '';
    const faults = faultsAt(this.marks.all, row.frame, Math.round(1e9 / rig.period)), more = faults.length - MOST_FAULTS;
    const text = faults.slice(0, MOST_FAULTS).map(({name, frame, over}) => {
      const before = (row.frame - frame) * rig.period;
      return ` Fault ${name} had begun ${before ? `${spanText(before)} earlier` : 'in that frame'}${over ? ', and had ended' : ''}.`;
    });
    return text.join('') + (more > 0 ? ` ${more} more were on.` : '');
  }

  /** What the charts need flows from the first look on, so that a failure that comes is on them. */
  chartAll() {
    const all = (this.found?.expectations ?? []).flatMap(({chart}) => [...chart.signals, chart.reference]);
    this.rig.chart('tests', [...new Set(all)].filter(Boolean).slice(0, MOST_CHARTED));
  }

  endPlot() {
    this.plot?.end();
    this.plot = undefined;
  }

  makePlot(row) {
    const host = one('[data-plot="judged"]');
    if (this.plot?.of === row.id || document.body.hasAttribute('data-board')) return;
    this.endPlot();
    host.replaceChildren();
    const {signals, reference, low, high} = row.chart, names = [...signals, reference].filter(Boolean);
    if (!names.length || !host.clientWidth) return;
    this.chartAll();
    const unit = (name) => shownUnit(this.rig.unit(name));
    const failure = (plot) => {
      const now = this.found?.expectations[row.id], frame = now && hasFailed(now, this.ended) ? now.frame : null;
      if (frame !== null) mark(plot, this.rig.seconds(frame), '✕', token('alarm'));
    };
    const banded = low !== null || high !== null;
    if (!banded) {
      this.plot = curvePlot(host, names, unit, {hooks: {draw: [failure]}});
    } else {
      const edge = {stroke: token('slack'), scale: 'y', dash: [2, 3]};
      this.plot = linePlot(host, {
        name: `${row.name}: ${names.join(', ')} over time, with the band in which it holds`,
        series: [
          {stroke: token('work'), scale: 'y'}, {stroke: token('ink'), scale: 'y', dash: [5, 3]}, edge, edge,
        ],
        bands: reference ? [{series: [4, 3], fill: `${token('slack')}33`}] : undefined,
        y: {scale: {range: (_, least, most) => padded(least, most)},
            labels: (_, ticks) => ticks.map((t) => `${+ t.toPrecision(4)} ${unit(signals[0])}`)},
        hooks: {draw: [failure], drawClear: reference ? [] : [(plot) => fillBand(plot, low, high)]},
      });
    }
    Object.assign(this.plot, {of: row.id, chart: row.chart, banded});
    this.drawChart();
  }

  /** What the chart of an expectation has: the seconds around its failure where this page saw them. */
  seconds(row, names) {
    const {rig} = this, span = Math.round(SPAN * 1e9 / rig.period), newest = rig.frame + 1;
    const {frame} = row, failed = frame !== null && hasFailed(row, this.ended);
    const seen = failed && names.some((name) => {
      const track = rig.track(name);
      track.extremes(frame - 16, frame + 17);
      return !Number.isNaN(track.low);
    });
    const around = seen && !this.latest, end = around ? Math.min(newest, frame + Math.round(span / 2)) : newest;
    one('[data-act="judged-now"]').hidden = !seen;
    one('[data-act="judged-now"]').textContent = around ? `Last ${SPAN} s` : 'Around the failure';
    put('test-window',
        around     ? 'The seconds around the first failure.' :
            failed && !seen ?
                     `The last ${SPAN} s. It failed before this page was open; the report of the run has those seconds.` :
                     `The last ${SPAN} s.`);
    return [Math.max(0, end - span), end];
  }

  /** A few times in a second. */
  drawChart() {
    const {rig, plot} = this, row = this.found?.expectations[plot?.of];
    this.steps.tick();
    one('[data-part="test-window"]').hidden = !plot;
    if (!plot || !row) return;
    const {signals, reference, gain = 1, offset = 0, low, high} = plot.chart;
    const names = [...signals, reference].filter(Boolean), [from, end] = this.seconds(row, names);
    const [frames, lines] = columns(names.map((name) => rig.track(name)), from, end, Math.max(60, plot.width - 140));
    let shown = lines;
    if (plot.banded) {
      // What the band is around may have another unit than the axis.
      const around = reference && lines[1].map((value) => (value === null ? null : value * gain + offset));
      const middle = around ?? frames.map(() => 0);
      const edge = (limit) => middle.map((value) => (limit === null || value === null ? null : value + limit));
      shown = [lines[0], around ?? frames.map(() => null), edge(low), edge(high)];
    }
    show(plot, frames.map((frame) => rig.seconds(frame)), shown, rig.seconds(from), rig.seconds(end));
  }
}

/** The ground of a band that stands still; without a limit on a side it has no end there. */
function fillBand(plot, low, high) {
  const {ctx: c, bbox} = plot, end = bbox.top + bbox.height;
  const place = (value, none) => (value === null ? none : Math.min(end, Math.max(bbox.top, plot.valToPos(value, 'y', true))));
  const top = place(high, bbox.top), bottom = place(low, end);
  c.save();
  c.fillStyle = `${token('slack')}33`;
  c.fillRect(bbox.left, top, bbox.width, Math.max(0, bottom - top));
  c.restore();
}

function padded(least, most) {
  if (least === null || most === null) return [-1, 1];
  const pad = most > least ? (most - least) * 0.08 : Math.abs(most) * 0.1 || 1;
  return [least - pad, most + pad];
}
