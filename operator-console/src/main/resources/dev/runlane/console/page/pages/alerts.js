/** Rules that look for what is wrong, and what they found: open first, then what is over. */
import { html, nothing } from '../lib/html.js';
import { get, path, post, put, queryText } from '../lib/api.js';
import { ask } from '../lib/dialog.js';
import { serverNow } from '../lib/clock.js';
import { actionsHead, empty, right, sentence, table, text, time } from '../lib/elements.js';
import { counted, duration, plain, spokenDuration, words } from '../lib/format.js';
import { repeat } from '../lib/rows.js';
import { Page } from './page.js';

/** Title, what the threshold is, its step, and how it is told. */
const KINDS = {
  failure_rate: ['Failure rate', 'Part of the ended attempts that failed, from 0 to 1', 0.01, (value) => `${Math.round(value * 1_000) / 10} % of ended attempts failed`],
  oldest_due: ['Oldest due', 'Seconds that the oldest due run has waited', 1, (value) => `the oldest due run has waited ${duration(value * 1_000)}`],
  dead_letters: ['Dead letters', 'How many wakeups could not be published', 1, (value) => `${counted(value, 'wakeup')} could not be published`],
  worker_gone: ['Worker gone', 'Seconds without a sign of life', 1, (value) => `a process has been silent for ${duration(value * 1_000)}`],
  schedule_missed: ['Schedule missed', 'Seconds that a fire is late', 1, (value) => `a fire is late by ${duration(value * 1_000)}`],
};
/** How the window of a kind that has one is told. */
const WINDOWS = {
  failure_rate: (window) => `within ${window}`,
  worker_gone: (window) => `told for ${window}`,
};
const SILENCES = [['1h', 'an hour'], ['8h', '8 hours'], ['1d', 'a day'], ['7d', 'a week']];
const STATES = [['', 'all'], ['open', 'open'], ['resolved', 'resolved']];

/** Open alerts that are counted by rule. */
const MOST_OPEN = 200;

class AlertsPage extends Page {
  heading() {
    return 'Alerts';
  }

  staysLive() {
    return !this.place.query.has('cursor'); // a later page stands still
  }

  async load(signal) {
    const { query } = this.place;
    const [rules, open, alerts] = await Promise.all([
      get('alert-rules', {}, signal),
      get('alerts', { state: 'open', limit: MOST_OPEN }, signal),
      get('alerts', { rule: query.get('rule') ?? undefined, state: query.get('state') ?? undefined, cursor: query.get('cursor') ?? undefined }, signal),
    ]);
    return { rules: rules.data, lookedAt: rules.lookedAt, channels: rules.channels, open: open.data, alerts: alerts.data, nextCursor: alerts.nextCursor };
  }

  view({ rules, lookedAt, channels, open, alerts, nextCursor }) {
    const { query } = this.place;
    const rule = query.get('rule') ?? undefined;
    const mayAct = this.session?.role !== 'viewer';
    return html`<p class="faint">${lookedAt === undefined
        ? 'No process looks at the rules: deploy an AlertVerticle.'
        : html`The rules were looked at ${time(lookedAt)}; ${channels.length === 0 ? 'no channel is configured, so nobody is told.' : html`told over ${channels.map((channel) => html`<span class="tag">${text(channel, 40)}</span> ${mayAct ? html`<button class="quiet small" @click=${() => this.test(channel)}>Test …<span class="hidden"> channel ${plain(channel, 40)}</span></button>` : nothing} `)}`}`}</p>
      <section class="panel"><h2>Rules</h2>${rules.length === 0 ? empty('There is no rule.', 'A rule looks for a failure rate, what waits too long, dead letters, workers that are gone or schedules that are late.')
        : table('Rules', ['Rule', 'When', 'Of', 'Tells', 'State', 'Changed', actionsHead], repeat(rules, (each) => each.id, (each) => this.rule(each, open, channels, mayAct)))}
        ${mayAct ? html`<p class="buttons start"><button class="primary" @click=${() => this.change(undefined, channels)}>New rule …</button></p>` : nothing}</section>
      <div class="bar-head"><h2>${rule === undefined ? 'What they found' : html`What ${text(rule, 80)} found`}</h2>
        <span class="chips" role="group" aria-label="State">${STATES.map(([state, title]) => html`<a class="chip" href="/alerts${queryText({ rule, state })}" aria-current=${(query.get('state') ?? '') === state}>${title}</a>`)}
        ${rule === undefined ? nothing : html`<a class="chip" href="/alerts" aria-current="true">rule ${text(rule, 60)} ✕</a>`}</span></div>
      ${alerts.length === 0 ? empty(rules.length === 0 ? 'There are no rules yet that could find something.' : 'Nothing was found.') : table('Alerts', ['State', 'What', 'About', 'Rule', 'Opened', 'Resolved', right('Still to be told')], repeat(alerts, (alert) => alert.id, (alert) => html`<tr>
        <td><span class="badge ${alert.state === 'open' ? 'failed' : 'succeeded'}">${alert.state === 'open' ? '✕ open' : '✓ resolved'}</span></td><td class="long">${sentence(alert.text, 500)}</td><td>${text(alert.subject, 120)}</td>
        <td><a href="/alerts${queryText({ rule: alert.ruleId })}">${text(alert.ruleId, 80)}</a></td><td>${time(alert.openedAt)}</td><td>${time(alert.resolvedAt)}</td><td class="number">${alert.untold}</td></tr>`))}
      ${nextCursor ? html`<p class="pager"><a href="/alerts${queryText({ rule, state: query.get('state') ?? undefined, cursor: nextCursor })}" rel="next">Next</a></p>` : nothing}`;
  }

