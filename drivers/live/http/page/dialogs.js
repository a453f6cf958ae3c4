// SPDX-License-Identifier: Apache-2.0
// Questions to the person: asking back, the token, the keys.
import {h, list, one, put, say, table} from './dom.js';

// Of the latest question: its dialog is closed before it says so, and the next one may be there by then.
let answer = Promise.resolve(false);

/**
 * Asks back, once at a time; a promise of yes. The answer at hand is no, except where yes makes safe. Escape is
 * no, also after an earlier yes.
 */
export async function ask(
    {title, does, fields = [], heads = [], rows = [], note = '', yes, no = 'Leave as it is', safe}) {
  const dialog = one('[data-dialog="ask"]');
  if (dialog.open) return false;
  await answer;
  if (dialog.open) return false;
  put('ask-title', title);
  put('ask-does', does);
  put('ask-note', note);
  put('ask-yes', yes);
  put('ask-no', no);
  list('ask-fields').replaceChildren(...fields);
  list('ask-outputs').replaceChildren(...(rows.length ? table(heads, rows) : []));
  const field = one('input, select', list('ask-fields'));
  if (!rows.length)  // nothing moves: Enter behind what was typed is a yes
    field?.addEventListener(
        'keydown', (event) => event.key === 'Enter' && (event.preventDefault(), dialog.close('yes')));
  dialog.returnValue = 'no';  // else Escape keeps the answer of before
  dialog.showModal();
  (field ?? one(`[data-v="ask-${safe ? 'yes' : 'no'}"]`)).focus();
  answer = new Promise((answered) => {
    dialog.addEventListener('close', () => answered(dialog.returnValue === 'yes'), {once: true});
  });
  return answer;
}

/** Answers an open question with no: what it was about is there no more. `why`: what is said then. */
export function withdraw(why) {
  const dialog = one('[data-dialog="ask"]');
  if (!dialog.open) return;
  dialog.close('no');
  say(why);
}

/** A promise of the token; it asks until something is typed. */
export function askToken(wrong) {
  const dialog = one('[data-dialog="token"]'), field = one('input', dialog);
  put('token-wrong', wrong ? 'The token is wrong.' : '');
  field.value = '';
  if (!dialog.open) dialog.showModal();
  field.focus();
  return new Promise((typed) => {
    const done = (event) => {
      event.preventDefault();
      if (!field.value.trim()) return;
      one('form', dialog).removeEventListener('submit', done);
      dialog.close();
      typed(field.value.trim());
    };
    one('form', dialog).addEventListener('submit', done);
  });
}

const KEYS = [
  ['1 … 6', 'views'],
  ['/', 'search variables'],
  ['h', 'hold the charts'],
  ['w s a d f ← →', 'in the timeline: zoom, move, fit, select'],
  ['l  e', 'desk: unlock, arrange'],
  ['b', 'tests: the board on the whole screen'],
  ['t  ?', 'dark or light, these keys'],
];

export function showKeys() {
  const rows = KEYS.map(([keys, does]) => [h('kbd', {}, keys), does]);
  list('keys').replaceChildren(...table(['Key', 'Does'], rows));
  one('[data-dialog="help"]').showModal();
}
