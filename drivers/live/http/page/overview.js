// SPDX-License-Identifier: Apache-2.0
// Overview: on time or late, and why.
import {ruler, spark} from './canvas.js';
import {facts, h, list, one, put, redraw, token} from './dom.js';
import {blamed, causeTag, OverrunList, quantity} from './overruns.js';
import {grouped, plannedText, spanText} from './text.js';
import {done} from './timing_data.js';
import {bands} from './track.js';

const RECENT = 3;   // s: so long an overrun is the verdict
const QUIET = 60;   // s: so long there was none before all is well

const TILES = {
  late: {track: 'rt.late', title: 'Lateness', about: 'worst wake of the last second', worst: 'high', last: 'max'},
  work:
      {track: 'rt.work', title: 'Execution time', about: 'longest of the last second', worst: 'high', last: 'max'},
  slack: {track: 'rt.slack', title: 'Slack', about: 'least of the last second', worst: 'low', last: 'min'},
};

export class Overview {
  constructor(rig, toTimeline, toFile, marks) {
    Object.assign(this, {rig, marks});
    this.list = new OverrunList(rig, toTimeline, toFile);
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
    this.list.draw();
    this.causes();
    this.verdict();  // all places count the same
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
    const {rig} = this, end = rig.frame + 1, second = Math.max(1, Math.round(1e9 / rig.slot));
    const paced = rig.info?.realtime !== false, first = end - 15 * second;
    const marks = this.marks.between(first, end).map((mark) => ({...mark, at: (mark.frame - first) / (15 * second)}));
    const names = marks.slice(-12).map(({sign, name, frame}) => `${sign} ${name}, frame ${grouped(frame)}`).join('\n');
    for (const [name, tile] of Object.entries(TILES)) {
      const track = rig.track(tile.track), told = paced || name === 'work';
      const [, least, greatest] = bands(track, end - 15 * second, end, 240);
      const canvas = one(`[data-draw="spark-${name}"]`);
      spark(canvas, told ? least : [], greatest, {...this.scale(name, rig.slot), colour: token(name), marks});
      if (canvas.title !== names) canvas.title = names;
      track.extremes(end - second, end);
      const worst = told ? track[tile.worst] : NaN;
      one(`[data-v="big-${name}"]`).replaceChildren(quantity(worst, ''));
      const of = told ? this.timing?.[name] : null, low = name === 'slack';
      // The worst of all frames is no better than that of the last second, which is newer.
      const most = of && (worst > of.max_ns ? worst : of.max_ns), lowest = of && (worst < of.min_ns ? worst : of.min_ns);
      const shares = low ? [['p50', of?.p50_ns], ['p1', of && this.low(of)], ['min', lowest]] :
                           [['p50', of?.p50_ns], ['p99', of?.p99_ns], ['max', most]];
      list(`q-${name}`)
          .replaceChildren(...shares.flatMap(([label, ns]) => [h('dt', {}, label), h('dd', {}, quantity(ns))]));
    }
  }

  // A hundredth of all frames had less slack.
  low(slack) {
    return this.rig.slot - done(slack, this.rig.slot).p99_ns;
  }

  /** Frames that overran, as the rig counts them; those that the list has where it does not say, or says it later. */
  count() {
    return Math.max(this.timing?.totals?.overruns ?? 0, this.list.frames());
  }

  verdict() {
    const {rig} = this, count = this.count(), totals = this.timing?.totals;
    const none = this.ran === 0;
    if (none !== this.list.unrun) this.stirred = this.list.fresh = true;
    this.list.unrun = none;
    one('.verdict').replaceChildren(...this.headline(), h('small', {}, rig.stated && !rig.stale ? this.history(count) : ''));
    put('badge-overview', count ? (count > 999 ? '999+' : String(count)) : '');
    this.list.head(count);
    this.thisRun(totals, count);
    this.promises();
  }

  /** Frames that have run; undefined where the rig has not told it. */
  get ran() {
    return this.timing?.totals?.frames_run ?? (this.rig.stated ? this.rig.now.frames : undefined);
  }

  /** Since when the newest overrun is over, in s; nothing where there was none since the rig began (again). */
  since() {
    const {rig} = this, last = rig.overruns.all.at(-1);
    const ago = last ? (rig.frame - last.frame - last.followers) * rig.slot / 1e9 : undefined;
    return ago >= 0 ? ago : undefined;
  }

  /** Least slack of the last seconds, in ns; NaN where no frame of them has come. */
  least() {
    const {rig} = this, end = rig.frame + 1, track = rig.track('rt.slack');
    track.extremes(end - Math.max(1, Math.round(RECENT * 1e9 / rig.slot)), end);
    return track.low;
  }

