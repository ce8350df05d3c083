import { test } from 'node:test';
import assert from 'node:assert/strict';
import { checked, elements, indented, member, numberOf, objectOf } from './lib/json-source.js';

const EXACT = '{"big":9007199254740993,"price":1.50,"small":1e-400,"half":"\\ud800","a \\"}{[":[],"none":{},"list":[1,[2,{"x":"}"}]]}';

test('a member is taken as it is written', () => {
  const run = `{"id":"run_1","tags":{"payload":"no"},"payload":${EXACT},"output":[{"payload":1}],"odd\\u0020name":"a\\\\"}`;
  assert.equal(member(run, 'payload'), EXACT);
  assert.equal(member(run, 'output'), '[{"payload":1}]');
  assert.equal(member(run, 'odd name'), '"a\\\\"');
  assert.equal(member(run, 'none'), undefined);
  assert.equal(member('{ "a" : 1 , "payload" : [ 1 , 2 ] }', 'payload'), '[1,2]');
  assert.equal(member('{}', 'payload'), undefined);
  assert.equal(member(`{"payload":"${'x\\"'.repeat(1_000_000)}"}`, 'payload')?.length, 3_000_002);
});

test('elements are taken as they are written', () => {
  assert.deepEqual(elements(`[${EXACT}, 1.50 ,"a,]",[],{} , [1,[2]]]`), [EXACT, '1.50', '"a,]"', '[]', '{}', '[1,[2]]']);
  assert.deepEqual(elements('[]'), []);
  assert.deepEqual(elements(member(`{"data":[{"sequence":1,"payload":${EXACT}},{"sequence":2}],"nextCursor":"x"}`, 'data')),
    [`{"sequence":1,"payload":${EXACT}}`, '{"sequence":2}']);
});

test('lines are broken as JSON.stringify breaks them, and nothing else is changed', () => {
  const value = { a: 1, b: [true, null, { c: '{"[,:]}' }], d: {}, e: [], f: '' };
  for (const each of [value, [], {}, 'text', 7, null, [[[]]]]) {
    assert.equal(indented(JSON.stringify(each)), JSON.stringify(each, null, 2));
  }
  assert.equal(indented(EXACT).replaceAll(/\n */g, '').replaceAll(': ', ':'), EXACT);
});

test('what nobody sees is written as an escape of the same text', () => {
  const value = { 'zero\u200bwidth': 'a\u200db\u202ec\ufeff' };
  assert.equal(indented(JSON.stringify(value)), '{\n  "zero\\u200bwidth": "a\\u200db\\u202ec\\ufeff"\n}');
  assert.deepEqual(JSON.parse(indented(JSON.stringify(value))), value);
  const tagged = { text: 'a\u{e0041}b\u{1f600}' };
  assert.equal(indented(JSON.stringify(tagged)), '{\n  "text": "a\\udb40\\udc41b\u{1f600}"\n}');
  assert.deepEqual(JSON.parse(indented(JSON.stringify(tagged))), tagged);
});

test('an object is made of texts, and what is no JSON is refused', () => {
  assert.equal(objectOf({ reason: '"why"', payload: '12345678901234567890', none: undefined }), '{"reason":"why","payload":12345678901234567890}');
  assert.equal(objectOf({}), '{}');
  assert.equal(checked(' {"a": 1.0} '), ' {"a": 1.0} ');
  for (const text of ['', '{', '1},"x":{', 'undefined', '01', '+1']) {
    assert.throws(() => checked(text), SyntaxError);
  }
});

test('a number that was typed is JSON with the same digits', () => {
  const typed = { '12345678901234567890': '12345678901234567890', '007': '7', '-00.5': '-0.5', '.5': '0.5', '-.5': '-0.5', '1.10': '1.10', '0': '0', '1e3': '1000', '1E-7': '1E-7' };
  for (const [said, json] of Object.entries(typed)) {
    assert.equal(numberOf(said), json);
    assert.equal(JSON.parse(numberOf(said)), Number(said));
  }
});
