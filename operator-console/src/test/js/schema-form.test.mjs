import { test } from 'node:test';
import assert from 'node:assert/strict';

globalThis.localStorage = { getItem: () => null };
globalThis.sessionStorage = { getItem: () => null };
const { fields, saysAllOf, sourceOf } = await import('./lib/schema-form.js');

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

test('fields say all of a value unless it has members that they have not, or numbers that they would round', () => {
  assert.ok(saysAllOf('{"to":"me","isQuick":false,"lines":["a"],"price":1.5}', '{"lines": ["a"], "to": "me", "price": 1.50}'), 'defaults are seen');
  for (const [filled, source] of [
    ['{"to":"me"}', '{"to":"me","cc":"you"}'], ['{"card":{"number":"1"}}', '{"card":{"number":"2"}}'], ['{}', '{"to":""}'], ['{}', '[]'], ['{}', 'null'],
    ['{"lines":["a"]}', '{"lines":["a","b"]}'], ['{"price":0.1}', '{"price":0.1000000000000000055}'], ['{"number":100000}', '{"number":1e5}'], [undefined, '{}'],
  ]) {
    assert.equal(saysAllOf(filled, source), false, source);
  }
  assert.ok(saysAllOf('{"to":"4711471147114711 \\" 1e5"}', '{"to":"4711471147114711 \\" 1e5"}'), 'digits of a text');
});
