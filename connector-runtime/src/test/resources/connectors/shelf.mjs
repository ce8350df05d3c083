// A connector as its author would write it: reads START, asks, reports, and waits for its input to end.
import { createInterface } from 'node:readline';

const say = (message) => process.stdout.write(JSON.stringify(message) + '\n');
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => JSON.parse((await lines.next()).value);

const start = await next();
const [books] = start.scope.streams;
say({ type: 'PROGRESS', stream: books.name, message: 'Opening the shelf', count: 0, total: 2 });
say({ type: 'INTERACTION', request_id: 'q1', kind: 'otp', message: 'Code from the library card', timeout_seconds: 60 });
const answer = await next();
if (answer.request_id !== 'q1' || answer.data.code !== 'swordfish') {
  process.exit(9);
}
for (const [id, at] of [['978-1', '2026-02-11T09:00:00Z'], ['978-2', '2026-02-20T09:00:00Z']]) {
  say({ type: 'RECORD', stream: 'books', key: id, emitted_at: '2026-03-01T10:00:00Z', data: { id, at } });
}
const { page } = start.state.books ?? { page: 4 };
say({ type: 'STATE', stream: 'books', cursor: { page: page + 1 } });
say({ type: 'SKIP_RESULT', stream: 'books', reason: 'page_locked', message: 'Page 6 needs a visit', recovery_hint: 'manual_action_required' });
say({ type: 'DONE', status: 'succeeded', records_emitted: 2 });
for await (const extra of lines) {
  process.exit(10); // nothing more was to come
}
