import { test } from 'node:test';
import assert from 'node:assert/strict';

globalThis.localStorage = { getItem: () => null };
globalThis.sessionStorage = { getItem: () => null };
const { tagLinks } = await import('./lib/elements.js');

/** What a template is written as. */
const written = (part) => (Array.isArray(part) ? part.map(written).join('') : part?.strings === undefined ? String(part ?? '')
  : part.strings.map((text, place) => text + (place < part.values.length ? written(part.values[place]) : '')).join(''));

test('tags are links to the runs that have them, and one text where they are hidden', () => {
  assert.match(written(tagLinks({ city: 'Paris, France', size: 's' })), /href="[/]runs[?]tag=city%3AParis%2C%20France".*href="[/]runs[?]tag=size%3As"/);
  assert.equal(written(tagLinks('[masked]')), '<span class="tag"><bdi>[masked]</bdi></span>');
  assert.equal(written(tagLinks(undefined)), '');
});
