// SPDX-License-Identifier: Apache-2.0
// Timing: every frame over time, all frames as histograms, some frames as they ran, jobs.
import {histogramPlot, LOG_LABELS} from './canvas.js';
import {facts, h, list, missing, one, put, redraw, say, segment, token} from './dom.js';
import {levelLine, linePlot, show} from './lines.js';
import {blamed, quantity} from './overruns.js';
import {Refused} from './port.js';
import {grouped, spanText} from './text.js';
import {Timeline} from './timeline.js';
import {readHistograms} from './histograms.js';
import {classColour, traceModel} from './trace_model.js';
import {bands} from './track.js';

const DECADES = LOG_LABELS.map((_, decade) => 10 ** decade);
const HINT = 'Hover over a slice or select it. Keys: w s zoom, a d move, ← → select, f fits. Dragging and the wheel work, too.';

/** Histograms: name in /v1/timing, colour, title. */
const HISTOGRAMS = [
  ['late', 'late', 'Lateness'],
  ['work', 'work', 'Execution time'],
  ['behind', 's4', 'Housekeeping'],
];

export class Timing {
  constructor(rig) {
    Object.assign(this, {rig, plots: {}, span: 15, held: null, order: 'time', jobs: null, shown: null, gone: null});
    segment('span', '15', (value) => {
      this.span = Number(value);
      this.draw(false);
    });
    this.timeline = new Timeline(
        one('.trace'),
        (slice) => put('trace-selected', slice ? `${slice.text}   ${spanText(slice.to - slice.from)}` : HINT));
    rig.addEventListener('overrun', ({detail}) => !detail && this.plots.late && this.worst(true));
    rig.addEventListener('facts', () => {
      this.timing = null;
      this.jobs = null;
      this.shown = null;
    });
  }

  show() {
    this.makePlots();
    this.draw(true);
    this.readJobs();
    readHistograms(this.rig);
    if (this.shown === -1) this.shown = null;
    this.again();  // what a person has chosen stays
    this.timeline.draw();
  }
  hide() {
    for (const plot of Object.values(this.plots)) plot.end();
    this.plots = {};
  }

  hold() {
    this.held = this.held === null ? this.rig.frame : null;
    one('[data-act="hold"]').setAttribute('aria-pressed', String(this.held !== null));
  }

  // ---- Over time ----

  makePlots() {
    const {rig} = this;
    const band = (name) => [{label: name, stroke: token(name)}, {width: 0}];
    const read = (plot) => this.readCursor(plot);
    const x = {values: (_, ticks) => ticks.map((t) => `${+ t.toFixed(3)} s`)};
    this.plots.late = linePlot(one('[data-plot="late"]'), {
      name: 'Lateness and execution time, greatest value of each column',
      series: [...band('late'), ...band('work')],
      y: {
        scale: {distr: 3, range: (_, low, high) => [1, Math.max(3e7, rig.slot * 30, 2 * (high ?? 0))]},
        splits: (_, axis, low, high) => DECADES.filter((v) => v <= high),
        filter: (_, ticks) => ticks,
        labels: (_, ticks) => ticks.map((t, i) => (i % 2 ? '' : LOG_LABELS[i])),
      },
      x,
      sync: 'timing',
      bands: [{series: [1, 2], fill: `${token('late')}66`}, {series: [3, 4], fill: `${token('work')}66`}],
      hooks: {
        draw: [(plot) => {
          levelLine(plot, rig.slot, `frame ${spanText(rig.slot)}`, token('alarm'));
          this.marks(plot);
        }],
        setCursor: [read],
      },
    });
    const p = rig.slot;
    this.plots.slack = linePlot(one('[data-plot="slack"]'), {
      name: 'Slack, least and greatest value of each column',
      series: [{stroke: token('slack')}, {stroke: token('slack')}],
      y: {
        scale: {distr: 4, asinh: p / 50, range: (_, low) => [Math.min(-2 * p, (low ?? 0) * 1.4), 2 * p]},
        splits: (_, axis, low, high) => [-1000 * p, -100 * p, -10 * p, -p, -p / 10, 0, p / 10, p].filter(
            (v) => v >= low && v <= high),
        filter: (_, ticks) => ticks,
        labels: (_, ticks) => ticks.map((t) => (t ? spanText(t) : '0')),
      },
      x,
      sync: 'timing',
      bands: [{series: [2, 1], fill: token('slack')}],
      hooks: {draw: [(plot) => levelLine(plot, 0, 'overrun below', token('alarm'))]},
    });
  }

