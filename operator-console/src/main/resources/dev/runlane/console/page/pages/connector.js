/** One connection: its schedule, streams with their cursors, grants and runs. */
import { html, nothing } from '../lib/html.js';
import { get, getText, path, post, put, queryText, remove } from '../lib/api.js';
import { ask } from '../lib/dialog.js';
import { actionsHead, empty, json, right, table, text, time } from '../lib/elements.js';
import { count, duration, minutesText, plain, secondsOf, words } from '../lib/format.js';
import { member } from '../lib/json-source.js';
import { asksBadge, connectorRunLink, every, KINDS, orNone, readActive, runBadge } from '../connector/parts.js';
import { runNow } from '../connector/run-now.js';
import { repeat } from '../lib/rows.js';
import { Page } from './page.js';

const PAUSE_MILLIS = 3_000;
const PAGE = 25;
const STATUSES = ['succeeded', 'failed', 'cancelled', 'skipped'];

class ConnectorPage extends Page {
  heading() {
    return html`<span class="faint">Connector</span> <bdi>${plain(this.data?.connector.display_name ?? this.id(), 120)}</bdi>`;
  }

  id() {
    return this.place.parts[1];
  }

  longestPause() {
    return PAUSE_MILLIS;
  }

  concerns() {
    return false;
  }

  async load(signal) {
    const id = this.id();
    const query = this.place.query;
    const [connector, state, grants, active, runs] = await Promise.all([
      get(path`/_ref/connectors/${id}`, {}, signal), getText(path`/_ref/connectors/${id}/state`, {}, signal), get(path`/_ref/connectors/${id}/grants`, {}, signal),
      readActive(signal, id), get('/_ref/runs', { connector_id: id, status: query.get('status') ?? undefined, cursor: query.get('cursor') ?? undefined, limit: PAGE }, signal),
    ]);
    return { connector, state, grants: grants.data, active: active[0], runs };
  }

  mayAct() {
    return this.session?.role !== 'viewer';
  }

  view({ connector, state, grants, active, runs }) {
    return html`<p class="summary">${active?.pending_interaction_id ? asksBadge : active ? runBadge('active') : connector.runnable ? nothing : html`<span class="badge">cannot run: it is described, but has no program here</span>`}
        <span class="mono">${text(connector.connector_id, 120)}</span> <span class="faint">· version</span> ${text(connector.version, 40)}
        ${active ? html`<span class="faint">·</span> ${connectorRunLink(connector.connector_id, active.run_id)}` : nothing}</p>
      ${active?.pending_interaction_id ? html`<div class="notice wait" role="status"><strong>Its run waits for your answer.</strong> <a href="/connectors/${encodeURIComponent(connector.connector_id)}/${encodeURIComponent(active.run_id)}">Answer it</a></div>` : nothing}
      ${this.mayAct() && connector.runnable && !active ? html`<p class="buttons start"><button class="primary" @click=${() => this.attempt(() => runNow(this, connector.connector_id))}>Run now …</button></p>` : nothing}
      <section class="panel"><h2>Runs</h2>${this.runs(runs, connector)}</section>
      <div class="columns">${this.schedule(connector.schedule, connector)} ${about(connector)}</div>
      <section class="panel"><h2>Streams</h2>${this.streams(connector, state, active)}</section>
      ${grants.length === 0 ? nothing : html`<section class="panel"><h2>Grants</h2>${this.grants(grants)}</section>`}
      <details><summary>The manifest</summary>${json('Manifest', JSON.stringify(connector.manifest, null, 2))}</details>`;
  }

  runs({ data, next_cursor: next }, connector) {
    const status = this.place.query.get('status');
    const here = `/connectors/${encodeURIComponent(connector.connector_id)}`;
    const chip = (name, value) => html`<a class="chip" aria-current=${value === status} href="${here}${queryText({ status: value ?? undefined })}">${name}</a>`;
    return html`<div class="chips" role="group" aria-label="Status">${chip('all', null)}${STATUSES.map((each) => chip(each, each))}</div>
      ${data.length === 0 ? empty(status === null ? 'It has never run.' : 'No run is like this.') : table('Runs', ['Run', 'Status', 'Began', right('Took'), right('Records'), right('Gaps'), 'Made by', 'Why it ended'], repeat(data, (run) => run.run_id ?? run, (run) => html`<tr>
        <td>${run.run_id ? connectorRunLink(run.connector_id, run.run_id) : html`<span class="faint">not begun</span>`}</td>
        <td>${runBadge(run.status)} ${run.pending_interaction_id ? asksBadge : nothing}</td><td>${time(run.started_at)}</td>
        <td class="number">${run.completed_at ? duration(Date.parse(run.completed_at) - Date.parse(run.started_at)) : '–'}</td>
        <td class="number">${run.records_emitted === undefined ? '–' : count(run.records_emitted)}</td>
        <td class="number">${run.known_gaps?.length > 0 ? html`<span class="bad-text">${count(run.known_gaps.length)}</span>` : run.known_gaps ? '0' : '–'}</td>
        <td>${words(run.trigger_kind)}${run.attempt > 1 ? html` <small>attempt ${run.attempt}</small>` : nothing}</td>
        <td class="long">${run.terminal_reason ?? run.failure_reason ? html`<span class=${run.status === 'failed' ? 'bad-text' : ''}>${words(run.terminal_reason ?? run.failure_reason)}</span> ${text(run.error ?? '', 200)}` : nothing}</td></tr>`))}
      ${!this.place.query.has('cursor') && !next ? nothing : html`<p class="pager">${this.place.query.has('cursor') ? html`<a href="${here}${queryText({ status: status ?? undefined })}">First page</a>` : nothing}
        ${next ? html`<a rel="next" href="${here}${queryText({ status: status ?? undefined, cursor: next })}">Next ${PAGE}</a>` : nothing}</p>`}`;
  }

