/** The one way to the API: requests, the token, refusals. */
import { heard } from './clock.js';
import { elements, member } from './json-source.js';

const TOKEN = 'runlane.token';

/** An answer takes no longer, streams and files apart: a console or a proxy that is silent is not waited for. */
const LONGEST_MILLIS = 60_000;

/** How somebody who changes something learns what became of it. */
const MAY_BE_DONE = 'What was asked for may be under way, or done: look at it, or in the log of actions, before you ask for it again.';

/** A refusal of the API, or a request that was not answered. */
export class ApiError extends Error {
  /**
   * @param {number} status 0: not answered
   * @param {{code?: string, message?: string, request_id?: string, param?: string, conflict_kind?: string}} error
   * @param {boolean} [mayBeDone] whether it asked for a change of which nobody knows whether it was made
   */
  constructor(status, error, mayBeDone = false) {
    super(error.message ?? 'the request failed');
    this.mayBeDone = mayBeDone;
    this.status = status;
    this.code = error.code ?? 'unreachable';
    this.requestId = error.request_id;
    this.param = error.param;
    this.conflictKind = error.conflict_kind;
  }
}

/** @returns {boolean} whether this tab has a token */
export const hasToken = () => sessionStorage.getItem(TOKEN) !== null;

/** @param {string} token kept until the tab is closed */
export const keepToken = (token) => sessionStorage.setItem(TOKEN, token);

export const forgetToken = () => sessionStorage.removeItem(TOKEN);

/**
 * @param {string} path below `/api/v1/` unless it begins with a slash, its parts escaped; see {@link path}
 * @param {Record<string, string | string[] | number | undefined>} [query]
 * @param {AbortSignal} [signal]
 */
export function get(path, query = {}, signal) {
  return send('GET', path + queryText(query), undefined, signal);
}

/**
 * What the address answers, as it is written: a value of JavaScript would round large numbers.
 * @param {string} path
 * @param {Record<string, string | string[] | number | undefined>} [query]
 * @param {AbortSignal} [signal]
 */
export async function getText(path, query = {}, signal) {
  return whole((await request('GET', path + queryText(query), undefined, signal)).text(), false);
}

/**
 * @param {string} path
 * @param {unknown} body
 */
export function post(path, body) {
  return send('POST', path, body);
}

/**
 * @param {string} path
 * @param {string} json the body as it is sent
 */
export async function postText(path, json) {
  return whole((await requestText('POST', path, json)).json(), true);
}

/**
 * @param {string} path
 * @param {unknown} body
 */
export function put(path, body) {
  return send('PUT', path, body);
}

/**
 * @param {string} path
 * @param {unknown} [body]
 */
export function remove(path, body) {
  return send('DELETE', path, body);
}

/**
 * The answer, or undefined where the API says that there is no such thing.
 * @template T
 * @param {Promise<T>} answer
 */
export function orNothing(answer) {
  return answer.catch((failure) => {
    if (failure instanceof ApiError && failure.status === 404) {
      return undefined;
    }
    throw failure;
  });
}

/**
 * All rows of a list, page after page.
 * @param {string} path
 * @param {number} most pages
 * @param {AbortSignal} [signal]
 * @param {Record<string, string | number>} [query]
 * @returns {Promise<{data: any[], isCut: boolean}>}
 */
export async function all(path, most, signal, query = {}) {
  const data = [];
  let cursor;
  for (let page = 0; page < most; page++) {
    const answer = await get(path, { ...query, limit: 200, cursor }, signal);
    data.push(...answer.data);
    cursor = answer.nextCursor;
    if (cursor === undefined) {
      return { data, isCut: false };
    }
  }
  return { data, isCut: true };
}

/** Pages of all processes of a day, and of all schedules: 4 000 rows. */
export const MANY = 20;

/**
 * All rows of a list whose pages are told by how many rows are before them.
 * @param {string} path
 * @param {number} most rows
 * @param {AbortSignal} [signal]
 * @returns {Promise<any[]>}
 */
export async function allSkipping(path, most, signal) {
  const rows = [];
  let isLast = false;
  while (!isLast && rows.length < most) {
    const { data } = await get(path, { skip: rows.length, limit: 200 }, signal);
    rows.push(...data);
    isLast = data.length < 200;
  }
  return rows;
}

/**
 * A page of a list as it is answered, and its rows as they are written.
 * @param {string} path
 * @param {Record<string, string | number | undefined>} query
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} with `written`, texts by the places of `data`
 */
export async function writtenPage(path, query, signal) {
  const text = await getText(path, query, signal);
  return { ...JSON.parse(text), written: elements(member(text, 'data') ?? '[]') };
}

