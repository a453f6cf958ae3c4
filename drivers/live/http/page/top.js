// SPDX-License-Identifier: Apache-2.0
// What is seen from every view: state, commands, what is forced, real outputs, whether the line is alive.
import {ask} from './dialogs.js';
import {all, h, list, one, put, redraw, say} from './dom.js';
import {Figures, grouped, seconds, shownUnit} from './text.js';

export const figures = new Figures();

// What a command does is the same in every rig; whether it is allowed now, the rig says. `moves`: asks back where
// the rig drives real outputs. `interrupts`: asks back while the rig runs. No key gives a command: a digit typed
// beside a field would.
export const COMMANDS = {
  pause: {
    label: 'Pause',
    then: 'Pause',
    does: 'Simulated time stops. Outputs keep their last values.',
  },
  resume: {
    label: 'Resume',
    then: 'Run',
    moves: true,
    does: 'Frames run again, from the next frame on.',
  },
  step: {
    label: 'Step',
    then: 'Pause',
    moves: true,
    interrupts: true,
    does: 'One frame runs; then the rig is in Pause again.',
  },
  run_until: {
    label: 'Run until…',
    then: 'Run',
    moves: true,
    does: 'Frames run until the given simulated time; then the rig is in Pause.',
  },
  checkpoint: {
    label: 'Checkpoint',
    does: 'The whole state is copied at the end of the frame, and written to a file.',
  },
  load: {
    label: 'Load…',
    moves: true,
    interrupts: true,
    safe: true,
    does: 'Outputs go to their safe values, all forces end, and the rig is in Pause at the frame of the checkpoint.',
  },
  reset: {
    label: 'Reset',
    then: 'Reset',
    moves: true,
    interrupts: true,
    safe: true,
    does: 'Outputs go to their safe values, all forces end, and the rig begins again at frame 0.',
  },
  stop: {
    label: 'Stop',
    then: 'Stop',
    moves: true,
    safe: true,
    does: 'Outputs go to their safe values, files are closed, and the run ends.',
  },
};

const BUTTONS = ['load', 'resume', 'step', 'run_until', 'checkpoint', 'reset', 'pause', 'stop'];

const SIGNS = {
  Run: '▶',
  Pause: '❙❙',
  Stop: '■',
  Abort: '■',
  Disconnect: '■'
};

const valueOf = (value, unit = '') =>
    (value === null || value === undefined ? 'not known' : `${figures.text(value)} ${shownUnit(unit)}`.trim());

/** Rows of the question: each real output, who drives it, now, then. */
export function outputRows(rig, then) {
  return rig.now.outputs.map((output) => {
    const unit = rig.unit(output.variable);
    const after = then === 'safe' ? valueOf(output.safe, unit) : then;
    return [output.name, output.sources?.join(', ') || output.variable, valueOf(output.value, unit), after];
  });
}
export const OUTPUT_HEADS = ['Real output', 'Driven by', 'Now', 'Then'];

/** The part of the page that shows no view of its own. */
export class Top {
  constructor(rig) {
    this.rig = rig;
    this.wasStale = null;
    rig.addEventListener('facts', () => this.facts());
    rig.addEventListener('state', () => this.state());
    rig.addEventListener('switches', () => this.safety());
  }

  facts() {
    const {info} = this.rig;
    for (const node of all('[data-v="rig"]')) node.textContent = info.rig;
    this.title();
  }

  title() {
    const forced = this.rig.forced.size;
    document.title = `${forced ? '⚠ forced · ' : ''}${this.rig.info?.rig ?? 'rig'} · tactus`;
  }

  // ---- Ten times in a second ----

  headline() {
    const {rig} = this, age = rig.age / 1000, stale = rig.stale;
    put('sim', rig.frame < 0 ? '–' : seconds(rig.frame * rig.period, rig.period));
    put('frame', rig.frame < 0 ? '–' : grouped(rig.frame));
    const live = age < 0.9995 ? `live ${Math.round(age * 1000)} ms` : `live ${age.toFixed(1)} s`;
    put('line', rig.over ? 'over' : stale ? `${age.toFixed(1)} s old` : rig.stated ? live : '…');
    one('.line').toggleAttribute('data-stale', stale || Boolean(rig.over));
    one('.line').toggleAttribute('data-unknown', !stale && !rig.over && !rig.stated);
    if (stale) {
      put('stale-title', rig.info ? 'No answer from the rig' : 'The rig does not answer');
      put('stale', this.staleText(age));
    }
    if (stale === this.wasStale) return;
    this.wasStale = stale;
    document.body.toggleAttribute('data-stale', stale);
    one('.stale').hidden = !stale;
    this.state();
  }