  schedule(schedule, connector) {
    const policy = connector.refresh_policy;
    return html`<section class="panel"><h2>Schedule ${schedule === null ? nothing : html`<span class="badge ${schedule.effective_mode === 'automatic' ? 'succeeded' : 'released'}">${words(schedule.effective_mode)}</span>`}</h2>
      ${schedule === null ? html`<p>It runs when you start it.</p>` : html`<p>${text(schedule.automation_summary, 300)}</p>
        ${schedule.human_attention_needed ? html`<p class="notice bad">Only a person brings it on: start a run, and answer what it asks.</p>` : nothing}
        ${schedule.minimum_interval_warning ? html`<p class="notice">${text(schedule.minimum_interval_warning, 300)}</p>` : nothing}
        <dl class="facts"><dt>Runs</dt><dd>${every(schedule.interval_seconds)}${schedule.jitter_seconds > 0 ? html`, up to ${duration(schedule.jitter_seconds * 1_000)} later` : nothing}</dd>
          <dt>Next due</dt><dd>${time(orNone(schedule.next_due_at))}</dd><dt>Last success</dt><dd>${time(orNone(schedule.last_successful_at))}</dd>
          ${schedule.last_error_code ? html`<dt>Last error</dt><dd class="bad-text">${words(schedule.last_error_code)}</dd>` : nothing}
          ${schedule.scheduler_backoff.consecutive_failures > 0 ? html`<dt>Failures in a row</dt><dd>${count(schedule.scheduler_backoff.consecutive_failures)}${schedule.scheduler_backoff.backoff_applied ? ', so it waits longer each time' : ''}</dd>` : nothing}
          ${schedule.grant_id ? html`<dt>Grant</dt><dd class="mono">${text(schedule.grant_id, 80)}</dd>` : nothing}</dl>`}
      ${policy ? html`<p class="faint">The connector recommends ${words(policy.recommended_mode)} runs${policy.recommended_interval_seconds ? ` ${every(policy.recommended_interval_seconds)}` : ''}: ${text(policy.rationale, 300)}</p>` : nothing}
      ${this.mayAct() ? html`<p class="buttons start"><button @click=${() => this.plan(schedule, policy)}>${schedule === null ? 'Make a schedule …' : 'Change …'}</button>
        ${schedule === null ? nothing : html`<button @click=${() => this.turn(schedule)}>${schedule.enabled ? 'Pause …' : 'Resume …'}</button>
          <button class="danger" @click=${() => this.unplan()}>Remove …</button>`}</p>` : nothing}</section>`;
  }

  plan(schedule, policy) {
    const interval = schedule?.interval_seconds ?? policy?.recommended_interval_seconds ?? 3_600;
    const jitter = schedule?.jitter_seconds ?? 0;
    ask({
      title: schedule === null ? 'Make a schedule?' : 'Change the schedule?', effect: 'The connector runs by itself, so long after its last run ended.', verb: 'Keep schedule', wantsReason: false,
      fields: html`<label>Interval, in minutes<input name="interval" type="number" min="0.01" step="any" required autofocus .value=${minutesText(interval)}></label>
        <label>Jitter, in minutes <span class="faint">each run is due up to so much later</span><input name="jitter" type="number" min="0" step="any" required .value=${minutesText(jitter)}></label>`,
      act: async (form) => {
        await put(path`/_ref/connectors/${this.id()}/schedule`, { interval_seconds: secondsOf(form.get('interval'), interval), jitter_seconds: secondsOf(form.get('jitter'), jitter), enabled: schedule?.enabled ?? true });
        this.reload();
      },
    });
  }

  turn(schedule) {
    ask({
      title: schedule.enabled ? 'Pause the schedule?' : 'Resume the schedule?', wantsReason: false, verb: schedule.enabled ? 'Pause schedule' : 'Resume schedule',
      effect: schedule.enabled ? 'No run begins by itself any more; one that is active goes on.' : 'Runs begin by themselves again, the first when it is due.',
      act: async () => {
        await post(`${path`/_ref/connectors/${this.id()}/schedule`}/${schedule.enabled ? 'pause' : 'resume'}`, {});
        this.reload();
      },
    });
  }

