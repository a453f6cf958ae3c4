// SPDX-License-Identifier: Apache-2.0
// Bench: the machine and what limits it, clock, link, drivers, threads, log, journal.
import {facts, h, list, missing, put, redraw, say, segment, table} from './dom.js';
import {Refused} from './port.js';
import {grouped, shownUnit, spanText} from './text.js';
import {figures} from './top.js';

const MOST_LINES = 500;
const none = (text) => h('li', {class: 'none'}, h('span', {class: 'soft'}, text));
const FAILED = ['Error', 'Aborting'];
const SIGNS = {
  fail: '✕ fail',
  warn: '▲ warn',
  ok: '✓ ok'
};

export class Bench {
  constructor(rig) {
    Object.assign(this, {rig, level: 'info', open: new Set(), threadTimes: new Map()});
    segment('level', 'info', (value) => {
      this.level = value;
      this.logs();
    });
    rig.addEventListener('log', () => this.stirred = true);
    rig.addEventListener('journal', () => this.stirred = true);
  }

  show() {
    this.stirred = true;
    this.draw();
    this.read();
  }

  hide() {
    this.rig.want('bench', []);
  }

  draw() {
    if (list('link-values')) this.linkValues();
    if (!this.stirred) return;
    this.stirred = false;
    this.logs();
  }

  /** Every part on its own: one that the rig does not tell leaves the others alone. */
  async read() {
    const part = async (path, draw, none) => {
      try {
        draw(await this.rig.port.json(path));
      } catch (error) {
        if (error instanceof Refused) none(error.message);
      }
    };
    const says = (name) => (text) => redraw(list(name), missing(text));
    await Promise.all([
      this.doctor(),
      part('/v1/clock', (clock) => this.clock(clock), says('clock')),
      part('/v1/link', (link) => this.link(link), says('link')),
      part('/v1/drivers', (drivers) => this.drivers(drivers), says('drivers')),
      part('/v1/threads', (threads) => this.threads(threads), says('threads')),
    ]);
  }

  // ---- The machine ----

  async doctor() {
    try {
      const found = await this.rig.port.json('/v1/doctor');
      const {counts, facts: all} = found;
      put('badge-bench', counts.fail ? `✕${counts.fail}` : '');
      put('doctor-sum', `✕ ${counts.fail} fail   ▲ ${counts.warn} warn   ✓ ${counts.ok} ok`);
      const text = JSON.stringify(all);
      if (text === this.found) return;  // what a person has opened stays as it is
      this.found = text;
      const by = (grade) => all.filter((fact) => fact.grade === grade);
      redraw(list('doctor'), [...by('fail'), ...by('warn')].map((fact) => this.fact(fact, fact.grade === 'fail')));
      put('doctor-ok', `✓ ${counts.ok} ok`);
      redraw(list('doctor-ok'), by('ok').map((fact) => this.fact(fact, false)));
    } catch (error) {
      if (error instanceof Refused) redraw(list('doctor'), missing(error.message));
    }
  }

  fact({grade, name, found, needed, why, fix}, open) {
    const copy = () => navigator.clipboard?.writeText(fix).then(
        () => say('copied'), () => say('the browser does not allow copying'));
    return h(
        'details', {open},
        h('summary', {}, h('span', {class: `v ${grade}`}, SIGNS[grade]),
          h('span', {}, name, h('small', {}, `  ${found}`))),
        h('div', {class: 'fix'}, h('p', {}, found), needed ? h('p', {class: 'soft'}, `needed: ${needed}`) : null,
          why ? h('p', {class: 'soft'}, why) : null,
          fix ? [h('pre', {tabindex: 0}, fix), h('button', {class: 'small', onclick: copy}, 'Copy the fix')] :
                 null));
  }

  // ---- Clock, link, drivers, threads ----