  staleText(age) {
    if (!this.rig.info) return `for ${age.toFixed(1)} s. The page keeps trying.`;
    const frame = grouped(Math.max(0, this.rig.frame));
    return `for ${age.toFixed(1)} s. The page shows frame ${
        frame}. Values cannot be changed; Stop can still be sent.`;
  }

  // ---- When the rig says so ----

  /** '' when a command may be given now; else why not. */
  refusal(name) {
    const {rig} = this;
    if (rig.over) return 'The run is over.';
    if (rig.stale && name !== 'stop') return 'The rig does not answer.';
    if (!rig.stated && !rig.stale) return 'The allowed commands are not known yet.';
    return rig.now.allowed?.[name] ?? 'The rig does not report whether this is allowed.';
  }

  state() {
    const {rig} = this, name = rig.state, pill = one('.pill');
    pill.dataset.s = name;
    put('pill', `${SIGNS[name] ?? '◌'} ${name}`);
    this.buttons(name === 'Pause');
    this.machine();
    this.safety();
  }

  // Made once and changed in place: a button does not go from under the pointer. What comes and goes stands at the
  // free end; on a phone each has its cell, and none goes.
  buttons(paused) {
    const host = list('commands');
    if (!host.children.length) host.append(...BUTTONS.map((command) => this.button(command)));
    for (const button of host.children) {
      const {command} = button.dataset, why = this.refusal(command);
      button.toggleAttribute('data-away', !paused && ['resume', 'load'].includes(command));
      button.title = why || COMMANDS[command].does;
      if (why)
        button.setAttribute('aria-disabled', 'true');
      else
        button.removeAttribute('aria-disabled');
    }
  }

  button(command) {
    return h('button', {'data-command': command, onclick: () => this.give(command)}, COMMANDS[command].label);
  }

  machine() {
    const {rig} = this, can = Object.entries(COMMANDS).filter(([command]) => !this.refusal(command));
    list('allowed').replaceChildren(...can.map(([, order]) => {
      const asks = order.moves && rig.now.outputs.length > 0;
      return h(
          'div', {}, h('dt', asks ? {class: 'asks', title: 'moves real outputs'} : {}, order.label),
          h('dd', {}, order.does));
    }));
    const then = new Set(can.map(([, order]) => order.then));
    for (const node of all('.machine [data-s]')) {
      const name = node.dataset.s;
      node.toggleAttribute('data-can', then.has(name) && name !== rig.state);
      if (name === rig.state)
        node.setAttribute('aria-current', 'step');
      else
        node.removeAttribute('aria-current');
    }
  }

  safety() {
    const {rig} = this, forces = [...rig.forced.values()], line = one('.safety'), unknown = this.unknown();
    const faults = rig.over ? [] : (rig.switches ?? []).filter(({kind, on}) => kind === 'fault' && on);
    line.dataset.forced = forces.length ? 'yes' : 'no';
    line.toggleAttribute('data-unknown', Boolean(unknown));
    const text = forces.map(({variable, value, who}) => {
      return h('span', {title: `forced by ${who}`}, `${variable} = ${valueOf(value, rig.unit(variable))}`);
    });
    redraw(
        one('.safety .forced'),
        [
          faults.length ? h('b', {class: 'faulty', title: 'injected faults'}, `FAULT ${faults.length}`) : null,
          ...faults.map(({name, target}) => h('span', {title: `on ${target}`}, name)),
          unknown ? h('i', {}, forces.length ? `${unknown}; last known:` : unknown) : null,
          ...(forces.length ? [h('b', {}, `FORCED ${forces.length}`), ...text] :
                  unknown   ? [] :
                              [faults.length ? h('span', {}, 'Nothing is forced') : 'Nothing is forced'])
        ]);
    one('[data-act="release-all"]').hidden = !forces.length;
    // Where they are more lines than there is room for, keys scroll through them, too.
    const shown = one('.safety .forced');
    if (getComputedStyle(shown).overflowY === 'auto' && shown.scrollHeight > shown.clientHeight + 1) shown.tabIndex = 0;
    else shown.removeAttribute('tabindex');
    const count = rig.now.outputs.length;
    const outputs = `⚡\uFE0E ${count} real output${count > 1 ? 's' : ''}`;
    put('outputs', count ? `${outputs}${unknown ? ' (last known)' : ''}` : unknown ? '' : 'no real output');
    const lines =
        rig.now.outputs.map(({name, variable, value}) => `${name} = ${valueOf(value, rig.unit(variable))}`);
    one('.outputs').title = lines.join('\n');
    put('badge-signals', forces.length ? `F${forces.length}` : '');
    this.title();
  }

