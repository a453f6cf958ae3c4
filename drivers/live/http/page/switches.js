// SPDX-License-Identifier: Apache-2.0
// Stimuli and faults: a switch for each, with its state as the rig has it.
import {ask} from './dialogs.js';
import {h, list, one, put, say} from './dom.js';
import {Refused} from './port.js';
import {grouped} from './text.js';
import {OUTPUT_HEADS, outputRows} from './top.js';

const KINDS = {fault: 'Fault', stimulus: 'Stimulus'};

/** Keeps `rig.switches`, and tells `switches` when one has changed. */
export class Switches {
  constructor(rig) {
    Object.assign(this, {rig, rows: new Map(), why: null});
    rig.switches = [];
    rig.addEventListener('switch', ({detail: row}) => this.take(row));
    rig.addEventListener('facts', () => {
      rig.switches = [];
      this.changed();
    });
    rig.addEventListener('state', () => this.draw());
  }

  async read() {
    try {
      this.rig.switches = (await this.rig.port.json('/v1/switches')).switches.filter(({kind}) => kind in KINDS);
      this.why = null;
    } catch (error) {
      if (!(error instanceof Refused)) return;
      this.why = error.message;
    }
    this.changed();
  }

  /** One has changed; without: the line is back, and all may have. */
  take(row) {
    if (row && !(row.kind in KINDS)) return;
    const at = row ? this.rig.switches.findIndex(({kind, name}) => kind === row.kind && name === row.name) : -1;
    if (at < 0) return void this.read();
    this.rig.switches[at] = row;
    this.changed();
  }

  changed() {
    this.rig.tell('switches');
    this.draw();
  }

  // Rows are made once and changed in place: a switch does not go from under the pointer or the focus.
  draw() {
    const {switches} = this.rig, made = switches.map(({kind, name}) => `${kind} ${name}`).join('\n');
    one('[data-part="switches"]').hidden = !switches.length;
    if (made !== this.made) {
      this.made = made;
      this.rows.clear();
      list('switches').replaceChildren(...switches.map((row) => this.row(row)));
    }
    const on = switches.filter((row) => row.on).length;
    put('switches-on', switches.length ? `${on} of ${switches.length} on${this.rig.over ? ' when it ended' : ''}` : '');
    const asks = this.rig.now.outputs.length > 0, off = this.refusal();
    put('switches-note', off || (asks ? '⚡\uFE0E This rig drives real outputs; each switch asks for confirmation.' : ''));
    for (const row of switches) {
      const {button, state} = this.rows.get(`${row.kind} ${row.name}`);
      button.setAttribute('aria-checked', String(row.on));
      if (off)
        button.setAttribute('aria-disabled', 'true');
      else
        button.removeAttribute('aria-disabled');
      const text = this.stateText(row);
      if (state.textContent !== text) state.textContent = text;
      button.textContent = row.on ? 'on' : 'off';
    }
  }

  row(row) {
    const id = `switch-${row.kind}-${row.name}`, key = `${row.kind} ${row.name}`;
    const button = h('button', {
      class: 'switch',
      role: 'switch',
      'aria-labelledby': id,
      'data-turn': row.name,
      'data-kind': row.kind,
      onclick: () => this.turn(row.kind, row.name),
    });
    const state = h('span', {class: 'num', 'data-state': row.name});
    this.rows.set(key, {button, state});
    return h(
        'li', {}, button, h('span', {id}, h('small', {}, `${KINDS[row.kind] ?? row.kind} `), h('b', {}, row.name)),
        h('code', {}, row.target ? `on ${row.target}` : ''), state);
  }

  stateText({state, since}) {
    if (state === 'waiting') return this.rig.over ? 'never began' : 'waits for its time';
    if (state === 'on' && this.rig.over)
      return since === null ? 'on to the end' : `on from frame ${grouped(since)} to the end`;
    return since === null ? state : `${state} since frame ${grouped(since)}`;
  }

  /** '' when a switch may be turned now; else why not. */
  refusal() {
    const {rig} = this;
    return rig.over ? 'The run is over.' : rig.stale ? 'The rig does not answer.' : !rig.stated ? 'The state of the rig is not known yet.' : '';
  }

  async turn(kind, name) {
    const {rig} = this, row = rig.switches.find((each) => each.kind === kind && each.name === name);
    const on = !row.on, plain = `${KINDS[kind] ?? kind} ${name} ${on ? 'on' : 'off'}`, why = this.refusal();
    if (why) return say(`${plain}: ${why}`);
    const rows = outputRows(rig, 'as computed');
    if (rows.length) {
      const yes = await ask({
        title: `${plain}: ${rows.length === 1 ? 'a real output' : `${rows.length} real outputs`} may move`,
        does: `${row.target ? `It acts on ${row.target}. ` : ''}It takes effect with the next frame.`,
        heads: OUTPUT_HEADS,
        rows,
        yes: `Switch ${on ? 'on' : 'off'}`,
      });
      if (!yes) return;
      const whyNow = this.refusal();
      if (whyNow) return say(`${plain}: ${whyNow}`);
    }
    try {
      await rig.port.json('/v1/switches', {method: 'POST', body: {kind, name, on}});
      say(`${plain}: accepted, from the next frame on`);
    } catch (error) {
      say(`${plain} was refused: ${error.message}`);
    }
  }
}
