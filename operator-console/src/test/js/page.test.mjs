import { mock, test } from 'node:test';
import assert from 'node:assert/strict';

globalThis.HTMLElement = class extends EventTarget { isConnected = true; fields = []; attributes = new Set(); setAttribute(name) { this.attributes.add(name); } removeAttribute(name) { this.attributes.delete(name); } querySelectorAll(wanted) { return wanted.includes('input') ? this.fields : []; } };
globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {}, querySelector: () => null, createTreeWalker() {}, createComment() {} };
globalThis.window = new EventTarget();
globalThis.localStorage = { getItem: () => null };
globalThis.sessionStorage = { getItem: () => null };
const { changes } = await import('./lib/changes.js');
const { Page } = await import('./pages/page.js');

/** A page that is answered when the test says so. */
class Told extends Page {
  answers = [];
  drawn = 0;
  load() {
    return new Promise((resolve) => this.answers.push(resolve));
  }
  draw() {
    this.drawn++;
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const change = (kind) => changes.dispatchEvent(new CustomEvent('change', { detail: { kind } }));

test('a change that is told while the page asks has it ask again soon', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  changes.isOpen = true;
  const page = new Told();
  page.connectedCallback();
  page.answers[0]({});
  await settled();
  change('run');
  mock.timers.tick(2_999);
  assert.equal(page.answers.length, 1);
  mock.timers.tick(1);
  assert.equal(page.answers.length, 2);

  change('run');
  page.answers[1]({});
  await settled();
  mock.timers.tick(3_000);
  assert.equal(page.answers.length, 3, 'the second change was told during the second answer');

  page.answers[2]({});
  await settled();
  mock.timers.tick(9_000);
  assert.equal(page.answers.length, 3, 'nothing happened since');
  mock.timers.tick(1_000);
  assert.equal(page.answers.length, 4);
  page.disconnectedCallback();
  mock.timers.reset();
});

test('what is written in a filter and not applied keeps a page for a minute, and the focus in it does not', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  changes.isOpen = false;
  const page = new Told();
  page.connectedCallback();
  page.answers[0]({});
  await settled();
  page.fields = [{ type: 'text', value: 'mail', defaultValue: 'mail' }, { type: 'select-one', value: 'b' }];
  mock.timers.tick(3_000);
  assert.equal(page.answers.length, 2, 'nothing is written');
  page.answers[1]({});
  await settled();

  page.fields[0].value = 'mails';
  page.dispatchEvent(new Event('input'));
  mock.timers.tick(59_000);
  assert.equal(page.answers.length, 2);
  mock.timers.tick(3_000);
  assert.equal(page.answers.length, 3);
  page.disconnectedCallback();
  mock.timers.reset();
});

test('a page that stands still is drawn once a minute while it is seen, so that its times stay true', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  const page = new Told();
  page.staysLive = () => false;
  page.connectedCallback();
  page.answers[0]({});
  await settled();
  const drawn = page.drawn;
  mock.timers.tick(59_000);
  assert.equal(page.drawn - drawn, 0);
  mock.timers.tick(3_000);
  assert.equal(page.drawn - drawn, 1);
  mock.timers.tick(60_000);
  assert.deepEqual([page.drawn - drawn, page.answers.length], [2, 1]);

  document.hidden = true;
  mock.timers.tick(300_000);
  assert.equal(page.drawn - drawn, 2);
  document.hidden = false;
  mock.timers.tick(3_000);
  assert.equal(page.drawn - drawn, 3);
  page.disconnectedCallback();
  mock.timers.reset();
});

test('another part of a timeline is drawn of what is known, another address asks', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const page = new Told();
  const at = (query) => ({ parts: ['runs', 'run_1'], query: new URLSearchParams(query) });
  page.place = at('');
  page.connectedCallback();
  page.answers[0]({});
  await settled();
  const drawn = page.drawn;
  page.moved(at('zoom=0.1-0.2'));
  page.moved(at('zoom=0.1-0.15'));
  assert.deepEqual([page.answers.length, page.drawn - drawn, page.place.query.get('zoom')], [1, 2, '0.1-0.15']);

  page.moved(at('zoom=0.1-0.15&status=failed'));
  assert.deepEqual([page.answers.length, page.drawn - drawn], [2, 3], 'what was chosen is shown before its answer');
  page.disconnectedCallback();
  mock.timers.reset();
});

test('what is shown is said to be of the address before, where the answer to another one takes long', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const page = new Told();
  const isSaid = () => page.attributes.has('aria-busy');
  page.connectedCallback();
  page.answers[0]({});
  await settled();
  page.reload();
  mock.timers.tick(5_000);
  assert.equal(isSaid(), false, 'it renews itself');
  page.moved({ parts: [], query: new URLSearchParams('status=failed') });
  mock.timers.tick(299);
  assert.equal(isSaid(), false);
  mock.timers.tick(1);
  assert.equal(isSaid(), true);

  page.answers[2]({});
  await settled();
  assert.equal(isSaid(), false);
  page.disconnectedCallback();
  mock.timers.reset();
});

test('the row that a reader has scrolled to stays in its place when others come above it', async () => {
  const scrolled = [];
  Object.assign(globalThis.window, { scrollY: 900, scrollBy: (_x, y) => scrolled.push(y) });
  const page = new Told();
  let top = -40;
  const rows = [{ isConnected: true, getBoundingClientRect: () => ({ top: -30 }) }, { isConnected: true, getBoundingClientRect: () => ({ top: top + 50 }) }];
  page.querySelectorAll = (wanted) => (wanted.startsWith('tr') ? rows : []);
  page.draw = () => { top += 90; };
  page.connectedCallback();
  page.answers[0]({});
  await settled();
  assert.deepEqual(scrolled, [90]);

  rows[1].isConnected = false; // it has left the list
  page.reload();
  page.answers[1]({});
  await settled();
  assert.deepEqual(scrolled, [90]);
  window.scrollY = 0;
  page.disconnectedCallback();
});

test('what a button could not do is told until something was done, and not only until the page renews itself', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  changes.isOpen = false;
  const page = new Told();
  page.isConnected = true;
  page.querySelector = () => null;
  page.connectedCallback();
  page.answers[0]({});
  await settled();
  await page.attempt(() => Promise.reject(new Error('it is away')));
  mock.timers.tick(3_000);
  page.answers[1]({});
  await settled();
  assert.equal(page.failure?.message, 'it is away');

  page.reload(); // as a dialog does once its action is carried out
  page.answers[2]({});
  await settled();
  assert.equal(page.failure, undefined);
  page.disconnectedCallback();
  mock.timers.reset();
});
