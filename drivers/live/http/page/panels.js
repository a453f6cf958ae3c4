// SPDX-License-Identifier: Apache-2.0
// Desks of widgets as the rig keeps them, in YAML beside its file. Two browsers never overwrite each other.
import {Refused} from './port.js';

export class Panels extends EventTarget {
  constructor(rig) {
    super();
    Object.assign(this, {rig, desks: {}, file: '', problems: [], problem: null, etag: null, changed: false});
  }

  /** What the rig keeps; what was changed here and not kept is gone. */
  async read() {
    try {
      const response = await this.rig.port.send('/v1/panels'), body = await response.json();
      this.take(body, response);
      this.problems = body.problems ?? [];
      this.problem = null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.problem = [error.message, ...error.problems.filter((text) => text !== error.message)].join('\n');
    }
    this.dispatchEvent(new Event('read'));
  }

  take(body, response) {
    this.desks = body.panels;
    this.file = body.file ?? '';
    this.etag = response.headers.get('ETag');
    this.changed = false;
  }

  change() {
    this.changed = true;
  }

  /** 'kept', 'first' (another was first: nothing was kept), or throws Refused. */
  async keep() {
    try {
      const headers = this.etag ? {'If-Match': this.etag} : {};
      const response = await this.rig.port.send('/v1/panels', {method: 'PUT', body: {panels: this.desks}, headers});
      this.take(await response.json(), response);
      this.problem = null;
      this.problems = [];
      return 'kept';
    } catch (error) {
      if (error instanceof Refused && error.status === 412) return 'first';
      throw error;
    }
  }

  /** Keeps what is here whatever the other has kept. */
  async keepAnyway() {
    const response = await this.rig.port.send('/v1/panels');
    this.etag = response.headers.get('ETag');
    return this.keep();
  }
}

const LOST = 1000;       // a range so many times as wide as a value is no range to turn it in
const LOST_ZERO = 10_000;  // and of a value of zero, which has no size
const LIMITS = /limit|(^|_)(max|min|least|most|low|lower|upper|high|bound|bounds|clamp|saturation|threshold|trip)(_|$)|maximum|minimum/i;

/** Whether a variable guards something: it is not for a control that moves by a slip of the hand. */
export const isLimit = ({name, about}) =>
    LIMITS.test(name.slice(name.lastIndexOf('.') + 1)) || /\b(limit|limits|at most|at least|greatest|largest|smallest)\b/i.test(about ?? '');

/** From .. to in which a value of a variable is turned: the variable's own range, or half as much more and less. */
export function around(value, {type = '', range = {}} = {}) {
  const {low = -Infinity, high = Infinity} = range, size = Math.abs(value);
  if (high - low <= (size ? LOST * size : LOST_ZERO)) return [low, high];
  const whole = /int/.test(type), reach = whole ? Math.max(1, Math.ceil(size / 2)) : size / 2 || 1;
  const least = /uint|unsigned/.test(type) ? Math.max(0, low) : low;
  return [Math.max(least, value - reach), Math.min(high, value + reach)];
}

const turnable = (v) => !v.count && /double|float|int/.test(v.type) && !v.name.startsWith('rt.') && v.rights === 'full' &&
    ['input', 'parameter'].includes(v.role) && !v.drives?.length && !isLimit(v);

/** Names of variables that a suggested desk would turn. */
export const suggestedControls = (variables) =>
    [...variables].filter(turnable).sort((a, b) => Number(b.role === 'input') - Number(a.role === 'input')).slice(0, 3).map((v) => v.name);

/**
 * A desk for a rig that has none: what may be turned, around the values that it has now; what comes out. The person
 * keeps it, or not.
 */
export function suggestion(variables, values) {
  const all = [...variables], by = new Map(all.map((v) => [v.name, v]));
  const outputs = all.filter((v) => !v.count && v.role === 'output' && /double|float/.test(v.type) && !v.name.startsWith('rt.'));
  const made = [];
  for (const name of suggestedControls(all)) {
    const value = Number(values.get(name) ?? NaN);
    if (!Number.isFinite(value)) continue;
    const [from, to] = around(value, by.get(name));
    made.push({kind: 'slider', variable: name, from, to, at: [0, made.length, 4, 1]});
  }
  outputs.slice(0, 3).forEach((v, row) => made.push({kind: 'number', variable: v.name, at: [4, row, 4, 1]}));
  const first = outputs.slice(0, 2).map((v) => v.name);
  if (first.length) made.push({kind: 'plot', variables: first, at: [0, 3, 12, 3]});
  return made;
}