/**
 * A path with its parts escaped: path`runs/${id}`.
 * @param {TemplateStringsArray} texts
 * @param {...string} parts
 */
export function path(texts, ...parts) {
  return String.raw({ raw: texts }, ...parts.map(encodeURIComponent));
}

/** @param {Record<string, string | string[] | number | undefined>} query */
export function queryText(query) {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== '') {
        parts.append(name, String(each));
      }
    }
  }
  return parts.size > 0 ? `?${parts}` : '';
}

/**
 * The lines of a stream of events, as they come.
 * @param {string} path
 * @param {string | undefined} lastId where an earlier stream ended
 * @param {AbortSignal} signal
 * @returns {Promise<AsyncGenerator<string>>}
 */
export async function openStream(path, lastId, signal) {
  const response = await answered('GET', path, undefined, signal, lastId === undefined ? {} : { 'last-event-id': lastId });
  return linesOf(/** @type {ReadableStream<Uint8Array>} */ (response.body));
}

async function* linesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      return;
    }
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.map((line) => line.replace(/\r$/, ''));
  }
}

/** What the address answers, as a file of the browser. */
export async function download(/** @type {string} */ path, /** @type {string} */ name) {
  const response = await answered('GET', path);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function send(method, path, body, signal) {
  const response = await request(method, path, body, signal);
  return response.status === 204 ? undefined : whole(response.json(), isChange(method, path, body));
}

function request(method, path, body, signal) {
  return requestText(method, path, body === undefined ? undefined : JSON.stringify(body), signal, isChange(method, path, body));
}

/** What counts before it begins changes nothing, and who logs out twice no more than once. */
const isChange = (/** @type {string} */ method, /** @type {string} */ path, /** @type {any} */ body) => method !== 'GET' && body?.dryRun !== true && !path.startsWith('/auth/');

/** Within a bound, its body too. */
function requestText(method, path, body, signal, changes = method !== 'GET') {
  const end = AbortSignal.timeout(LONGEST_MILLIS);
  return answered(method, path, body, signal === undefined ? end : AbortSignal.any([signal, end]), {}, changes);
}

async function answered(method, path, body, signal, more = {}, changes = false) {
  const headers = new Headers(more);
  const token = sessionStorage.getItem(TOKEN);
  if (token !== null) {
    headers.set('authorization', `Bearer ${token}`);
  }
  if (body !== undefined) {
    headers.set('content-type', 'application/json');
  }
  const sentAt = Date.now();
  let response;
  try {
    response = await fetch(path.startsWith('/') ? path : `/api/v1/${path}`, {
      method, headers, signal, body,
    });
  } catch (failure) {
    throw unanswered(failure, changes);
  }
  heard(response.headers.get('date'), sentAt, Date.now());
  if (!response.ok) {
    if (response.status === 401) {
      unauthorized(token);
    }
    throw await refusal(response, changes);
  }
  return response;
}

/** What it means that an answer was cut off: its reader has gone, it is none of the API, or nobody answers. */
function unanswered(/** @type {unknown} */ failure, /** @type {boolean} */ changes) {
  const isOwn = failure instanceof SyntaxError || (failure instanceof DOMException && failure.name === 'AbortError');
  return isOwn ? failure : new ApiError(0, { message: told('The console does not answer. Is its process still there?', changes) }, changes);
}

/** @template T @param {Promise<T>} body that is read @param {boolean} changes @returns {Promise<T>} */
const whole = (body, changes) => body.catch((failure) => {
  throw unanswered(failure, changes);
});

const told = (/** @type {string} */ message, /** @type {boolean} */ mayBeDone) => (mayBeDone ? `${message} ${MAY_BE_DONE}` : message);

/** Of proxies, which lost what the console may have begun. */
const LOST = [502, 504];

async function refusal(/** @type {Response} */ response, /** @type {boolean} */ changes) {
  const body = await response.json().catch(() => ({}));
  const isLost = changes && body.error === undefined && LOST.includes(response.status);
  const isGivenUp = changes && body.error?.code === 'operation_cancelled'; // by the console, and goes on
  return new ApiError(response.status, body.error ?? { message: told(`status ${response.status}${isLost ? ' of a proxy.' : ''}`, isLost) }, isLost || isGivenUp);
}

/** A token that is refused goes: sent on, it would hide a log-in of another way. Of an earlier one nothing is told. */
function unauthorized(/** @type {string | null} */ token) {
  if (sessionStorage.getItem(TOKEN) === token) {
    forgetToken();
    window.dispatchEvent(new CustomEvent('rl-unauthorized'));
  }
}