  /** Why it is not known what is forced and driven now; '': it is. */
  unknown() {
    const {rig} = this;
    if (rig.over) return '';
    if (!rig.stated) return rig.stale ? 'Not known: the rig does not answer' : 'Not known yet';
    return rig.stale ? 'Not known now' : '';
  }

  // ---- What a person does ----

  async give(name) {
    const {rig} = this, order = COMMANDS[name], why = this.refusal(name), plain = order.label.replace('…', '');
    if (why) return say(`${plain}: ${why}`);
    const field = await this.fieldOf(name);
    if (field?.missing) return say(`${plain}: ${field.missing}`);
    const fields = field ? [h('label', {class: 'field'}, field.label, field.input)] : [];
    const outputs = order.moves ? outputRows(rig, order.safe ? 'safe' : 'as computed') : [];
    const running = order.interrupts && rig.state !== 'Pause';
    if (outputs.length || fields.length || running) {
      const moving = outputs.length === 1 ? '1 real output moves' : `${outputs.length} real outputs move`;
      const what = [outputs.length && moving, running && 'the rig is running'].filter(Boolean).join('; ');
      const yes = await ask({
        title: what ? `${plain}: ${what}` : plain,
        does: order.does,
        yes: plain,
        safe: name === 'stop',
        fields,
        heads: OUTPUT_HEADS,
        rows: outputs,
        note: name === 'stop' ?
            'This page is not an emergency stop: a command travels over a network and takes effect at the end of a frame.' :
            '',
      });
      if (!yes) return;
      const whyNow = this.refusal(name);
      if (whyNow) return say(`${plain}: ${whyNow}`);
    }
    try {
      await rig.command(name, field ? {[field.key]: field.input.value.trim()} : {});
      say(`${plain}: accepted, takes effect at the end of a frame`);
    } catch (error) {
      say(`${plain}: ${error.message}`);
    }
  }

  /** What a command takes beside its name. `missing`: why there is nothing to choose from. */
  async fieldOf(name) {
    const {rig} = this;
    if (name === 'run_until') {
      const input = h('input', {value: `${(rig.seconds(rig.frame) + 5).toFixed(1)} s`, name: 'until'});
      return {key: 'until', label: 'Until simulated time', input};
    }
    if (name !== 'load') return null;
    try {
      const {checkpoints, folder} = await rig.port.json('/v1/checkpoints');
      if (!checkpoints.length) return {missing: `there is no checkpoint in ${folder}`};
      const text = ({name: file, written}) => `${file}, of ${written.slice(0, 19).replace('T', ' ')}`;
      const options = checkpoints.map((one) => h('option', {value: one.name}, text(one)));
      return {key: 'file', label: 'Checkpoint', input: h('select', {name: 'file'}, options)};
    } catch {  // a rig that does not list them may know them by name
      return {key: 'file', label: 'Name of the checkpoint', input: h('input', {name: 'file'})};
    }
  }

  /** Sets or forces one variable; asks back where it drives a real output. Whether it was done. */
  async write(kind, name, value, {asked = false} = {}) {
    const {rig} = this, drives = rig.drives(name), word = kind === 'force' ? 'Force' : 'Set';
    if (drives.length && !asked) {
      const unit = rig.unit(name), now = valueOf(rig.values.get(name), unit), then = valueOf(value, unit);
      const yes = await ask({
        title: `${word} ${name}: a real output moves`,
        does: `${now} → ${then}`,
        heads: OUTPUT_HEADS,
        rows: drives.map((output) => [output, name, now, then]),
        yes: word,
      });
      if (!yes) return false;
      const why = rig.over ? 'The run is over.' : this.unknown();
      if (why) {
        say(`${name}: ${why}`);
        return false;
      }
    }
    return this.tried(`${name}: ${kind}`, () => rig.write({[kind]: {[name]: value}}));
  }

  release(names) {
    const what = names === 'all' ? 'all forces' : names.join(', ');
    return this.tried(`${what}: released`, () => this.rig.write({release: names}));
  }

  async tried(what, act) {
    try {
      const {applied, frame} = await act();
      const since = frame === null || frame === undefined ? 'the next frame' : `frame ${grouped(frame)}`;
      say(`${what} ${applied ? 'from' : 'accepted, waits for'} ${since}${applied ? ' on' : ''}`);
      return true;
    } catch (error) {
      say(`${what} was refused: ${(error.problems?.length ? error.problems : [error.message]).join('; ')}`);
      return false;
    }
  }
}
