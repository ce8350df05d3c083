/** What fails, put together: by task, code and the shape of the message; since when, how often, and a way to the runs. */
import { html, nothing, svg } from '../lib/html.js';
import { get, queryText } from '../lib/api.js';
import { serverNow } from '../lib/clock.js';
import { empty, right, table, taskLink, text, time } from '../lib/elements.js';
import { count, counted, cut, plain } from '../lib/format.js';
import { failuresAlike, NO_CODE } from '../lib/failures.js';
import { Page } from './page.js';

const RANGES = [['1 hour', 3_600_000], ['1 day', 86_400_000], ['7 days', 604_800_000]];
const PAGE = 200;
const MOST_PAGES = 10;
const PARTS = 24;
const BAR = 5;
const HEIGHT = 22;

class FailuresPage extends Page {
  heading() {
    return 'Failures';
  }

  shortestPause() {
    return 10_000; // many runs are read
  }

  range() {
    return RANGES.find(([name]) => name === this.place.query.get('range')) ?? RANGES[1];
  }

  /** The latest failures back to the beginning of the range, or as many as are read. */
  async load(signal) {
    const to = serverNow();
    const from = to - Number(this.range()[1]);
    const runs = [];
    let cursor;
    let isCut = false;
    for (let page = 0; page < MOST_PAGES; page++) {
      const answer = await get('runs', { status: 'failed', sort: 'updatedAt', task: this.place.query.get('task') ?? undefined, limit: PAGE, cursor }, signal);
      const inside = answer.data.filter((run) => Date.parse(run.updatedAt) >= from);
      runs.push(...inside);
      cursor = answer.nextCursor;
      isCut = cursor !== undefined && inside.length === answer.data.length;
      if (!isCut) {
        break;
      }
    }
    return { groups: failuresAlike(runs, from, to, PARTS), runs: runs.length, isCut, earliest: runs[runs.length - 1]?.updatedAt };
  }

  view({ groups, runs, isCut, earliest }) {
    const task = this.place.query.get('task');
    return html`<div class="bar-head first"><div class="chips" role="group" aria-label="How far back">${RANGES.map(([name]) => html`<a class="chip" aria-current=${name === this.range()[0]} href="/failures${queryText({ range: name, task: task ?? undefined })}">${name}</a>`)}</div>
        ${task === null ? nothing : html`<span>of task ${taskLink(task)} <a href="/failures${queryText({ range: this.range()[0] })}">All tasks</a></span>`}</div>
      ${groups.length === 0 ? empty('Nothing failed for good in this time.') : html`<p role="status">${counted(runs, 'run')} failed in ${counted(groups.length, 'way')}.${isCut ? html` The latest ${count(runs)} were looked at, back to ${time(earliest)}; there are earlier ones.` : nothing}</p>
        ${table('Failures', ['Task', 'What', right('Runs'), `Over ${this.range()[0]}`, 'First', 'Latest', html`<span class="hidden">Ways there</span>`], groups.map((group) => this.row(group)))}
        <p class="faint">Messages that differ in numbers, ids and quoted words alone are one way to fail.</p>`}`;
  }

  row(group) {
    const since = new Date(Date.parse(group.first)).toISOString();
    return html`<tr><td>${taskLink(group.taskId)}</td><td class="long"><span class="bad-text">${text(group.code, 60)}</span> <span title=${plain(group.example, 500)}>${text(group.message || 'without a message', 300)}</span></td>
      <td class="number"><strong>${count(group.number)}</strong></td><td>${bars(group)}</td><td>${time(group.first)}</td><td>${time(group.latest)} <small class="below"><a href="/runs/${encodeURIComponent(group.latestRun)}" title=${plain(group.latestRun, 120)}>the run</a></small></td>
      <td><span class="together"><a class="button" href="/runs${queryText({ status: 'failed', task: group.taskId, errorCode: group.code === NO_CODE ? undefined : group.code, failureText: wordsOf(group.message), createdFrom: group.createdFrom })}">Its runs<span class="hidden"> of ${plain(group.code, 60)} in ${plain(group.taskId, 60)}</span></a>
        ${this.session?.role === 'viewer' ? nothing : html`<a class="button" href="/bulk${queryText({ status: 'failed', task: group.taskId, errorCode: group.code === NO_CODE ? undefined : group.code, createdFrom: dayBefore(since) })}" title="All runs of the task that failed with this code since the day before the first, to be counted and retried">Retry …<span class="hidden"> the failed runs of ${plain(group.taskId, 60)}</span></a>`}</span></td></tr>`;
  }
}

/** The longest stretch of the message that all of them have. */
const wordsOf = (message) => message.split('…').map((part) => part.trim()).sort((one, other) => other.length - one.length).map((longest) => cut(longest, 200))[0] || undefined;

/** Runs are found by when they were made, which is before they failed. */
const dayBefore = (instant) => new Date(Date.parse(instant) - 86_400_000).toISOString();

function bars({ shares, number }) {
  const most = Math.max(...shares);
  return html`<svg class="spark" viewBox="0 0 ${PARTS * BAR} ${HEIGHT}" width=${PARTS * BAR} height=${HEIGHT} role="img" aria-label="${counted(number, 'run')}, at most ${count(most)} in one of ${PARTS} parts of the time">
    <line x1="0" x2=${PARTS * BAR} y1=${HEIGHT - 0.5} y2=${HEIGHT - 0.5}></line>
    ${shares.map((share, place) => (share === 0 ? nothing : svg`<rect x=${place * BAR} width=${BAR - 1} y=${HEIGHT - 1 - Math.max(2, (share / most) * (HEIGHT - 2))} height=${Math.max(2, (share / most) * (HEIGHT - 2))}></rect>`))}</svg>`;
}

customElements.define('rl-failures-page', FailuresPage);
