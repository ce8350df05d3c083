// A connector that accounts for details: what it owes, what it could not get, and notes to its owner on the way.
import { createInterface } from 'node:readline';

const say = (message) => process.stdout.write(JSON.stringify(message) + '\n');
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => JSON.parse((await lines.next()).value);

await next();
say({ type: 'DETAIL_GAPS_PAGE_REQUEST', reference_only: true, request_id: 'page-1', streams: ['loans'] });
const page = await next();
if (page.type !== 'DETAIL_GAPS_PAGE_RESPONSE' || page.request_id !== 'page-1' || page.detail_gaps.length !== 0) {
  process.exit(9);
}
say({ type: 'ASSISTANCE', assistance_request_id: 'phone', progress_posture: 'running', owner_action: 'act_elsewhere', response_contract: 'none', sensitivity: 'non_secret', message: 'Approve on the phone, code 123456', attachments: [{ kind: 'qr', label: 'Pair', ref: 'r1' }], timeout_seconds: 60 });
say({ type: 'ASSISTANCE_STATUS', assistance_request_id: 'phone', status: 'resolved', message: 'Approved' });
say({ type: 'ASSISTANCE', progress_posture: 'waiting_retry', owner_action: 'none', response_contract: 'none', message: 'The source is slow' });
for (const id of ['1', '2', '3']) {
  say({ type: 'RECORD', stream: 'books', key: id, data: { id, at: '2026-01-01' }, emitted_at: '2026-03-01T10:00:00Z' });
}
say({ type: 'DETAIL_GAP', reference_only: true, stream: 'loans', parent_stream: 'books', record_key: 2, status: 'pending', reason: 'rate_limited', retryable: true, detail_locator: { kind: 'page', page: 2 }, last_error: { class: 'http', http_status: 429 } });
say({ type: 'DETAIL_GAP_ATTEMPTED', reference_only: true, gap_id: 'g1', lease_id: 'l1', stream: 'loans' });
say({ type: 'DETAIL_GAP_RECOVERED', reference_only: true, gap_id: 'g1', stream: 'loans', record_key: 9 });
say({ type: 'DETAIL_COVERAGE', reference_only: true, stream: 'books', state_stream: 'books', required_keys: [1, 2, 3], hydrated_keys: [1, 3], gap_keys: [2], considered: 3, covered: 2 });
say({ type: 'DETAIL_COVERAGE', reference_only: true, stream: 'loans', state_stream: 'loans', required_keys: ['a', 'b'], hydrated_keys: ['a'], gap_keys: null });
say({ type: 'STATE', stream: 'books', cursor: { page: 3 } });
say({ type: 'STATE', stream: 'loans', cursor: { page: 9 } });
say({ type: 'DONE', status: process.argv[2], records_emitted: 3 });
process.exitCode = process.argv[2] === 'succeeded' ? 0 : 1;
for await (const extra of lines) {
  process.exit(10); // nothing more was to come
}