  /** The test stands among what was found, still to be told until the channel took it. */
  test(channel) {
    ask({
      title: html`Test channel ${text(channel, 80)}?`, effect: 'Whoever it reaches is told of an alert that says it is a test. It stands below, still to be told until the channel took it.', verb: 'Send test',
      act: async (form) => {
        await post(path`alert-channels/${channel}/test`, { reason: form.get('reason') });
        this.reload();
      },
    });
  }

  rule(rule, alerts, channels, mayAct) {
    const isSilent = rule.isSilent ?? Date.parse(rule.silencedUntil) > serverNow(); // as of a console that says no more
    const open = alerts.filter((alert) => alert.ruleId === rule.id).length;
    return html`<tr><td><a href="/alerts${queryText({ rule: rule.id })}">${text(rule.id, 80)}</a></td>
      <td class="list">${KINDS[rule.kind]?.[3](rule.threshold) ?? words(rule.kind)}${WINDOWS[rule.kind] === undefined ? nothing : html` <span class="faint">${WINDOWS[rule.kind](spokenDuration(rule.window))}</span>`}</td>
      <td>${text([rule.queue, rule.taskId].filter(Boolean).join(' · ') || 'all', 100)}</td><td>${rule.channels.length === 0 ? html`<span class="faint">nobody</span>` : text(rule.channels.join(', '), 100)}</td>
      <td>${!rule.enabled ? html`<span class="badge">off</span>` : open > 0 ? html`<span class="badge failed">✕ ${counted(open, 'open alert')}</span>` : html`<span class="badge succeeded">✓ quiet</span>`}
        ${isSilent ? html`<span class="badge released">silent</span> until ${time(rule.silencedUntil)}` : nothing}</td>
      <td>${time(rule.changedAt)} <span class="faint">${text(rule.actor.id ?? '', 40)}</span></td>
      <td>${mayAct ? html`<span class="together wraps"><button @click=${() => this.change(rule, channels)}>Change …</button>
        <button @click=${() => this.silence(rule, isSilent)}>${isSilent ? 'Speak again …' : 'Silence …'}</button> <button class="danger" @click=${() => this.drop(rule)}>Remove …</button></span>` : nothing}</td></tr>`;
  }

  change(rule, channels) {
    const known = [...new Set([...channels, ...(rule?.channels ?? [])])];
    ask({
      title: rule === undefined ? 'New rule' : html`Change rule ${text(rule.id, 80)}`,
      effect: 'It is looked at by the processes that have an AlertVerticle. What is wrong opens an alert, once for each queue, task or process; it is resolved when it is over.',
      verb: rule === undefined ? 'Make rule' : 'Change rule',
      fields: html`${rule === undefined ? html`<label>Name<input name="id" required maxlength="128" autofocus></label>` : nothing}
        <label>Kind<select name="kind">${Object.entries(KINDS).map(([kind, [title, meaning]]) => html`<option value=${kind} ?selected=${kind === rule?.kind}>${title}: ${meaning.toLowerCase()}</option>`)}</select></label>
        <label>Threshold<input name="threshold" type="number" step="any" min="0" required .value=${rule === undefined ? '' : String(rule.threshold)}></label>
        <div class="filters"><label>Window, of a rate, or for which a worker stays gone<input name="window" placeholder="5m" maxlength="40" .value=${rule?.window ?? ''}></label>
          <label>Queue<input name="queue" placeholder="all" maxlength="512" .value=${rule?.queue ?? ''}></label><label>Task<input name="taskId" placeholder="all" maxlength="512" .value=${rule?.taskId ?? ''}></label></div>
        ${known.length === 0 ? nothing : html`<fieldset><legend>Tells</legend>${known.map((channel) => html`<label class="check"><input type="checkbox" name="channel" value=${channel} ?checked=${rule?.channels.includes(channel) ?? true}> ${text(channel, 60)}</label>`)}</fieldset>`}
        <label class="check"><input type="checkbox" name="enabled" ?checked=${rule?.enabled ?? true}> On</label>`,
      act: async (form) => {
        const said = (name) => (form.get(name) === '' ? undefined : form.get(name));
        await put(path`alert-rules/${rule?.id ?? String(form.get('id')).trim()}`, {
          reason: form.get('reason'), version: rule?.version ?? 0, kind: form.get('kind'), threshold: Number(form.get('threshold')), window: said('window'), queue: said('queue'),
          taskId: said('taskId'), channels: form.getAll('channel'), enabled: form.get('enabled') !== null, silencedUntil: rule?.silencedUntil,
        });
        this.reload();
      },
    });
  }

  silence(rule, isSilent) {
    ask({
      title: isSilent ? html`Let rule ${text(rule.id, 80)} speak again?` : html`Silence rule ${text(rule.id, 80)}?`,
      effect: isSilent ? 'Its channels are told again from now on, also of what was held meanwhile.'
        : 'Nobody is told of what it finds until then. Alerts open and are resolved all the same; what is to be told of them is held.',
      verb: isSilent ? 'Speak again' : 'Silence',
      fields: isSilent ? nothing : html`<label>For<select name="length">${SILENCES.map(([length, title]) => html`<option value=${length}>${title}</option>`)}</select></label>`,
      act: async (form) => {
        await post(path`alert-rules/${rule.id}/silence`, { reason: form.get('reason'), for: isSilent ? undefined : form.get('length') });
        this.reload();
      },
    });
  }

  drop(rule) {
    ask({
      title: html`Remove rule ${text(rule.id, 80)}?`, effect: 'What it opened is resolved with the next look. Its alerts stay listed for 30 days.', verb: 'Remove rule', isDangerous: true,
      act: async (form) => {
        await post(path`alert-rules/${rule.id}/remove`, { reason: form.get('reason') });
        this.reload();
      },
    });
  }
}

customElements.define('rl-alerts-page', AlertsPage);
