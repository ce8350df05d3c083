/** Where something is that a person typed: a run, or the runs of a tag or a key. */
import { ApiError, get, path } from './api.js';

const MOST_PAGES = 5;
/** Dots alone in an address lead elsewhere. */
const DOTS = /^\.{1,2}$/;
const KEYS = ['concurrencyKey', 'idempotencyKey', 'singletonKey'];

/**
 * The address that shows what is meant; where there is nothing, that of a list that says so. Fails where the API does.
 * @param {string} wanted
 */
export async function find(wanted) {
  const isTag = wanted.includes(':'); // which neither ids nor keys have: the API refuses them
  if (!isTag && !DOTS.test(wanted)) {
    const { data: events } = await get(path`runs/${wanted}/events`, { limit: 1 }); // none where there is no such run
    if (events.length > 0) {
      return `/runs/${encodeURIComponent(wanted)}`;
    }
  }
  const lists = isTag ? ['tag'] : KEYS;
  const found = await Promise.all(lists.map((name) => anyOf(name, wanted).catch(noneIfMasked)));
  const place = [found.indexOf('found'), found.indexOf('further back')].find((each) => each >= 0) ?? 0;
  return `/runs?${new URLSearchParams({ [lists[place]]: wanted })}`;
}

/**
 * Whether a list has a run. A page may have none and still a next one, since the storage looks at a bounded number of
 * runs for it; what is further back than a few pages is for the list to look for.
 * @returns {Promise<'found' | 'none' | 'further back'>}
 */
async function anyOf(name, wanted) {
  let cursor;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await get('runs', { [name]: wanted, limit: 1, cursor });
    if (answer.data.length > 0) {
      return 'found';
    }
    cursor = answer.nextCursor;
    if (cursor === undefined) {
      return 'none';
    }
  }
  return 'further back';
}

/** Who may not see a key finds runs by the others. */
function noneIfMasked(failure) {
  if (failure instanceof ApiError && failure.code === 'filter_masked') {
    return 'none';
  }
  throw failure;
}
