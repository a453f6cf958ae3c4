// SPDX-License-Identifier: Apache-2.0
// Overview: on time or late, and why.
import {ruler, spark} from './canvas.js';
import {all, facts, h, list, missing, one, put, redraw, table, token} from './dom.js';
import {grouped, seconds, span, spanText} from './text.js';
import {CAUSE_SIGNS, done} from './timing_data.js';
import {bands} from './track.js';

const SHOWN = 200;  // overruns that have a row
const RECENT = 3;   // s: so long an overrun is the verdict

export function quantity(ns, kind = 'q num') {
  const [figure, unit] = span(ns);
  return h('span', {class: kind}, h('span', {class: 'n'}, figure), h('span', {class: 'un'}, unit));
}

export const causeTag = (cause) =>
    h('span', {class: 'cause'}, h('i', {'aria-hidden': 'true'}, CAUSE_SIGNS[cause] ?? '?'), cause);

const TILES = {
  late: {track: 'rt.late', title: 'Lateness', about: 'worst wake of the last second', worst: 'high', last: 'max'},
  work:
      {track: 'rt.work', title: 'Execution time', about: 'longest of the last second', worst: 'high', last: 'max'},
  slack: {track: 'rt.slack', title: 'Slack', about: 'least of the last second', worst: 'low', last: 'min'},
};

/** A figure of an overrun in its unit. */
const figure = (value, unit) =>
    (value === null || value === undefined ? '–' :
         unit === 'ns'                     ? spanText(value) :
                                             `${typeof value === 'number' ? grouped(value) : value} ${unit}`.trim());

export class Overview {
  constructor(rig, toTimeline) {
    this.rig = rig;
    this.toTimeline = toTimeline;
    for (const [name, tile] of Object.entries(TILES)) this.tile(name, tile);
    rig.addEventListener('overrun', () => this.stirred = true);
    rig.addEventListener('facts', () => {
      this.timing = null;
      this.stirred = true;
    });
  }

  tile(name, {title, about}) {
    one(`[data-tile="${name}"]`)
        .append(
            h('h2', {}, h('i', {class: `key ${name}`}), title, h('small', {}, about)),
            h('div', {class: 'big num', 'data-v': `big-${name}`}), h('dl', {'data-list': `q-${name}`}),
            h('canvas',
              {'data-draw': `spark-${name}`, role: 'img', 'aria-label': `${title} of the last 15 seconds`}));
  }

  show() {
    this.stirred = true;
    this.draw(true);
  }

  /** `slow`: what changes slowly, too. `timing`: of /v1/timing, or why there is none. */
  draw(slow) {
    this.tiles();
    if (slow) {
      this.verdict();
      this.rulers();
    }
    if (!this.stirred) return;
    this.stirred = false;
    this.overruns();
    this.causes();
  }

  scale(name, period) {
    if (name === 'slack') return {low: -period, high: 1.1 * period, limit: 0};
    return {
      low: name === 'late' ? 1 : 100,
      high: 30 * period,
      limit: name === 'late' ? period / 10 : period,
      log: true
    };
  }

  tiles() {
    const {rig} = this, end = rig.frame + 1, second = Math.max(1, Math.round(1e9 / rig.period));
    const paced = rig.info?.realtime !== false;
    for (const [name, tile] of Object.entries(TILES)) {
      const track = rig.track(tile.track), told = paced || name === 'work';
      const [, least, greatest] = bands(track, end - 15 * second, end, 240);
      const canvas = one(`[data-draw="spark-${name}"]`);
      spark(canvas, told ? least : [], greatest, {...this.scale(name, rig.period), colour: token(name)});
      track.extremes(end - second, end);
      const worst = told ? track[tile.worst] : NaN;
      one(`[data-v="big-${name}"]`).replaceChildren(quantity(worst, ''));
      const of = told ? this.timing?.[name] : null, low = name === 'slack';
      const shares = low ? [['p50', of?.p50_ns], ['p1', of && this.low(of)], ['min', of?.min_ns]] :
                           [['p50', of?.p50_ns], ['p99', of?.p99_ns], ['max', of?.max_ns]];
      list(`q-${name}`)
          .replaceChildren(...shares.flatMap(([label, ns]) => [h('dt', {}, label), h('dd', {}, quantity(ns))]));
    }
  }

