/** JSON as it is written: a value of JavaScript would round numbers that it cannot hold. Pure. */
import { spelt } from './format.js';

/**
 * The object of members that are JSON texts themselves; undefined ones are left out.
 * @param {Record<string, string | undefined>} members
 */
export function objectOf(members) {
  const texts = Object.entries(members).filter(([, text]) => text !== undefined).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${texts.join(',')}}`;
}

/** The text itself. Throws a SyntaxError for one that is no JSON. @param {string} text */
export function checked(text) {
  JSON.parse(text);
  return text;
}

/**
 * A member of an object, as it is written there.
 * @param {string} object
 * @param {string} name
 * @returns {string | undefined}
 */
export function member(object, name) {
  let depth = 0;
  let key = '""';
  let value;
  for (const token of tokensOf(object)) {
    depth -= isEnd(token) ? 1 : 0;
    if (value !== undefined && (depth === 0 || (depth === 1 && token === ','))) {
      if (JSON.parse(key) === name) {
        return value;
      }
      value = undefined;
    } else if (value !== undefined) {
      value += token;
    } else if (token === ':') {
      value = '';
    } else {
      key = token;
    }
    depth += isBegin(token) ? 1 : 0;
  }
  return undefined;
}

/** The elements of an array, as they are written there. @param {string} array */
export function elements(array) {
  const all = [];
  let depth = 0;
  let element = '';
  for (const token of tokensOf(array)) {
    depth -= isEnd(token) ? 1 : 0;
    if (depth > 1 || (depth === 1 && token !== ',')) {
      element += token;
    } else if (element !== '') {
      all.push(element);
      element = '';
    }
    depth += isBegin(token) ? 1 : 0;
  }
  return all;
}

/** The same JSON on several lines; what nobody sees is written as an escape, which means the same. @param {string} text */
export function indented(text) {
  let lines = '';
  let depth = 0;
  let before = '';
  for (const token of tokensOf(text)) {
    depth -= isEnd(token) ? 1 : 0;
    if (isEnd(token) ? !isBegin(before) : isBegin(before) || before === ',') {
      lines += `\n${'  '.repeat(depth)}`;
    }
    lines += token === ':' ? ': ' : token;
    depth += isBegin(token) ? 1 : 0;
    before = token;
  }
  return spelt(lines, (mark) => mark.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''));
}

/**
 * The number that was typed into a field, as JSON writes it.
 * @param {string} said such as 007, -.5 or 1e3
 */
export function numberOf(said) {
  const number = said.includes('e') || said.includes('E') ? Number(said) : NaN;
  return Number.isSafeInteger(number) ? String(number) : said.replace(/^\+/, '').replace(/^(-?)0+(?=[0-9])/, '$1').replace(/^(-?)[.]/, '$10.');
}

const isBegin = (/** @type {string} */ token) => token === '{' || token === '[';
const isEnd = (/** @type {string} */ token) => token === '}' || token === ']';

/** Of JSON that is none the tokens end somewhere. */
function* tokensOf(/** @type {string} */ text) {
  const next = /\s*("|[{}[\],:]|[^\s"{}[\],:]+)/y;
  for (let found = next.exec(text); found !== null; found = next.exec(text)) {
    if (found[1] === '"') {
      const from = next.lastIndex;
      next.lastIndex = endOfText(text, from);
      yield text.slice(from - 1, next.lastIndex);
    } else {
      yield found[1];
    }
  }
}

function endOfText(/** @type {string} */ text, /** @type {number} */ from) {
  let at = from;
  while (at < text.length && text[at] !== '"') {
    at += text[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}
