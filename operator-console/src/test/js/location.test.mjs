import { test } from 'node:test';
import assert from 'node:assert/strict';
import { changedQuery } from './lib/location.js';

test('what is not changed stays in an address, all of equal names', () => {
  const query = new URLSearchParams('state=failed&state=active&skip=50&minutes=60');
  assert.equal(changedQuery(query, { minutes: 10_080, from: undefined }), '?state=failed&state=active&skip=50&minutes=10080');
  assert.equal(changedQuery(query, { state: ['failed', 'delayed'], skip: undefined }), '?minutes=60&state=failed&state=delayed');
  assert.equal(changedQuery(query, { state: [], skip: '', minutes: undefined }), '');
  assert.equal(query.toString(), 'state=failed&state=active&skip=50&minutes=60');
});