  unplan() {
    ask({
      title: 'Remove the schedule?', effect: 'The connector runs only when you start it. A run that is active goes on.', verb: 'Remove schedule', isDangerous: true, wantsReason: false,
      act: async () => {
        await remove(path`/_ref/connectors/${this.id()}/schedule`, {});
        this.reload();
      },
    });
  }

  streams(connector, /** @type {string} */ written, active) {
    const { streams } = JSON.parse(written);
    const state = member(written, 'state') ?? '{}';
    return table('Streams', ['Stream', 'Kind and key', 'Goes on from', 'Since', right('Records'), actionsHead], connector.manifest.streams.map((stream) => {
      const facts = streams[stream.name];
      const cursor = member(state, stream.name);
      return html`<tr><td>${text(stream.name, 80)}</td><td>${words(stream.semantics === 'append' ? 'append_only' : stream.semantics ?? '')}<small class="below">${text([stream.primary_key ?? []].flat().join(', '), 80)}</small></td>
        <td class="long mono">${cursor === undefined ? html`<span class="faint">the beginning</span>` : text(cursor, 200)}</td>
        <td>${facts?.run_id ? html`${time(orNone(facts.updated_at))}<small class="below"><a href="/connectors/${encodeURIComponent(connector.connector_id)}/${encodeURIComponent(facts.run_id)}" title=${plain(facts.run_id, 120)}>the run</a></small>` : time(orNone(facts?.updated_at))}</td>
        <td class="number">${facts?.records_accepted === undefined || facts.records_accepted === null ? '–' : count(facts.records_accepted)}</td>
        <td>${this.mayAct() && !active && connector.runnable ? html`<span class="together"><button @click=${() => this.refresh(stream.name)}>Read all again …</button>
          ${cursor === undefined ? nothing : html`<button @click=${() => this.forget(stream.name)}>Forget …</button>`}</span>` : nothing}</td></tr>`;
    }));
  }

  refresh(stream) {
    ask({
      title: html`Read stream ${text(stream, 80)} from its beginning?`, effect: 'A run of this stream alone begins at once. Where it goes on from stays as it is until that run succeeds; the other streams are not touched.', verb: 'Read all again', wantsReason: false,
      act: async () => {
        const { run_id: run } = await post(path`/_ref/connectors/${this.id()}/streams/${stream}/full-refresh`, {});
        return `/connectors/${encodeURIComponent(this.id())}/${encodeURIComponent(run)}`;
      },
    });
  }

  forget(stream) {
    ask({
      title: html`Forget where stream ${text(stream, 80)} goes on from?`, effect: 'Its next run reads it from its beginning. What was collected stays.', verb: 'Forget', isDangerous: true, wantsReason: false,
      act: async () => {
        await remove(path`/_ref/connectors/${this.id()}/state/${stream}`, {});
        this.reload();
      },
    });
  }

  grants(grants) {
    return table('Grants', ['Grant', 'State', 'May be used', 'Ends', actionsHead], grants.map((grant) => html`<tr><td class="mono">${text(grant.grant_id, 100)}</td>
      <td><span class="badge ${grant.refused_with === null ? 'succeeded' : ''}">${grant.refused_with === 'grant_expired' ? 'expired' : words(grant.state)}</span></td><td>${words(grant.access_mode)}</td><td>${grant.expires_at === null ? 'never' : time(grant.expires_at)}</td>
      <td>${this.mayAct() && grant.refused_with === null ? html`<button class="danger" @click=${() => this.revoke(grant)}>Take back …</button>` : nothing}</td></tr>`));
  }

  revoke(grant) {
    ask({
      title: html`Take back grant ${text(grant.grant_id, 80)}?`, effect: 'Whatever runs under it still send is refused from now on. It cannot be given back; a new grant can be made.', verb: 'Take back', isDangerous: true, wantsReason: false,
      act: async () => {
        await post(path`/_ref/connectors/${this.id()}/grants/${grant.grant_id}/revoke`, {});
        this.reload();
      },
    });
  }
}

function about({ manifest, fingerprint, total_runs: total, last_successful_at: last, active_manifest: chosen }) {
  const bindings = Object.entries(manifest.runtime_requirements?.bindings ?? {}).map(([name, { required }]) => `${name}${required ? '' : ' (if there is one)'}`);
  const kinds = manifest.capabilities?.human_interaction ?? [];
  return html`<section class="panel"><h2>About</h2><dl class="facts"><dt>Runs that ended</dt><dd>${count(total)}</dd><dt>Last success</dt><dd>${time(orNone(last))}</dd>
    <dt>May ask for</dt><dd>${kinds.length === 0 ? 'nothing' : text(kinds.map((kind) => KINDS[kind] ?? words(kind)).join(', '), 200)}</dd><dt>Needs</dt><dd>${bindings.length === 0 ? 'nothing' : text(bindings.join(', '), 200)}</dd>
    <dt>Manifest</dt><dd>${chosen ? html`version ${text(chosen.version, 40)} is in use since ${time(chosen.activated_at)}` : 'none was chosen: the one that can run is used'} <small class="below mono">${text(fingerprint.slice(0, 16), 20)}</small></dd></dl></section>`;
}

customElements.define('rl-connector-page', ConnectorPage);
