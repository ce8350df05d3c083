import { test } from 'node:test';
import assert from 'node:assert/strict';

globalThis.localStorage = { getItem: () => null };
globalThis.sessionStorage = { getItem: () => null };
const { fields, sourceOf } = await import('./lib/schema-form.js');

const written = (part) => (Array.isArray(part) ? part.map(written).join('') : part?.strings === undefined ? String(part ?? '')
  : part.strings.map((text, place) => text + (place < part.values.length ? written(part.values[place]) : '')).join(''));
const schema = {
  type: 'object', required: ['agreed', 'to'],
  properties: {
    agreed: { type: 'boolean' }, isQuick: { type: 'boolean' }, to: { type: 'string' },
    card: { type: 'object', required: ['number', 'isOwn', 'kind'], properties: { number: { type: 'string' }, isOwn: { type: 'boolean' }, kind: { enum: ['a', 'b'] } } },
  },
};
const filled = (values) => sourceOf({ get: (name) => values[name] ?? null }, schema, 'payload');
const untouched = { 'payload/isQuick': '', 'payload/to': 'me', 'payload/card/number': '', 'payload/card/isOwn': '', 'payload/card/kind': '' };

test('what was left alone is not sent: neither an optional boolean nor an optional object', () => {
  assert.equal(filled(untouched), '{"agreed":false,"to":"me"}');
  assert.equal(filled({ ...untouched, 'payload/agreed': 'on', 'payload/isQuick': 'false' }), '{"agreed":true,"isQuick":false,"to":"me"}');
  assert.equal(filled({ ...untouched, 'payload/card/isOwn': 'true', 'payload/card/number': '4711' }), '{"agreed":false,"to":"me","card":{"number":"4711","isOwn":true}}');
});

test('fields of an object that may be left out may be left empty', () => {
  const form = written(fields(schema, 'payload'));
  const field = (name) => new RegExp(`<(?:input|select)[^>]*name=payload/${name}[ >].*?(?=<label|$)`, 's').exec(form)?.[0] ?? '';
  assert.match(form, /type="checkbox" name=payload[/]agreed/);
  assert.match(form, /<select name=payload[/]isQuick><option value=""><[/]option>/);
  assert.match(form, /<select name=payload[/]card[/]isOwn><option value="">/);
  assert.match(form, /<select name=payload[/]card[/]kind><option value="">/);
  assert.match(field('to'), /[?]required=true/);
  assert.match(field('card/number'), /[?]required=false/);
});