  clock(clock) {
    const rows = [
      ['Driver', [clock.driver, clock.source].filter(Boolean).join(', ')], ['Clock', clock.clock],
      ['Waits by', clock.sleeper], ['Real time', clock.realtime ? 'yes' : 'no']
    ];
    if (clock.ratio !== undefined && clock.ratio !== 1) rows.push(['Speed', `${clock.ratio} ×`]);
    const outside = clock.external;
    if (outside) {
      const phase = outside.phase_error_ns,
            faults = Object.entries(outside.faults ?? {}).filter(([, count]) => count);
      rows.push(
          ['State', `${outside.state === 'locked' ? '✓' : '▲'} ${outside.state}`],
          ['Edges', `${grouped(outside.edges)}, ${outside.missing} missing, ${outside.glitches} glitches`],
          [
            'Phase error',
            phase ? `p50 ${spanText(phase.p50)}, p99 ${spanText(phase.p99)}, max ${spanText(phase.max)}` : '–'
          ],
          [
            'Frequency',
            outside.frequency_ppm === null ?
                '–' :
                `${outside.frequency_ppm > 0 ? '+' : ''}${outside.frequency_ppm.toFixed(2)} ppm`
          ],
          ['Frames', `${grouped(outside.frames_locked)} locked, ${grouped(outside.frames_free)} free`],
          ['Locked again', `${outside.relocks} times`],
          ['Faults', faults.length ? faults.map(([name, count]) => `${name} ${count}`).join(', ') : 'none']);
      if (outside.injected) rows.push(['Injected', `▲ ${grouped(outside.injected)} edges disturbed by faults of the rig`]);
    } else {
      rows.push(['External clock', 'none: frames follow the clock of this machine']);
    }
    redraw(list('clock'), facts(rows));
  }

  link(link) {
    put('link-note', link.linked ? `${link.mode}; ${link.status}` : '');
    if (!link.linked)
      return redraw(list('link'), missing('This rig is not linked: its rig file has no section link.'));
    redraw(
        list('link'), this.peers(link), this.federation(link),
        link.about.map((line) => h('p', {class: 'soft'}, line)),
        h('dl', {class: 'facts', 'data-list': 'link-values'}));
    this.linkValues();
  }

  /** The others of the federation, each with its state; those that have gone last. */
  peers({peers, participant, state}) {
    if (!peers) return [];  // a replay has none
    const row = (name, said, reason, connected, own) => {
      const sign = !connected ? '✕ left, was' : FAILED.includes(said) ? '✕' : said === 'Running' ? '✓' : '▲';
      const text = said === null ? 'has published no state' : `${sign} ${said}`;
      const grade = !connected || FAILED.includes(said) ? 'fail' : said === 'Paused' ? 'warn' : '';
      return [own ? h('b', {}, `${name} (this rig)`) : name, h('span', {class: `v ${grade}`}, text), reason];
    };
    const rows = [
      row(participant, state, '', true, true),
      ...peers.map((peer) => row(peer.name, peer.state, peer.reason, peer.connected, false))
    ];
    return [
      h('table', {'data-list': 'peers'}, table(['Participant', 'State', 'Because'], rows)),
      peers.length ? null : missing('No other participant is known.')
    ];
  }

  federation({federation, grants, messages, error}) {
    if (!federation) return [];
    const rows = [['Federation', federation]];
    if (grants) {
      const late = `${grouped(grants.late)}, worst ${spanText(grants.worst_lateness_ns)}`;
      rows.push(
          ['Steps granted', `${grouped(grants.granted)} of ${spanText(grants.step_ns)}`],
          ['Behind', grants.behind ? `▲ ${grouped(grants.behind)} steps` : 'none'],
          ['Last grant', grants.age_ns === null ? 'none yet' : `${spanText(grants.age_ns)} ago`],
          ['Late grants', grants.late ? `▲ ${late}` : 'none']);
    }
    const lost = messages.lost_in + messages.lost_out, odd = messages.mismatched + messages.too_old;
    rows.push(['Messages', `${grouped(messages.in)} in, ${grouped(messages.out)} out`]);
    if (lost || odd) rows.push(['', `▲ ${grouped(lost)} lost, ${grouped(odd)} mismatched or too old`]);
    if (messages.withheld)
      rows.push(['Injected', `▲ ${grouped(messages.withheld)} messages withheld by faults of the rig`]);
    if (error) rows.push(['Refused', `▲ ${error}`]);
    return h('dl', {class: 'facts', 'data-list': 'federation'}, facts(rows));
  }

