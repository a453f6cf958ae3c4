// SPDX-License-Identifier: Apache-2.0
// Figures as text: durations, counts, values of variables. Knows no page and no rig.

export const MINUS = '\u2212';

/** 3 significant digits and the unit for the size: [8, ns], [17.2, µs], [3.97, ms]. */
export function span(ns) {
  if (ns === null || ns === undefined || Number.isNaN(ns)) return ['–', ''];
  const size = Math.abs(ns);
  const [scale, unit] = size < 999.5 ? [1, 'ns'] :
      size < 999_500                 ? [1e3, 'µs'] :
      size < 999_500_000             ? [1e6, 'ms'] :
                                       [1e9, 's'];
  const value = ns / scale;
  const digits = scale === 1 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(value), 1))));
  return [value.toFixed(digits).replace('-', MINUS), unit];
}

export const spanText = (ns) => span(ns).join(' ').trim();

/** A duration that was planned, in nanoseconds, as a person says it: 24 ms, 1.5 s, 90 s, 10 min, 1 h 30 min, 7 d. */
export function plannedText(ns) {
  if (ns > 0 && ns < 1e8) {
    const [scale, unit] = ns < 1e3 ? [1, 'ns'] : ns < 1e6 ? [1e3, 'µs'] : [1e6, 'ms'];
    return `${+ (ns / scale).toPrecision(9)} ${unit}`;
  }
  const s = + (ns / 1e9).toPrecision(6);
  if (s < 120 && s !== 60) return `${s} s`;
  let rest = Math.round(ns / 1e6) / 1e3;
  const parts = [];
  for (const [scale, unit] of [...(rest < 172800 ? [] : [[86400, 'd']]), [3600, 'h'], [60, 'min'], [0, 's']]) {
    const whole = scale ? Math.floor(rest / scale) : + rest.toFixed(3);
    if (whole) parts.push(`${whole} ${unit}`);
    rest -= whole * scale;
  }
  return parts.join(' ');
}

/** 1 234 567: groups of three. */
export const grouped = (count) => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ' ');

/** Simulated time of a frame in seconds, to the millisecond or finer when the period is. */
export function seconds(ns, periodNs = 1e6) {
  const digits = periodNs >= 1e6 ? 3 : periodNs >= 1e3 ? 6 : 9;
  return (ns / 1e9).toFixed(digits);
}

/** A unit that is shown; those that say "none" are not. */
export const shownUnit = (unit) => (unit === '1' || unit === '--' || !unit ? '' : unit);

/**
 * Values of variables. Decimals are those of the greatest size seen of a variable, so that its figures never
 * change their form.
 */
export class Figures {
  constructor() {
    this.sizes = new Map();
  }

  text(value, name) {
    if (value === undefined || value === null) return '–';
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (typeof value === 'string') return value;
    if (Array.isArray(value)) return this.list(value, name);
    if (!Number.isFinite(value)) return String(value);
    if (Number.isInteger(value) && !this.sizes.has(name)) return String(value).replace('-', MINUS);
    const size = Math.max(this.sizes.get(name) ?? 0, Math.abs(value));
    if (name) this.sizes.set(name, size);
    const digits = Math.min(12, Math.max(0, 3 - Math.floor(Math.log10(size || 1))));
    if (digits > 9) return value.toExponential(3).replaceAll('-', MINUS);
    return value.toFixed(digits).replace(/^-(?=0\.?0*$)/, '').replace('-', MINUS);
  }

  list(values, name) {
    const shown = values.slice(0, 4).map((value) => this.text(value, name)).join(', ');
    return values.length > 4 ? `${shown}, … ${values.length} in all` : shown;
  }
}

const losesDigits = (number, type) => /int/.test(type ?? '') && Number.isInteger(number) && !Number.isSafeInteger(number);

/**
 * What a person typed for a value: a number, yes or no, a list, else text (a quantity with its unit, a label). A whole
 * number that would lose digits here stays text: the rig reads all of them.
 */
export function typed(text, type) {
  const plain = text.trim().replaceAll(MINUS, '-');
  if (plain === '') return undefined;
  if (type === 'bool') {
    if (/^(true|yes|on|1)$/i.test(plain)) return true;
    if (/^(false|no|off|0)$/i.test(plain)) return false;
  }
  if (plain.startsWith('[')) {
    try {
      const list = JSON.parse(plain);
      return list.flat().some((each) => losesDigits(each, type)) ? plain : list;
    } catch {
      return plain;
    }
  }
  const number = Number(plain);
  return Number.isFinite(number) && !losesDigits(number, type) ? number : plain;  // JSON has no infinite numbers
}

/** A pattern of the search: words that all must match a variable. */
export function searcher(text) {
  const words = text.trim().split(/\s+/).filter(Boolean).map((word) => {
    if (word === 'forced') return (v) => v.forced;
    if (word === 'drives') return (v) => v.drives;
    if (word.startsWith('role:')) return (v) => v.role.startsWith(word.slice(5));
    if (word.startsWith('unit:')) return (v) => v.unit === word.slice(5);
    if (/[*?]/.test(word)) {
      const plain = word.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.');
      const pattern = new RegExp(`^${plain}$`);
      return (v) => pattern.test(v.name);
    }
    const lower = word.toLowerCase();
    return (v) => v.name.toLowerCase().includes(lower) || (v.about ?? '').toLowerCase().includes(lower);
  });
  return (variable) => words.every((word) => word(variable));
}
