// Writes records as fast as it can, argument 2 of them, and says how much of it was taken.
import { once } from 'node:events';

const count = Number(process.argv[2]);
let block = '';
for (let i = 0; i < count; i++) {
  block += `{"type":"RECORD","stream":"books","key":"${i}","emitted_at":"2026-03-01T10:00:00Z","data":{"id":"${i}","at":"2026-02-11T09:00:00Z","title":"A title of a book"}}\n`;
  if (block.length > 65536 || i === count - 1) {
    if (!process.stdout.write(block)) {
      await once(process.stdout, 'drain');
    }
    block = '';
  }
}
process.stdout.write(JSON.stringify({ type: 'STATE', stream: 'books', cursor: { last: count } }) + '\n');
process.stdout.write(JSON.stringify({ type: 'DONE', status: 'succeeded', records_emitted: count }) + '\n');
