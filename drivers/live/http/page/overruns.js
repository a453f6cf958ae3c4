// SPDX-License-Identifier: Apache-2.0
// The list of overruns. What a person looks at stays where it is: rows come in while nobody is at the list, and
// behind a button otherwise.
import {all, h, list, missing, one, put, table} from './dom.js';
import {grouped, seconds, span, spanText} from './text.js';
import {CAUSE_SIGNS} from './timing_data.js';

const SHOWN = 200;  // overruns that have a row

export function quantity(ns, kind = 'q num') {
  const [figure, unit] = span(ns);
  return h('span', {class: kind}, h('span', {class: 'n'}, figure), h('span', {class: 'un'}, unit));
}

export const causeTag = (cause) =>
    h('span', {class: 'cause'}, h('i', {'aria-hidden': 'true'}, CAUSE_SIGNS[cause] ?? '?'), cause);

/** Its cause, and who it was where that is known. */
export const blamed = ({cause, who}) => [cause, who].filter(Boolean).join(', ');

/** A figure of an overrun in its unit. */
const figure = (value, unit) =>
    (value === null || value === undefined ? '–' :
         unit === 'ns'                     ? spanText(value) :
                                             `${typeof value === 'number' ? grouped(value) : value} ${unit}`.trim());

/** Whether a figure tells of something: nothing took no time and was counted no times; a CPU has a number. */
const happened = ({figure: name, value}) => value !== 0 || name === 'CPU';

export class OverrunList {
  /** `toTimeline`, `toFile`: lead from an entry to its frames. */
  constructor(rig, toTimeline, toFile) {
    Object.assign(this, {rig, toTimeline, toFile, rows: new Map(), shown: [], over: false, unrun: false});
    const host = list('overruns');
    host.addEventListener('pointerenter', () => this.over = true);
    host.addEventListener('pointerleave', () => {
      this.over = false;
      this.draw();
    });
    host.addEventListener('focusout', () => setTimeout(() => this.draw()));
    host.addEventListener('scroll', () => this.draw());
    host.addEventListener('toggle', () => this.draw(), true);
    rig.addEventListener('facts', () => this.fresh = true);
  }

  /** Frames that overran, of those that the list has. */
  frames() {
    return this.rig.overruns.all.reduce((sum, entry) => sum + 1 + entry.followers, 0);
  }

  /** A person points at it, reads a row, or has gone down in it. */
  get held() {
    const host = list('overruns');
    if (!this.shown.length || !host.clientHeight) return false;
    return this.over || host.scrollTop > 0 || host.contains(document.activeElement) ||
        one('details[open]', host) !== null || this.seenByFinger(host);
  }

  // A finger is not there before it touches.
  seenByFinger(host) {
    if (!matchMedia('(pointer: coarse)').matches) return false;
    const {top, bottom} = host.getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  }

  /** `count`: frames that overran, as the rig counts them. */
  head(count = this.count) {
    this.count = count;
    const {length} = this.rig.overruns.all, frames = this.frames(), {problem, known, leftOut} = this.rig.overruns;
    const episodes = `${grouped(length)} episode${length === 1 ? '' : 's'}`;
    const more = count > frames ? `${grouped(frames)} of ${grouped(count)}` : grouped(frames);
    const left = count > frames ? ', the rest is not listed' :
        leftOut                 ? `, ${grouped(leftOut)} more were not kept` :
                                  '';
    put('overruns', length ? `${more} in ${episodes}${left}` : count ? `${grouped(count)}, not listed` : problem || !known || this.unrun ? '' : 'none');
  }

  draw() {
    const runs = this.rig.overruns.all;
    if (this.fresh || !this.held) this.refill(runs);
    else this.refresh();
    this.head();
    const newest = this.shown[0] ?? -Infinity, newer = runs.filter((entry) => entry.id > newest).length;
    const button = one('[data-act="newer"]');
    button.hidden = !(newer && this.shown.length);
    put('newer', `${grouped(newer)} newer`);
  }

  /** Shows the newest, at the top. */
  newer() {
    for (const node of all('details[open]', list('overruns'))) node.open = false;
    list('overruns').scrollTop = 0;
    this.refill(this.rig.overruns.all);
    this.draw();
    one('summary', list('overruns'))?.focus({preventScroll: true});
  }

  refill(runs) {
    this.fresh = false;
    const host = list('overruns'), shown = runs.slice(-SHOWN).reverse(), {problem, known} = this.rig.overruns;
    const before = this.rows;
    this.rows = new Map(shown.map((entry) => [entry.id, this.kept(before.get(entry.id), entry)]));
    this.shown = shown.map(({id}) => id);
    const nodes = [...this.rows.values()].map(({node}) => node);
    if (!shown.length)
      nodes.push(missing(problem ?? (!known ? 'not read yet' : this.count ? 'The list does not contain them.' : this.unrun ? 'No frame has run yet.' : 'No frame has overrun.')));
    if (runs.length > SHOWN) nodes.push(missing(`Only the newest ${SHOWN} are shown.`));
    if (nodes.length !== host.childNodes.length || nodes.some((node, i) => node !== host.childNodes[i])) host.replaceChildren(...nodes);
  }

  /** What has become of rows that stand. An open one is read: it stays as it is. */
  refresh() {
    for (const entry of this.rig.overruns.all.slice(-2 * SHOWN)) {
      const row = this.rows.get(entry.id);
      if (!row || row.entry === entry || row.node.open || row.node.contains(document.activeElement)) continue;
      const made = this.made(entry);
      row.node.replaceWith(made.node);
      this.rows.set(entry.id, made);
    }
  }

  kept(row, entry) {
    return row?.entry === entry ? row : this.made(entry);
  }

  made(entry) {
    return {entry, node: this.row(entry)};
  }

  row(entry) {
    const {beside} = entry;
    const followers = entry.followers ? h('small', {}, `  + ${entry.followers} catching up`) : null;
    const also = beside ? h('small', {}, `  + ${beside.cause} ${quantity(beside.share_ns).textContent}`) : null;
    const seen = entry.evidence.filter(happened), not = entry.evidence.filter((each) => !happened(each));
    const rows = seen.map(({figure: name, value, unit, usual}) => [name, figure(value, unit), figure(usual, unit)]);
    const none = not.length ? `Examined, none found: ${not.map((each) => each.figure).join(', ')}.` : '';
    const open = h('button', {class: 'small', onclick: () => this.toTimeline(entry)}, 'Show in the timeline');
    const file = h('button', {class: 'small', onclick: () => this.toFile(entry)}, 'Trace for Perfetto');
    return h(
        'details', {'data-id': entry.id},
        h('summary', {}, h('span', {class: 'num'}, `${seconds(entry.sim_time_ns)} s`),
          h('span', {class: 'num soft'}, `frame ${entry.frame}`), causeTag(entry.cause),
          h('span', {title: entry.who}, entry.who, also, followers),
          h('span', {class: 'num'}, 'over ', quantity(entry.over_ns))),
        h('div', {class: 'evidence'}, h('p', {}, entry.text),
          beside ?
              h('p', {}, 'Second cause: ', quantity(beside.share_ns), ' of ', quantity(entry.over_ns), `: ${beside.text}`) :
              null,
          rows.length ? h('table', {}, table(['Figure', '>This frame', '>Usual'], rows)) : null,
          none ? h('p', {class: 'soft small-text'}, none) : null, h('div', {class: 'right'}, open, file)));
  }
}
