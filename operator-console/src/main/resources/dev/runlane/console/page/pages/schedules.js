/** All schedules: when they fire next, in their own zone and the reader's; paused, resumed and fired by hand. */
import { html, nothing } from '../lib/html.js';
import { all, get, MANY, path, post } from '../lib/api.js';
import { serverNow } from '../lib/clock.js';
import { ask } from '../lib/dialog.js';
import { badge, empty, runLink, taskLink, text, time } from '../lib/elements.js';
import { count, plain, zoned } from '../lib/format.js';
import { comingFires, hasLeft, mergedSchedules } from '../lib/schedules.js';
import { Page } from './page.js';

class SchedulesPage extends Page {
  heading() {
    return 'Schedules';
  }

  async load(signal) {
    const [states, tasks] = await Promise.all([all('schedules', MANY, signal), get('tasks', {}, signal)]);
    return { schedules: mergedSchedules(states.data, tasks.data), isCut: states.isCut };
  }

  view({ schedules, isCut }) {
    return schedules.length === 0 ? empty('There is no schedule.', 'A task has schedules where it is defined: Task.define(…).schedule(…).')
      : html`${isCut ? html`<p class="notice" role="status">There are more schedules than are read: ${count(MANY * 200)}, by task and id. Of others nothing is said here but what this process knows.</p>` : nothing}
        <div class="columns wide">${schedules.map((schedule) => schedulePanel(schedule, this.session, () => this.reload(), true))}</div>`;
  }
}

/** A definition with its lengths of time as all of the page are written: `every PT1H30M` is `every 1 h 30 min`. */
const spoken = (/** @type {string} */ definition) => definition.replace(/\bPT(?=[0-9])(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9.]+)S)?/g, (_all, hours, minutes, seconds) => [
  hours && `${hours} h`, minutes && `${minutes} min`, seconds && `${seconds} s`].filter(Boolean).join(' ')).replace(/^every 1 (h|min|s)$/, (_all, unit) => `every ${{ h: 'hour', min: 'minute', s: 'second' }[/** @type {'h'} */ (unit)]}`);

/** One schedule with what can be done to it. */
export function schedulePanel(schedule, session, changed, namesTask) {
  const { taskId, scheduleId, local: here, pause } = schedule;
  const isLate = schedule.missedFire !== undefined;
  const isGone = hasLeft(schedule, serverNow());
  const fires = comingFires(schedule, serverNow());
  return html`<section class="panel ${isLate ? 'bad' : ''}"><h2>${text(scheduleId, 80)} ${namesTask ? html`<span class="faint">of</span> ${taskLink(taskId)}` : nothing}
      ${isGone ? html`<span class="badge">not registered any more</span>` : pause ? html`<span class="badge released">paused</span>` : isLate ? html`<span class="badge failed">✕ late</span>` : here?.enabled === false ? html`<span class="badge">disabled in code</span>` : html`<span class="badge succeeded">✓ on</span>`}</h2>
    <p>${text(spoken(here?.fires ?? schedule.definition), 200)}${pause ? html`. Paused ${time(pause.pausedAt)} by ${text(pause.actor.id ?? pause.actor.type, 60)}${pause.reason ? html`: ${text(pause.reason)}` : nothing}` : nothing}
      <span class="faint">· ${schedule.lastFire ? html`last fire ${time(schedule.lastFire)}` : 'has not fired yet'}</span>${schedule.lastRun ? html` ${badge(schedule.lastRun.status)} ${runLink(schedule.lastRun.id)}` : nothing}<span class="faint">${isGone ? html`, registered last ${time(schedule.lastSeen)}` : here === undefined ? ', registered by another process' : nothing}</span>${isLate ? html`. <span class="bad-text">Nobody has made a run of its fire ${time(schedule.missedFire)}.</span>` : nothing}</p>
    ${fires.length === 0 ? nothing : html`<details ?open=${namesTask}><summary>Next ${pause ? 'it would fire' : 'fires'} ${time(fires[0])}${fires.length > 1 ? `, and ${fires.length - 1} more` : ''}</summary>
      <table class="fires"><thead><tr><th scope="col">In your zone</th><th scope="col">${plain(schedule.zone ?? 'UTC', 60)}</th></tr></thead>
        <tbody>${fires.map((fire) => html`<tr><td class="number">${zoned(fire)}</td><td class="number">${zoned(fire, schedule.zone ?? 'UTC')}</td></tr>`)}</tbody></table></details>`}
    ${session?.role === 'viewer' ? nothing : html`<p class="buttons start">
      ${here === undefined ? nothing : html`<button @click=${() => act(schedule, 'fire', changed)}>Fire now …</button>`}
      ${schedule.definition === undefined ? nothing : html`<button @click=${() => act(schedule, pause ? 'resume' : 'pause', changed)}>${pause ? 'Resume …' : 'Pause …'}</button>`}</p>`}</section>`;
}

const EFFECTS = {
  fire: 'A run with its payload and in its queue is made now. It is no fire of the schedule: the next one comes as it would.',
  pause: 'No process makes a run of a fire that begins from now on. Runs that are there go on.',
  resume: 'It goes on with its next fire. Fires of the pause are not made up for.',
};
const VERBS = { fire: 'Fire now', pause: 'Pause schedule', resume: 'Resume schedule' };

function act({ taskId, scheduleId }, action, changed) {
  ask({
    title: html`${VERBS[action]}: ${text(scheduleId, 80)}`, effect: EFFECTS[action], verb: VERBS[action],
    act: async (form) => {
      const answer = await post(`${path`tasks/${taskId}/schedules/${scheduleId}`}/${action}`, { reason: form.get('reason') });
      if (action === 'fire') {
        return `/runs/${encodeURIComponent(answer.run.id)}`;
      }
      changed();
    },
  });
}

customElements.define('rl-schedules-page', SchedulesPage);