  // A sign for each overrun, and its cause where there is room before the next sign.
  marks(plot) {
    const ratio = devicePixelRatio || 1, {ctx: c, bbox} = plot, end = bbox.left + bbox.width;
    const seen = this.rig.overruns.all.map(
        (entry) => [plot.valToPos(this.rig.seconds(entry.frame), 'x', true), entry.cause]);
    const shown = seen.filter(([x]) => x >= bbox.left && x <= end);
    shown.forEach(([x, cause], i) => {
      c.fillStyle = token('alarm');
      c.font = `${12 * ratio}px ${token('sans')}`;
      c.textAlign = 'center';
      c.fillText('▲', x, bbox.top + 11 * ratio);
      c.font = `${11 * ratio}px ${token('mono')}`;
      const next = shown[i + 1]?.[0] ?? end;
      if (bbox.width <= 600 * ratio || x + c.measureText(cause).width + 18 * ratio > next) return;
      c.textAlign = 'left';
      c.fillStyle = token('ink');
      c.fillText(cause, x + 9 * ratio, bbox.top + 10 * ratio);
    });
  }

  readCursor(plot) {
    const i = plot.cursor.idx;
    if (i === null || i === undefined || !plot.data[0]?.length)
      return put('legend-time', 'greatest value of each column; log axis');
    const [x, late, , work] = plot.data.map((column) => column[i]);
    put('legend-time', `${x.toFixed(3)} s   lateness ${spanText(late)}   execution time ${spanText(work)}`);
  }

  draw(slow) {
    const {rig} = this;
    if (slow) this.histograms();
    if (!this.plots.late) return;
    const end = (this.held ?? rig.frame) + 1, frames = Math.round(this.span * 1e9 / rig.period),
          from = end - frames;
    const count = Math.max(80, one('[data-plot="late"]').clientWidth - 82);
    const [x, lateLow, lateHigh] = bands(rig.track('rt.late'), from, end, count);
    const [, workLow, workHigh] = bands(rig.track('rt.work'), from, end, count);
    const [, slackLow, slackHigh] = bands(rig.track('rt.slack'), from, end, count);
    const floor = (column) => column.map((ns) => (ns === null ? null : Math.max(ns, 1)));
    const xs = x.map((frame) => rig.seconds(frame)), min = rig.seconds(from), max = rig.seconds(end);
    show(this.plots.late, xs, [lateHigh, lateLow, workHigh, workLow].map(floor), min, max);
    show(this.plots.slack, xs, [slackLow, slackHigh], min, max);
    put('timing-note',
        rig.streamProblem ??
            (rig.info?.realtime === false ?
                 'Not in real time: only execution time has a meaning.' :
                 'Each column shows the least and the greatest value of its frames, so every spike is visible.'));
  }

  histograms() {
    for (const [name, colour, title] of HISTOGRAMS) {
      const canvas = one(`[data-draw="hist-${name}"]`), of = this.timing?.[name];
      canvas.hidden = !of;
      canvas.classList.toggle('never', name !== 'work' && this.rig.info?.realtime === false);
      if (!of) {
        put(`hist-${name}`, this.timingWhy ?? (this.timing ? 'nothing measured yet' : 'not read yet'));
        continue;
      }
      histogramPlot(canvas, of, token(colour), this.rig.slot);
      const text = `p50 ${spanText(of.p50_ns)}   p99 ${spanText(of.p99_ns)}   p99.9 ${
          spanText(of.p99_9_ns)}   max ${spanText(of.max_ns)}`;
      put(`hist-${name}`, text);
      canvas.setAttribute('aria-label', `${title} of ${grouped(of.count)} frames: ${text}`);
    }
  }

  // ---- As they ran ----

  /** The trace around an overrun; without: the last frames. Whether there is one; `quietly`: none is not said. */
  async trace(entry, quietly = false) {
    const query =
        entry ? `?frame=${entry.frame}&before=3&after=${Math.min(200, entry.followers + 3)}` : '?before=11&after=0';
    put('trace-title', 'reading …');
    this.gone = null;
    let trace;
    try {
      await this.readJobs();
      trace = await this.rig.port.json(`/v1/trace${query}`);
    } catch (error) {
      const why = error instanceof Refused ? error.message : 'the rig has not answered; trying again';
      const never = error instanceof Refused && error.status !== 503;  // 503: not now
      if (entry && error instanceof Refused && error.status === 404) this.gone = {frame: entry.frame, why};
      if ((this.shown ?? -1) < 0) this.shown = never ? -1 : null;
      put('trace-title', why);
      if (!quietly) say(why);
      return false;
    }
    const jobs = new Map((this.jobs?.jobs ?? []).map((job) => [job.name, job]));
    const {model, from, to} = traceModel(trace, jobs);
    this.shown = entry ? entry.frame : trace.frame;
    put('trace-title',
        entry ? `frame ${entry.frame}: ${blamed(entry)}` : `frames ${trace.first} to ${trace.last}`);
    one('.trace').hidden = false;
    this.timeline.show(model, from, to);
    this.timeline.told(null);
    return true;
  }

  /** Nothing is shown yet, as the rig has not answered: once more. */
  async again() {
    if (this.shown === null && !this.rereading) {
      this.rereading = true;
      await this.worst(true).finally(() => this.rereading = false);
    }
  }

