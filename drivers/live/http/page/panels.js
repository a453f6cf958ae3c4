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

/** A desk for a rig that has none: what may be turned, what comes out. The person keeps it, or not. */
export function suggestion(variables) {
  const plain =
      [...variables].filter((v) => !v.count && /double|float|int/.test(v.type) && !v.name.startsWith('rt.'));
  const ranged = (v) => v.range?.low !== undefined && v.range?.high !== undefined;
  const turnable = plain.filter((v) => v.rights === 'full' && v.role !== 'state' && !v.drives?.length);
  turnable.sort(
      (a, b) => Number(b.role === 'input') - Number(a.role === 'input') || Number(ranged(b)) - Number(ranged(a)));
  const outputs = plain.filter((v) => v.role === 'output' && /double|float/.test(v.type));
  const made = turnable.slice(0, 3).map((v, row) => ({kind: 'slider', variable: v.name, at: [0, row, 4, 1]}));
  outputs.slice(0, 3).forEach((v, row) => made.push({kind: 'number', variable: v.name, at: [4, row, 4, 1]}));
  const first = outputs.slice(0, 2).map((v) => v.name);
  if (first.length) made.push({kind: 'plot', variables: first, at: [0, 3, 12, 3]});
  return made;
}