  // What the link counts stands in variables of its own.
  linkValues() {
    const {rig} = this, names = [...rig.variables.keys()].filter((name) => name.startsWith('link.'));
    rig.want('bench', names);
    if (!list('link-values')) return;
    const shown = (name) => {
      const value = rig.values.get(name), {unit} = rig.variable(name);
      return unit === 'ns' && typeof value === 'number' ? spanText(value) :
                                                          `${figures.text(value, name)} ${shownUnit(unit)}`.trim();
    };
    redraw(list('link-values'), facts(names.map((name) => [rig.variable(name).about || name, shown(name)])));
  }

  drivers({drivers}) {
    const rows = drivers.map(({
                               kind, name, for: of, about
                             }) => [name, kind, of ?? '', about.map((line) => h('div', {}, line))]);
    redraw(
        list('drivers'),
        rows.length ? h('table', {}, table(['Driver', 'Kind', 'For', 'Is'], rows)) :
                      missing('This rig uses no driver.'));
  }

  threads({threads, refused}) {
    const now = performance.now();
    const rows = threads.map((thread) => {
      const before = this.threadTimes.get(thread.tid),
            share = before && now > before.at ? (thread.cpu_ns - before.cpu) / (now - before.at) / 1e4 : null;
      this.threadTimes.set(thread.tid, {cpu: thread.cpu_ns, at: now});
      const policy = thread.priority ? `${thread.policy} ${thread.priority}` : thread.policy;
      return [
        thread.name, thread.kind ?? thread.role, policy, thread.cpus,
        share === null ? spanText(thread.cpu_ns) : `${share.toFixed(1)} %`
      ];
    });
    const refusals = (refused ?? [])
                           .map(
                               ({what, got, cause, fix}) =>
                                   h('p', {class: 'small-text'}, h('b', {}, '▲ '),
                                     `${what}: ${[got, cause].filter(Boolean).join('; ')}`,
                                     fix ? h('span', {class: 'soft'}, ` ${fix}`) : null));
    redraw(
        list('threads'), h('table', {}, table(['Thread', 'Kind', 'Policy', 'CPUs', '>CPU time'], rows)),
        refusals);
  }

  // ---- Log and journal ----

  logs() {
    const {rig} = this;
    const lines =
        rig.log.all.filter((line) => this.level === 'info' || line.level !== 'info').slice(-MOST_LINES).reverse();
    const time = (text) => h('time', {datetime: text, title: text}, text.slice(11, 23));
    const line = ({time: at, level, text}) =>
        h('li', {class: level}, time(at), h('b', {}, `${level === 'warning' ? '▲ ' : ''}${level}`),
          h('span', {}, text));
    list('log').replaceChildren(
        ...(rig.log.problem  ? [none(rig.log.problem)] :
                lines.length ? lines.map(line) :
                               [none(rig.log.known ? 'nothing yet' : 'not read yet')]));
    const changes = rig.journal.all.slice(-MOST_LINES).reverse();
    const value = (entry) => (entry.value === undefined ? '' : ` = ${figures.text(entry.value)}`);
    const change = (entry) =>
        h('li', {class: entry.problem ? 'warning' : ''}, time(entry.time), h('b', {}, entry.what),
          h('span', {},
            `${entry.frame === undefined ? 'before the first frame' : `frame ${grouped(entry.frame)}`}  ${entry.variable ?? ''}${value(entry)}  by ${entry.who}${
                entry.problem ? `  ▲ not done: ${entry.problem}` : ''}`));
    list('journal').replaceChildren(
        ...(rig.journal.problem ? [none(rig.journal.problem)] :
                changes.length  ? changes.map(change) :
                                  [none(rig.journal.known ? 'no changes yet' : 'not read yet')]));
  }
}