  headline() {
    const {rig} = this, last = rig.overruns.all.at(-1), ago = this.since();
    const sign = (text, good) => h('span', {class: good ? 'sign good' : /[❙■…]/.test(text) ? 'sign plain' : 'sign'}, text);
    if (rig.over) return [sign('■'), `The run is over: ${rig.over}`];
    if (rig.stale) return [sign('?'), rig.stated ? 'Not known: no answer from the rig' : 'Not known: the rig does not answer'];
    if (!rig.stated) return ['…'];
    if (rig.state === 'Run' && ago < RECENT) return [sign('▲'), `Late: ${blamed(last)}`];
    const words = {Pause: 'In Pause', Stop: 'Stopped'};
    if (rig.state !== 'Run') return [sign(rig.state === 'Pause' ? '❙❙' : '■'), words[rig.state] ?? rig.state];
    if (rig.info?.realtime === false) return [sign('✓', true), 'Running as fast as possible'];
    if (!rig.overruns.known && !this.timing) return [sign('…'), 'Running; lateness is not known yet'];
    const unlisted = ago === undefined && this.count() > 0, least = this.least();
    if (unlisted && least < 0) return [sign('▲'), `Late by ${spanText(-least)}; the cause is not listed`];
    if (unlisted && !(least >= 0)) return [sign('…'), 'Running; lateness is not known yet'];
    if (unlisted) return [sign('✓'), 'On time now'];
    return [sign('✓', !(ago < QUIET)), ago < QUIET ? 'On time again' : 'On time'];
  }

  /** What was, beside what is. */
  history(count) {
    const {rig} = this, totals = this.timing?.totals, last = rig.overruns.all.at(-1), ago = this.since();
    if (!totals && !rig.overruns.known) return '';
    const {ran} = this, frames = grouped(ran ?? 0);
    if (!ran) return '';
    if (!count) return `no overrun in ${frames} frames.`;
    const what = last && `${blamed(last)}, over by ${spanText(last.over_ns)}`;
    const when = ago === undefined ? '' : `; the last ${ago.toFixed(1)} s ago: ${what}`;
    // The totals are asked for now and then; the list is told at once.
    const longest = rig.overruns.all.reduce((most, {over_ns: over}) => Math.max(most, over ?? 0),
                                                totals?.longest_overrun_ns ?? 0);
    const worst = totals ? ` Worst ${spanText(longest)}.` : '';
    return `${grouped(count)} overrun${count > 1 ? 's' : ''} in ${frames} frames${when}.${worst}`;
  }

  thisRun(totals, overruns) {
    const {rig} = this, {info} = rig;
    if (!info) return;
    const main = this.threads?.find((thread) => thread.role === 'main');
    const policy =
        main && `${main.name}, ${main.policy}${main.priority ? ` ${main.priority}` : ''}, CPU ${main.cpus}`;
    const planned =
        info.planned_frames === null ? 'no planned end' : plannedText(info.planned_frames * rig.period);
    const frame = `${info.period.text}, ${info.realtime ? 'real time' : 'not in real time'}`;
    redraw(list('facts'), facts([
             ['Rig', info.file ?? info.rig],
             ['Planned', planned],
             ['Frame', frame],
             ...(policy ? [['Thread', policy]] : []),
             ...(this.clock?.sleeper ? [['Waits by', this.clock.sleeper]] : []),
             ['Frames', this.ran === undefined ? '–' : grouped(this.ran)],
             ...(totals ?
                     [
                       ['Overruns', grouped(overruns)], ['Late wakes', grouped(totals.late_wakes)],
                       ['Lost slots', grouped(totals.lost)]
                     ] :
                     []),
             ['tactus', info.version],
             ['Run folder', info.folder],
           ]));
  }

  promises() {
    const broken = this.timing?.promises_broken;
    if (!broken) {
      const why = this.timing || this.timingWhy ? 'not reported by the rig' : 'not read yet';
      return redraw(list('promises'), facts([['Heap, page faults, system calls', why]]));
    }
    const rows = Object.entries(broken).flatMap(
        ([job, what]) => Object.entries(what).map(
            ([
              kind, {count, frames}
            ]) => [`▲ ${job}`, `${kind.replaceAll('_', ' ')}: ${grouped(count)} in ${grouped(frames)} frames`]));
    const kept = this.ran ? '✓ none seen' : 'no frame has run yet';
    redraw(list('promises'), facts(rows.length ? rows : [['Broken by a job', kept]]));
  }

  rulers() {
    const {rig} = this, canvas = one('.ruler'), {timing} = this;
    const told = timing?.slack && rig.info?.realtime !== false;
    canvas.hidden = !told;
    canvas.classList.toggle('never', rig.info?.realtime === false);
    put('ruler-note',
        told                             ? 'times of wake and end, from the slot; a frame right of the deadline overran' :
            rig.info?.realtime === false ? 'This rig does not run in real time: its frames have no slots.' :
            timing                       ? 'No frame has been measured yet.' :
                                           this.timingWhy ?? '');
    if (!told) return;
    const finished = done(timing.slack, rig.slot, timing.work.min_ns);
    ruler(
        canvas,
        [
          {name: 'woken', colour: token('late'), histogram: timing.late},
          {name: 'done', colour: token('work'), histogram: finished}
        ],
        rig.slot);
    const say = (name, of) =>
        `${name}: p50 ${spanText(of.p50_ns)}, p99.9 ${spanText(of.p99_9_ns)}, max ${spanText(of.max_ns)}`;
    canvas.setAttribute(
        'aria-label',
        `All frames on a logarithmic axis. ${say('Woken', timing.late)}. ${say('Done', finished)}. Deadline ${
            spanText(rig.slot)}.`);
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
                        h('span', {class: 'soft'}, this.none()));
    const {length} = this.rig.overruns.all;
    put('causes-of', length ? `by time lost, of the ${grouped(length)} episode${length > 1 ? 's' : ''} of the list` : '');
  }

  none() {
    const {problem, known} = this.rig.overruns;
    return problem ?? (!known ? 'not read yet' : this.list.unrun ? 'No frame has run yet.' : 'No frame has overrun.');
  }
}
