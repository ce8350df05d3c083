import { mock, test } from 'node:test';
import assert from 'node:assert/strict';

const page = new EventTarget();
globalThis.addEventListener = page.addEventListener.bind(page);
globalThis.removeEventListener = page.removeEventListener.bind(page);
const { drag, openEvent } = await import('./timeline/timeline.js');

const pointer = (type, clientX) => Object.assign(new Event(type), { clientX });

/** Draws over the middle of a scale of 100 pixels; answers what is shown then. */
function drawOver(end, isConnected = true) {
  mock.timers.enable({ apis: ['setTimeout'] });
  const shown = [];
  const scale = { isConnected, getBoundingClientRect: () => ({ left: 0, width: 100 }), querySelector: () => ({ style: {} }) };
  drag({ button: 0, pointerType: 'mouse', currentTarget: scale, clientX: 20 }, { from: 0, to: 1 }, (from, to) => shown.push([from, to]));
  page.dispatchEvent(pointer('pointermove', 50));
  page.dispatchEvent(pointer(end, 60));
  page.dispatchEvent(pointer('pointerup', 90));
  mock.timers.tick(1);
  mock.timers.reset();
  return shown;
}

test('what is drawn over is shown, once', () => {
  assert.deepEqual(drawOver('pointerup'), [[0.2, 0.6]]);
});

test('a drag that the browser took away, or whose page was left, shows nothing', () => {
  assert.deepEqual(drawOver('pointercancel'), []);
  assert.deepEqual(drawOver('pointerup', false), []);
});

test('an event that is chosen is opened and has the focus, one that is not listed is told apart', () => {
  const done = [];
  const event = { scrollIntoView: () => done.push('seen'), querySelector: () => ({ focus: () => done.push('focus') }) };
  const list = { querySelector: (name) => (name === '#event-7' ? event : null) };
  assert.deepEqual([openEvent(list, 7), event.open, done, openEvent(list, 8)], [true, true, ['seen', 'focus'], false]);
});
