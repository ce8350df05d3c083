/** Where something is that a person typed: a run, or the runs of a tag or a key. */
import { ApiError, get, path } from './api.js';

const KEYS = ['concurrencyKey', 'idempotencyKey', 'singletonKey'];

/**
 * The address that shows what is meant; where there is nothing, that of a list that says so. Fails where the API does.
 * @param {string} wanted
 */
export async function find(wanted) {
  const { data: events } = await get(path`runs/${wanted}/events`, { limit: 1 }); // none where there is no such run
  if (events.length > 0) {
    return `/runs/${encodeURIComponent(wanted)}`;
  }
  const lists = [...(/^[^:]+:./s.test(wanted) ? ['tag'] : []), ...KEYS];
  const found = await Promise.all(lists.map((name) => get('runs', { [name]: wanted, limit: 1 }).catch(noneIfMasked)));
  const name = lists.find((_name, place) => found[place].data.length > 0) ?? lists[0];
  return `/runs?${new URLSearchParams({ [name]: wanted })}`;
}

/** Who may not see a key finds runs by the others. */
function noneIfMasked(failure) {
  if (failure instanceof ApiError && failure.code === 'filter_masked') {
    return { data: [] };
  }
  throw failure;
}
