// Collects the books of a file, one JSON object a line, without any library: node connector.mjs books.jsonl
import { readFileSync } from 'node:fs';

// Only a line feed ends a line. Node's readline also splits at U+2028, which may stand in a string.
async function* linesOf(stream) {
  let rest = '';
  stream.setEncoding('utf8');
  for await (const part of stream) {
    const lines = (rest + part).split('\n');
    rest = lines.pop();
    yield* lines.filter((line) => line.trim() !== '');
  }
  if (rest.trim() !== '') yield rest;
}

// Waits while the runtime does not read: it is slowed, and slows its source.
function send(message) {
  return new Promise((resolve, reject) =>
    process.stdout.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve())),
  );
}

const fromRuntime = linesOf(process.stdin);
const start = JSON.parse((await fromRuntime.next()).value);
const books = start.scope.streams.find((stream) => stream.name === 'books');
let sent = 0;

function isWanted(book) {
  const { since = '', until = '9999' } = books.time_range ?? {};
  const inTime = book.bought_at >= since && book.bought_at < until;
  return inTime && (!books.resources || books.resources.includes(book.isbn));
}

function withWantedFields(book) {
  return Object.fromEntries(
    Object.entries(book).filter(([name]) => !books.fields || books.fields.includes(name)),
  );
}

if (books) {
  const lines = readFileSync(process.argv[2], 'utf8').trimEnd().split('\n');
  const known = start.state?.books?.line ?? 0;
  await send({ type: 'PROGRESS', stream: 'books', message: 'Reading the shelf', count: known, total: lines.length });
  for (const line of lines.slice(known)) {
    const book = JSON.parse(line);
    if (isWanted(book)) {
      const data = withWantedFields(book);
      await send({ type: 'RECORD', stream: 'books', key: book.isbn, data, emitted_at: new Date().toISOString() });
      sent += 1;
    }
  }
  await send({ type: 'STATE', stream: 'books', cursor: { line: lines.length } });
}

await send({ type: 'DONE', status: 'succeeded', records_emitted: sent });
for await (const _ of fromRuntime); // until the runtime has closed the input
