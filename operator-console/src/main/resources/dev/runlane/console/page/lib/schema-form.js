/** Fields made of a JSON Schema, and the value that was filled into them. What has no field of its own is asked for as JSON. */
import { html, nothing } from './html.js';
import { text } from './elements.js';
import { plain } from './format.js';
import { checked, numberOf, objectOf } from './json-source.js';

const INPUTS = { email: 'email', date: 'date', uri: 'url', password: 'password' };
const DEEPEST = 4;

/** @param {any} schema @returns {'object'|'enum'|'boolean'|'number'|'integer'|'string'|'lines'|'json'} */
export function kindOf(schema, depth = 0) {
  if (schema === null || typeof schema !== 'object') {
    return 'json'; // none, or one that allows all or nothing
  }
  if (schema.enum !== undefined || schema.const !== undefined) {
    return 'enum';
  }
  const types = [schema.type].flat().filter((type) => type !== 'null');
  if (types.length === 0 && schema.properties !== undefined && depth < DEEPEST) {
    return 'object';
  }
  if (types.length !== 1 || schema.oneOf !== undefined || schema.anyOf !== undefined || schema.$ref !== undefined) {
    return 'json';
  }
  if (types[0] === 'object') {
    return schema.properties !== undefined && depth < DEEPEST ? 'object' : 'json';
  }
  if (types[0] === 'array') {
    return kindOf(schema.items, depth + 1) === 'string' ? 'lines' : 'json';
  }
  return ['boolean', 'number', 'integer', 'string'].includes(types[0]) ? types[0] : 'json';
}

/** Whether a default is the number that the schema has: a large one was rounded when the schema was read. */
const isExact = (/** @type {any} */ known) => known !== undefined && !(Math.abs(known) > Number.MAX_SAFE_INTEGER);

/** @param {any} schema */
export const isSecret = (schema) => schema?.format === 'password' || schema?.writeOnly === true || schema?.airbyte_secret === true;

/**
 * @param {any} schema
 * @param {string} name of the form's fields
 * @param {any} [value] what is filled in
 */
export function fields(schema, name, value, { title = '', isRequired = true, isWithinNeeded = true, depth = 0 } = {}) {
  const kind = kindOf(schema, depth);
  const known = value ?? schema?.default;
  const isNeeded = isRequired && isWithinNeeded; // an object that may be left out needs nothing
  const label = html`<span>${text(schema?.title ?? title, 80)}${isRequired && title !== '' ? html`<span aria-hidden="true"> *</span><span class="hidden"> needed</span>` : nothing}
    ${schema?.description ? html`<span class="faint">${text(schema.description, 300)}</span>` : nothing}</span>`;
  switch (kind) {
    case 'object': {
      const inner = Object.entries(schema.properties).map(([key, each]) => fields(each, `${name}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, known?.[key], {
        title: key, isRequired: schema.required?.includes(key) === true, isWithinNeeded: isNeeded, depth: depth + 1,
      }));
      return title === '' ? inner : html`<fieldset><legend>${label}</legend>${inner}</fieldset>`;
    }
    case 'enum': {
      const values = schema.enum ?? [schema.const];
      return html`<label>${label}<select name=${name}>${isNeeded ? nothing : html`<option value=""></option>`}
        ${values.map((each) => html`<option value=${JSON.stringify(each)} ?selected=${each === known}>${plain(String(each), 80)}</option>`)}</select></label>`;
    }
    case 'boolean':
      return isNeeded ? html`<label class="check"><input type="checkbox" name=${name} .checked=${known === true}> ${label}</label>`
        : html`<label>${label}<select name=${name}><option value=""></option>${[true, false].map((each) => html`<option value=${String(each)} ?selected=${each === known}>${each ? 'yes' : 'no'}</option>`)}</select></label>`;
    case 'number':
    case 'integer':
      return html`<label>${label}<input name=${name} type="number" step=${kind === 'integer' ? '1' : 'any'} min=${schema.minimum ?? nothing} max=${schema.maximum ?? nothing}
        ?required=${isNeeded} .value=${isExact(known) ? String(known) : ''}></label>`;
    case 'string':
      return html`<label>${label}<input name=${name} type=${isSecret(schema) ? 'password' : INPUTS[schema.format] ?? 'text'} minlength=${schema.minLength ?? nothing}
        maxlength=${schema.maxLength ?? nothing} ?required=${isNeeded} autocomplete=${isSecret(schema) ? 'off' : nothing} placeholder=${schema.examples?.[0] ?? nothing}
        .value=${isSecret(schema) ? '' : String(known ?? '')}></label>`;
    case 'lines':
      return html`<label><span>${label} <span class="faint">one a line</span></span><textarea name=${name} rows="3" spellcheck="false" .value=${(known ?? []).join('\n')}></textarea></label>`;
    default:
      return html`<label><span>${label} <span class="faint">as JSON</span></span><textarea name=${name} class="mono" rows="4" spellcheck="false" .value=${known === undefined ? '' : JSON.stringify(known, null, 2)}></textarea></label>`;
  }
}

/** Digits that a value of JavaScript may not hold: more than it has, or an exponent. */
const MANY_DIGITS = /[0-9.]{16,}|[0-9]e/i;

/**
 * Whether fields that are filled with a value say all of it: there may be members that have none, and numbers that they
 * would round. What they add, such as defaults, is seen in them.
 * @param {string | undefined} filled what the fields say, as JSON text
 * @param {string} source the value
 */
export const saysAllOf = (filled, source) => filled !== undefined && !MANY_DIGITS.test(source.replace(/"(?:[^"\\]|\\.)*"/g, '""')) && isWithin(JSON.parse(source), JSON.parse(filled));

function isWithin(/** @type {any} */ part, /** @type {any} */ whole) {
  if (part === null || typeof part !== 'object' || Array.isArray(part)) {
    return JSON.stringify(part) === JSON.stringify(whole);
  }
  return whole !== null && typeof whole === 'object' && !Array.isArray(whole) && Object.keys(part).every((name) => isWithin(part[name], whole[name]));
}

/**
 * What was filled in, as JSON text; undefined where nothing was. Throws a SyntaxError for JSON that is none.
 * @param {{get: (name: string) => any}} form
 * @param {any} schema
 * @param {string} name
 * @returns {string | undefined}
 */
export function sourceOf(form, schema, name, depth = 0) {
  const said = form.get(name);
  switch (kindOf(schema, depth)) {
    case 'object': {
      const members = Object.fromEntries(Object.entries(schema.properties)
        .map(([key, each]) => [key, sourceOf(form, each, `${name}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1)]));
      return Object.values(members).every((member) => member === undefined) && depth > 0 ? undefined : objectOf(members);
    }
    case 'boolean': // of a checkbox nothing is said where it is not checked
      return said === '' ? undefined : String(said !== null && said !== 'false');
    case 'number':
    case 'integer':
      return said === '' || said === null ? undefined : numberOf(said);
    case 'string':
      return said === '' || said === null ? undefined : JSON.stringify(said);
    case 'lines': {
      const lines = String(said ?? '').split(/\r?\n/).filter((line) => line !== '');
      return lines.length === 0 ? undefined : JSON.stringify(lines);
    }
    default:
      return said === '' || said === null ? undefined : checked(said);
  }
}