  // A hundredth of all frames had less slack.
  low(slack) {
    return this.rig.period - done(slack, this.rig.period).p99_ns;
  }

  verdict() {
    const {rig} = this, line = one('.verdict'), runs = rig.overruns.all, last = runs.at(-1);
    const ago = last && rig.seconds(rig.frame - last.frame - last.followers);
    const totals = this.timing?.totals, frames = totals?.frames_run ?? rig.now.frames;
    const words = {
      Run: rig.info?.realtime === false ? 'As fast as it can' : 'On time',
      Pause: 'In Pause',
      Stop: 'Stopped'
    };
    const late = last && ago >= 0 && ago < RECENT;
    const now = rig.over ? [h('span', {class: 'sign'}, '■'), `The run is over: ${rig.over}`] :
        late             ? [h('span', {class: 'sign'}, '▲'), `Late: ${last.cause}, ${last.who}`] :
                           [h('span', {class: 'sign good'}, '✓'), words[rig.state] ?? rig.state];
    const count = totals?.overruns ?? runs.reduce((sum, entry) => sum + 1 + entry.followers, 0);
    let rest = `no overrun in ${grouped(frames)} frames.`;
    if (count) {
      const when = last && ago >= 0 ? `; the last ${ago.toFixed(1)} s ago` : '';
      const worst = totals ? ` Worst ${spanText(totals.longest_overrun_ns)}.` : '';
      rest = `${grouped(count)} overrun${count > 1 ? 's' : ''} in ${grouped(frames)} frames${when}.${worst}`;
    }
    line.replaceChildren(...now, h('small', {}, rest));
    put('badge-overview', count ? (count > 999 ? '999+' : String(count)) : '');
    this.thisRun(totals);
    this.promises();
  }

  thisRun(totals) {
    const {rig} = this, {info} = rig;
    if (!info) return;
    const main = this.threads?.find((thread) => thread.role === 'main');
    const policy =
        main && `${main.name}, ${main.policy}${main.priority ? ` ${main.priority}` : ''}, CPU ${main.cpus}`;
    const planned = info.planned_frames === null ? 'without an end' :
                                                   `${seconds(info.planned_frames * rig.period, rig.period)} s`;
    const frame = `${spanText(rig.period)}, ${info.realtime ? 'real time' : 'not in real time'}`;
    redraw(list('facts'), facts([
             ['Rig', info.file ?? info.rig],
             ['Planned', planned],
             ['Frame', frame],
             ...(policy ? [['Thread', policy]] : []),
             ...(this.clock?.sleeper ? [['Waits by', this.clock.sleeper]] : []),
             ['Frames', grouped(totals?.frames_run ?? rig.now.frames)],
             ...(totals ?
                     [
                       ['Overruns', grouped(totals.overruns)], ['Late wakes', grouped(totals.late_wakes)],
                       ['Lost slots', grouped(totals.lost)]
                     ] :
                     []),
             ['tactus', info.version],
             ['Run folder', info.folder],
           ]));
  }

  promises() {
    const broken = this.timing?.promises_broken;
    if (!broken)
      return redraw(list('promises'), facts([['Heap, page faults, system calls', 'the rig does not say']]));
    const rows = Object.entries(broken).flatMap(
        ([job, what]) => Object.entries(what).map(
            ([
              kind, {count, frames}
            ]) => [`▲ ${job}`, `${kind.replaceAll('_', ' ')}: ${grouped(count)} in ${grouped(frames)} frames`]));
    redraw(list('promises'), facts(rows.length ? rows : [['Broken by a job', '✓ none seen']]));
  }

