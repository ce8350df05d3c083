import { test } from 'node:test';
import assert from 'node:assert/strict';
import { tagsOf } from './lib/tags.js';

test('each line is a tag, by a colon or an equals sign, and an empty one is none', () => {
  assert.deepEqual(tagsOf('customer:acme\n\n  region = eu \r\nurl:http://x/?a=b\n'), { customer: 'acme', region: 'eu', url: 'http://x/?a=b' });
  assert.deepEqual(tagsOf(' \n'), {});
});

test('a name that objects have is a name like others', () => {
  assert.deepEqual(Object.entries(tagsOf('__proto__:x')), [['__proto__', 'x']]);
});

test('a line without a name or a value is refused with what is wanted', () => {
  for (const line of ['customer', 'customer:', ':acme', '=']) {
    assert.throws(() => tagsOf(`region:eu\n${line}`), /is no tag, such as customer:acme/);
  }
});