  /** The worst overrun; the last frames where there is none, or where the flight recorder has it no more. */
  async worst(quietly = false) {
    const runs = this.rig.overruns.all;
    const entry = runs.length ? runs.reduce((a, b) => (b.over_ns > a.over_ns ? b : a)) : null;
    if (await this.trace(entry, quietly) || !entry || this.gone === null) return;
    const {gone} = this;
    if (!await this.trace(null, true)) return;
    this.gone = gone;  // its file is what "Trace for Perfetto" asks for, until other frames are chosen
    this.shown = gone.frame;
    put('trace-title', `${one('[data-v="trace-title"]').textContent}; the worst frame is not available: ${gone.why}`);
  }

  /**
   * Some frames as a file for Perfetto: those that are shown, or those around `frame`. Frames that the flight
   * recorder holds no more come from the trace in the run folder, if there is one; else the last ones.
   */
  async download(frame = this.shown) {
    const ask = (which) => this.rig.port.send(`/v1/trace?${which}before=100&after=20&format=perfetto`);
    let instead = '';
    try {
      let response;
      try {
        response = await ask(frame >= 0 && frame !== null ? `frame=${frame}&` : '');
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 404) throw error;
        instead = ` It has the last frames: ${error.message}`;
        frame = null;
        response = await ask('');
      }
      const named = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
      const link = h('a', {
        href: URL.createObjectURL(await response.blob()),
        download: named ?? `trace-${frame ?? 'last'}.pftrace`
      });
      link.click();
      URL.revokeObjectURL(link.href);
      say(`The trace is downloaded. Open it in ui.perfetto.dev or another viewer of Perfetto traces.${instead}`);
    } catch (error) {
      say(error instanceof Refused ? error.message : 'The trace was not downloaded: the rig did not answer; try again');
    }
  }

  // ---- Jobs ----

  async readJobs() {
    try {
      this.jobs = await this.rig.port.json('/v1/jobs');
    } catch (error) {
      if (!(error instanceof Refused)) return;
      this.jobs = null;
      redraw(list('jobs'));
      put('jobs-note', error.message);
      return;
    }
    this.drawJobs();
  }

  drawJobs() {
    const {jobs, measured} = this.jobs,
                 frames = Math.max(1, this.timing?.totals?.frames_run ?? this.rig.now.frames);
    put('jobs-note', measured ? '' : 'Times of jobs are not measured in this rig (measure: no).');
    const total = (job) => (job.time_ns ? job.calls * job.time_ns.p50 / frames : 0);
    const spread = (job) => (job.time_ns?.p50 ? job.time_ns.p99 / job.time_ns.p50 : 0);
    const by = this.order === 'time' ? total : spread, sorted = [...jobs].sort((a, b) => by(b) - by(a));
    const most = Math.max(1, ...jobs.map(total));
    redraw(list('jobs'), h('thead', {}, this.heads()), h('tbody', {}, sorted.map((job) => {
             const bar = h('i'), key = h('i', {class: 'key'});
             bar.style.width = `${total(job) / most * 100}%`;
             key.style.background = token(classColour(job.class));
             const state = job.state && job.state !== 'runs' ? h('small', {}, ` ▲ ${job.state}`) : null;
             const over = job.over_budget ? h('small', {}, ` ▲ ${grouped(job.over_budget)} over`) : null;
             const right = (...content) => h('td', {class: 'r'}, ...content);
             return h(
                 'tr', {}, h('td', {class: 'mono'}, key, ` ${job.name}`, state),
                 h('td', {class: 'soft'}, job.class), h('td', {class: 'soft'}, job.thread),
                 right(String(+(job.calls / frames).toFixed(2))),
                 ['p50', 'p99', 'max'].map((q) => right(quantity(job.time_ns?.[q]))), right(quantity(total(job))),
                 h('td', {}, h('span', {class: 'meter'}, bar)),
                 right(spread(job) ? `${spread(job).toFixed(1)} ×` : '–'),
                 right(job.budget_ns === null ? '–' : quantity(job.budget_ns), over));
           })));
  }

  heads() {
    const plain = (text, right) => h('th', {scope: 'col', class: right ? 'r' : undefined}, text);
    const sorts = (text, order) =>
        h('th', {scope: 'col', class: 'r', 'aria-sort': this.order === order ? 'descending' : 'none'},
          h('button', {
            onclick: () => {
              this.order = order;
              this.drawJobs();
            },
          },
            text, this.order === order ? ' ▾' : ' ▿'));
    return h(
        'tr', {}, plain('Job'), plain('Class'), plain('Thread'),
        ...['Calls a frame', 'p50', 'p99', 'max'].map((text) => plain(text, true)), sorts('Time a frame', 'time'),
        plain('Share'), sorts('Spread p99/p50', 'spread'), plain('Budget', true));
  }
}
