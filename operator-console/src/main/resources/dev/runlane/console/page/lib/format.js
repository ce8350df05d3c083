/** Texts for people, of values that others wrote. Pure: no page, no clock but the one that is given. */

const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const LONGEST_SHOWN = 20_000;

/** How many characters of a text the pages show. */
export const longestShown = LONGEST_SHOWN;

/**
 * A text in which nothing is hidden: control characters and marks that turn the direction of writing are spelt out.
 * @param {unknown} text
 * @param {number} [longest] what is beyond is left out, and said to be
 * @returns {string}
 */
export function plain(text, longest = LONGEST_SHOWN) {
  const whole = String(text ?? '');
  const shown = whole.length > longest ? cut(whole, longest) : whole;
  const told = spelt(shown, (mark) => `⟨U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
  return whole.length > longest ? `${told} … (${count(whole.length - shown.length)} more characters)` : told;
}

/** The beginning of a text, which ends with a whole character. @param {string} text @param {number} longest */
export const cut = (text, longest) => text.slice(0, longest).replace(/[\ud800-\udbff]$/, '');

/**
 * A text with something in place of each character that nobody sees.
 * @param {string} text
 * @param {(mark: string) => string} how
 */
export function spelt(text, how) {
  return text.replace(INVISIBLE, how);
}

/**
 * @param {unknown} value any JSON value
 * @returns {string} on several lines
 */
export function jsonText(value) {
  return plain(value === undefined ? '' : JSON.stringify(value, null, 2));
}

/** @param {number} number */
export function count(number) {
  return number.toLocaleString('en-US').replaceAll(',', '\u202f');
}

/**
 * @param {number} number
 * @param {string} one
 * @param {string} [many]
 */
export function counted(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

const UNITS = /** @type {const} */ ([['d', 86_400_000], ['h', 3_600_000], ['min', 60_000], ['s', 1_000]]);

/**
 * A length of time with two units at most: `3 d 4 h`, `1.25 s`, `12 ms`.
 * @param {number} millis
 */
export function duration(millis) {
  const size = Math.max(0, millis);
  if (size < 1_000) {
    return `${size < 10 && size > 0 ? Math.round(size * 10) / 10 : Math.round(size)} ms`;
  }
  if (size < 59_950) {
    return `${size < 9_995 ? Math.round(size / 10) / 100 : Math.round(size / 100) / 10} s`;
  }
  const whole = Math.max(size, 60_000); // what is rounded up to a minute is one
  const first = UNITS.findIndex(([, length]) => whole >= length);
  const [unit, length] = UNITS[first];
  const [smallUnit, smallLength] = UNITS[first + 1];
  const rest = Math.floor((whole % length) / smallLength);
  return `${Math.floor(whole / length)} ${unit}${rest > 0 ? ` ${rest} ${smallUnit}` : ''}`;
}

/**
 * @param {string} instant ISO-8601
 * @param {number} now epoch milliseconds
 */
export function relative(instant, now) {
  const away = Date.parse(instant) - now;
  if (Math.abs(away) < 1_000) {
    return 'now';
  }
  const size = Math.abs(away);
  const [unit, length] = UNITS.find(([, each]) => size >= each) ?? UNITS[3];
  const text = (unit === 'd' || unit === 'h') && size < FEW * length ? duration(size) : `${Math.floor(size / length)} ${unit}`;
  return away < 0 ? `${text} ago` : `in ${text}`;
}

/** The same with each number beside its unit, where a line may end between units alone. @param {string} text */
export const unbroken = (text) => text.replace(/([0-9]) (?=[a-z])/g, '$1\u00a0');

/** Of so many days or hours, hours and minutes are told too: in 1 d may be in nearly two. */
const FEW = 10;

/** A number of seconds as a field of minutes has it, to the hundredth. @param {number} seconds */
export const minutesText = (seconds) => String(Math.round(seconds / 0.6) / 100);

/**
 * The other way about; what was not touched stays as exact as it was.
 * @param {unknown} said
 * @param {number} before seconds
 */
export const secondsOf = (said, before) => (String(said) === minutesText(before) ? before : Math.round(Number(said) * 60));

/** How often, of a length of time: `every hour`, `every 90 s`. @param {number} millis */
export function every(millis) {
  const whole = UNITS.find(([, length]) => millis === length);
  return `every ${whole === undefined ? duration(millis) : EACH[whole[0]]}`;
}

const EACH = { d: 'day', h: 'hour', min: 'minute', s: 'second' };

/** How jobs repeat, in words: the limit counts the runs that may follow the first one. */
export function repeats(/** @type {any} */ { cron, every: millis, tz, limit }) {
  const how = [cron && `cron ${cron}${tz ? ` in ${tz}` : ''}`, millis && every(millis)].filter(Boolean).join(', ');
  if (limit === undefined) {
    return how;
  }
  return limit === 0 ? `${how}, once` : `${how}, ${counted(limit + 1, 'time')} at most`;
}

/** An ISO-8601 length of time such as `PT10M`, or one such as `10m`, as all of the page are written; else as it stands. */
export function spokenDuration(/** @type {string} */ text) {
  const [, days, hours, minutes, seconds] = /^(?:P(?:([0-9]+)D)?T?)?(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9.]+)s)?$/i.exec(text) ?? [];
  const millis = ((Number(days ?? 0) * 24 + Number(hours ?? 0)) * 60 + Number(minutes ?? 0)) * 60_000 + Number(seconds ?? 0) * 1_000;
  return millis > 0 ? duration(millis) : plain(text, 40);
}

/** The instant as a sentence tells it: today's by the time of the day, to the second. @param {string} instant @param {number} now */
export function shortMoment(instant, now) {
  const told = local(instant).replace(/[.][0-9]{3} .*$/, '');
  return new Date(instant).toDateString() === new Date(now).toDateString() ? told.slice('2026-01-01 '.length) : told;
}

/** How instants are written: how long ago, in the reader's zone, or in UTC. */
export const TIME_STYLES = /** @type {const} */ (['relative', 'local', 'utc']);

/**
 * @param {string} instant
 * @param {'relative' | 'local' | 'utc'} style
 * @param {number} now epoch milliseconds
 */
export function moment(instant, style, now) {
  if (style === 'relative') {
    return relative(instant, now);
  }
  return style === 'utc' ? `${instant.replace('T', ' ').replace(/([.][0-9]{3})[0-9]*Z$/, '$1Z').replace(/Z$/, ' UTC')}` : local(instant);
}

/** @param {string} text of others @returns {string[]} its parts, every second one an instant in ISO-8601 */
export const splitAtInstants = (text) => text.split(/([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]{1,9})?)?Z)/);

/**
 * The instant in the reader's zone and in UTC, for a tooltip.
 * @param {string} instant
 */
export function absolute(instant) {
  return `${local(instant)} · ${instant.replace('T', ' ').replace(/Z$/, ' UTC')}`;
}

/** What the reader's zone is called, by its offset: making a formatter takes a browser longer than using it. */
const ZONES = /** @type {Map<number, string>} */ (new Map());

function zoneAt(/** @type {Date} */ at) {
  const offset = at.getTimezoneOffset();
  const name = ZONES.get(offset) ?? new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts(at)
    .find((part) => part.type === 'timeZoneName')?.value ?? '';
  ZONES.set(offset, name);
  return name;
}

/**
 * An instant to the minute with the name of its zone, such as `2026-03-01 14:03 UTC`.
 * @param {number} millis since 1970
 * @param {boolean} isUtc else in the reader's zone
 */
export function minuteOf(millis, isUtc) {
  const iso = new Date(millis).toISOString();
  const told = isUtc ? moment(iso, 'utc', millis) : local(iso);
  return `${told.slice(0, '2026-01-01 00:00'.length)} ${zoneName(millis, isUtc)}`;
}

/** @param {number} millis since 1970 @param {boolean} isUtc */
export const zoneName = (millis, isUtc) => (isUtc ? 'UTC' : local(new Date(millis).toISOString()).replace(/^\S+ \S+ /, ''));

/**
 * The time of the day as a chart tells it, with the day where more than one is drawn.
 * @param {number} millis since 1970
 * @param {boolean} isUtc else in the reader's zone
 */
export function clockOf(millis, isUtc, withDay = false) {
  const told = minuteOf(millis, isUtc);
  return withDay ? `${dayOf(millis, isUtc)} ${told.slice('2026-01-01 '.length, '2026-01-01 00:00'.length)}` : told.slice('2026-01-01 '.length, '2026-01-01 00:00'.length);
}

/**
 * Each of several instants as {@link clockOf} tells it: with its zone where that has another offset at the end than at
 * the beginning, since an hour may be among them twice.
 * @param {number[]} all milliseconds since 1970, the earliest first
 * @param {number} place
 * @param {boolean} isUtc else in the reader's zone
 */
export function clockAmong(all, place, isUtc) {
  const told = clockOf(all[place], isUtc, all[all.length - 1] - all[0] >= UNITS[0][1]);
  return isOfOneZone(all, isUtc) ? told : `${told} ${zoneName(all[place], isUtc)}`;
}

/** Whether one name of a zone is that of all of them. @param {number[]} all @param {boolean} isUtc */
export const isOfOneZone = (all, isUtc) => zoneName(all[0], isUtc) === zoneName(all[all.length - 1], isUtc);

/**
 * The names of the zone from one instant to another, in their order.
 * @param {number} from milliseconds since 1970
 * @param {number} until
 * @param {boolean} isUtc else in the reader's zone
 */
export const zonesOf = (from, until, isUtc) => (isOfOneZone([from, until], isUtc) ? zoneName(from, isUtc) : `${zoneName(from, isUtc)}, then ${zoneName(until, isUtc)}`);

/** The day, such as `1 Mar`. @param {number} millis since 1970 @param {boolean} isUtc else in the reader's zone */
export const dayOf = (millis, isUtc) => new Date(millis).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: isUtc ? 'UTC' : undefined });

/** @param {string} instant in the reader's zone, to the millisecond */
export function local(instant) {
  const at = new Date(instant);
  const two = (/** @type {number} */ part) => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
    + `:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')} ${zoneAt(at)}`;
}

/**
 * An instant in a zone, to the second, with the name of the zone's offset.
 * @param {string} instant
 * @param {string} [zone] as Java names it, the reader's unless given; in UTC where the browser does not know it
 */
export function zoned(instant, zone) {
  const [, sign, hours, minutes, seconds = '00'] = /^(?:UTC|GMT|UT)?([+-])([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?$/.exec(zone ?? '') ?? [];
  const isFixed = sign !== undefined; // many browsers know no zone that is an offset
  const ahead = isFixed ? Number(`${sign}1`) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 : 0;
  const parts = Object.fromEntries(formatOf(isFixed ? 'UTC' : zone).formatToParts(new Date(Date.parse(instant) + ahead)).map(({ type, value }) => [type, value]));
  const name = isFixed ? `GMT${sign}${Number(hours)}${seconds === '00' ? '' : `:${minutes}:${seconds}`}${seconds !== '00' || minutes === '00' ? '' : `:${minutes}`}` : parts.timeZoneName;
  return `${parts.weekday} ${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}:${parts.second} ${name}`;
}

/** @param {string} [zone] such as `Europe/Berlin` and `Z` */
function formatOf(zone) {
  try {
    return formatIn(zone === 'Z' ? 'UTC' : zone);
  } catch (failure) {
    if (failure instanceof RangeError) {
      return formatIn('UTC');
    }
    throw failure;
  }
}

/** By their zones, of which there are some hundred. */
const FORMATS = /** @type {Map<string | undefined, Intl.DateTimeFormat>} */ (new Map());

function formatIn(/** @type {string | undefined} */ zone) {
  const format = FORMATS.get(zone) ?? new Intl.DateTimeFormat('en-GB', {
    timeZone: zone, weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short',
  });
  FORMATS.set(zone, format);
  return format;
}

/** @param {string} name such as `cancellation_requested` */
export function words(name) {
  return plain(name).replaceAll('_', ' ');
}