  rulers() {
    const {rig} = this, canvas = one('.ruler'), {timing} = this;
    const told = timing && rig.info?.realtime !== false;
    canvas.hidden = !told;
    put('ruler-why',
        told                             ? '' :
            rig.info?.realtime === false ? 'This rig does not run in real time: its frames have no slots.' :
                                           this.timingWhy ?? '');
    if (!told) return;
    const finished = done(timing.slack, rig.period, timing.work.min_ns);
    ruler(
        canvas,
        [
          {name: 'woken', colour: token('late'), histogram: timing.late},
          {name: 'done', colour: token('work'), histogram: finished}
        ],
        rig.period);
    const say = (name, of) =>
        `${name}: p50 ${spanText(of.p50_ns)}, p99.9 ${spanText(of.p99_9_ns)}, max ${spanText(of.max_ns)}`;
    canvas.setAttribute(
        'aria-label',
        `All frames on a logarithmic axis. ${say('Woken', timing.late)}. ${say('Done', finished)}. Deadline ${
            spanText(rig.period)}.`);
  }

  overruns() {
    const {rig} = this, runs = rig.overruns.all;
    const open = new Set(all('.overruns details[open]').map((node) => node.dataset.id));
    const frames = runs.reduce((sum, entry) => sum + 1 + entry.followers, 0);
    const left = rig.overruns.leftOut ? `, ${grouped(rig.overruns.leftOut)} more were not kept` : '';
    put('overruns',
        runs.length ? `${grouped(frames)} in ${grouped(runs.length)} episode${runs.length > 1 ? 's' : ''}${left}` :
                      'none');
    const shown = runs.slice(-SHOWN).reverse();
    redraw(
        list('overruns'),
        rig.overruns.problem ? missing(rig.overruns.problem) :
            shown.length     ? shown.map((entry) => this.row(entry, open)) :
                               missing('No frame has overrun.'));
    if (runs.length > SHOWN) list('overruns').append(missing(`The newest ${SHOWN} are shown.`));
  }

  row(entry, open) {
    const {rig} = this, {beside} = entry;
    const followers = entry.followers ? h('small', {}, `  + ${entry.followers} catching up`) : null;
    const rows = entry.evidence.map(
        ({figure: name, value, unit, usual}) => [name, figure(value, unit), figure(usual, unit)]);
    return h(
        'details', {'data-id': entry.id, open: open.has(String(entry.id))},
        h('summary', {}, h('span', {class: 'num'}, `${seconds(entry.sim_time_ns)} s`),
          h('span', {class: 'num soft'}, `frame ${entry.frame}`), causeTag(entry.cause),
          h('span', {}, entry.who, beside ? h('small', {}, `  + ${beside.cause} ${quantity(beside.share_ns)}`) : null, followers), h('span', {class: 'num'}, 'over ', quantity(entry.over_ns))),
        h('div', {class: 'evidence'}, h('p', {}, entry.text),
          beside ? h('p', {}, `Beside it, ${quantity(beside.share_ns)} of ${quantity(entry.over_ns)}: ${beside.text}`) : null,
          rows.length ? h('table', {}, table(['Figure', '>This frame', '>Usual'], rows)) : null,
          h('div', {class: 'right'},
            h('button', {class: 'small', onclick: () => this.toTimeline(entry)}, 'Show in the timeline'))));
  }

  causes() {
    const groups = new Map();  // by cause: how often it had a share, and what that cost with its followers
    for (const {cause, beside, over_ns, cost_ns} of this.rig.overruns.all) {
      const share = beside ? beside.share_ns / over_ns : 0;
      for (const [of, part] of [[cause, 1 - share], [beside?.cause, share]]) {
        if (!of || !part) continue;
        const group = groups.get(of) ?? {count: 0, cost: 0};
        groups.set(of, {count: group.count + 1, cost: group.cost + part * cost_ns});
      }
    }
    const cost = (group) => group.cost;
    const sorted = [...groups].sort((a, b) => cost(b[1]) - cost(a[1]));
    const most = sorted.length ? cost(sorted[0][1]) : 1;
    redraw(
        list('causes'),
        sorted.length ? sorted.flatMap(([cause, group]) => {
          const bar = h('i');
          bar.style.width = `${cost(group) / most * 100}%`;
          return [
            causeTag(cause), h('span', {class: 'track'}, bar),
            h('span', {class: 'num'}, `${group.count} × `, quantity(cost(group)))
          ];
        }) :
                        h('span', {class: 'soft'}, 'No frame was late.'));
  }
}
