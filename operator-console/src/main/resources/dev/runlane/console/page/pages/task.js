/** One task: its schedules in both zones, and a form that triggers a run. */
import { html, nothing } from '../lib/html.js';
import { get, path, post } from '../lib/api.js';
import { empty, failed, json, table, text } from '../lib/elements.js';
import { local, plain, relative } from '../lib/format.js';
import { go } from '../lib/location.js';
import { Page } from './page.js';

class TaskPage extends Page {
  #refused = undefined;

  heading() {
    return html`<span class="faint">Task</span> <bdi>${plain(this.place.parts[1], 120)}</bdi>`;
  }

  staysLive() {
    return false; // a form is being filled in
  }

  load(signal) {
    return get(path`tasks/${this.place.parts[1]}`, {}, signal);
  }

  view(task) {
    return html`<p><a href="/runs?task=${encodeURIComponent(task.id)}">Runs of this task</a> ·
        <a href="/runs?task=${encodeURIComponent(task.id)}&status=failed">those that failed</a></p>
      ${this.session?.role === 'viewer' ? nothing : this.form(task)}
      <section class="panel"><h2>Schedules</h2>${task.schedules.length === 0 ? empty('It has no schedule.') : task.schedules.map(schedule)}</section>
      ${task.payloadSchema === undefined ? nothing : json('JSON Schema of the payload', task.payloadSchema)}`;
  }

  form(task) {
    const properties = simpleProperties(task.payloadSchema);
    return html`<section class="panel"><h2>Trigger a run</h2><form class="stack" @submit=${(submit) => this.trigger(submit, task)}>
      ${properties.length > 0
        ? properties.map(([name, property]) => propertyField(name, property, task.payloadSchema.required?.includes(name)))
        : html`<label>Payload, as JSON <span class="faint">${text(task.payloadType ?? '', 120)}</span>
          <textarea name="payload" class="mono" rows="6" spellcheck="false">{}</textarea></label>`}
      <div class="filters"><label>Idempotency key<input name="idempotencyKey" maxlength="512"></label>
        <label>Concurrency key<input name="concurrencyKey" maxlength="512"></label>
        <label>Delay<input name="delay" placeholder="at once, or 30s" maxlength="40"></label>
        <label>Reason<input name="reason" maxlength="2000"></label></div>
      ${this.#refused === undefined ? nothing : failed(this.#refused)}
      <p class="buttons start"><button class="primary">Trigger</button></p></form></section>`;
  }

  async trigger(submit, task) {
    submit.preventDefault();
    const form = new FormData(submit.target);
    try {
      const body = { payload: payloadOf(form, task.payloadSchema) };
      for (const name of ['idempotencyKey', 'concurrencyKey', 'delay', 'reason']) {
        if (form.get(name) !== '') {
          body[name] = form.get(name);
        }
      }
      const { run } = await post(path`tasks/${task.id}/trigger`, body);
      go(`/runs/${encodeURIComponent(run.id)}`);
    } catch (failure) {
      this.#refused = failure;
      this.draw();
    }
  }
}

/** The properties of an object whose values have each a field of their own; none where one is not that simple. */
function simpleProperties(schema) {
  const properties = Object.entries(schema?.properties ?? {});
  return properties.every(([, property]) => property.enum || ['string', 'number', 'integer', 'boolean'].includes(property.type)) ? properties : [];
}

function propertyField(name, property, isRequired) {
  const label = html`${text(property.title ?? name, 80)}${isRequired ? ' *' : ''} <span class="faint">${text(property.description ?? '', 200)}</span>`;
  if (property.enum) {
    return html`<label>${label}<select name="field.${name}">${isRequired ? nothing : html`<option value=""></option>`}
      ${property.enum.map((value) => html`<option>${plain(value, 80)}</option>`)}</select></label>`;
  }
  if (property.type === 'boolean') {
    return html`<label class="check"><input type="checkbox" name="field.${name}"> ${label}</label>`;
  }
  const isNumber = property.type !== 'string';
  return html`<label>${label}<input name="field.${name}" type=${isNumber ? 'number' : 'text'} step=${property.type === 'integer' ? '1' : 'any'} ?required=${isRequired}></label>`;
}

function payloadOf(form, schema) {
  const properties = simpleProperties(schema);
  if (properties.length === 0) {
    return JSON.parse(String(form.get('payload')));
  }
  const payload = {};
  for (const [name, property] of properties) {
    const value = form.get(`field.${name}`);
    if (property.type === 'boolean') {
      payload[name] = value !== null;
    } else if (value !== '') {
      payload[name] = property.type === 'number' || property.type === 'integer' ? Number(value) : value;
    }
  }
  return payload;
}

const schedule = (each) => html`<h3><bdi>${plain(each.id, 120)}</bdi> <span class="faint">${text(each.fires, 120)}${each.enabled ? '' : ', not enabled'}</span></h3>
  ${table(`Next fires of ${plain(each.id, 60)}`, ['Fires', 'Your time', 'UTC'], each.nextFires.map((fire) => html`<tr><td>${relative(fire, Date.now())}</td>
    <td>${local(fire)}</td><td>${plain(fire.replace('T', ' ').replace('Z', ''))}</td></tr>`))}`;

customElements.define('rl-task-page', TaskPage);
