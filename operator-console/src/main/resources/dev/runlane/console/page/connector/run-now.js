/** Starts a run of a connector, of all it has or of a part. */
import { html, nothing } from '../lib/html.js';
import { get, path, post } from '../lib/api.js';
import { ask } from '../lib/dialog.js';
import { text } from '../lib/elements.js';

/** @param {Element} page that asks @param {string} connector its id */
export async function runNow(page, connector) {
  const { manifest, display_name: name } = await get(path`/_ref/connectors/${connector}`);
  if (!page.isConnected) {
    return;
  }
  ask({
    title: html`Run ${text(name, 80)} now?`, effect: 'A run begins at once. It may ask you for something on its page.', verb: 'Run now', wantsReason: false,
    fields: html`<fieldset><legend>What it collects</legend>${manifest.streams.map(streamFields)}</fieldset>
      <label class="check"><input type="checkbox" name="force"> Even if the source asked to be left alone for a while</label>`,
    act: async (form) => {
      const { run_id: run } = await post(path`/_ref/connectors/${connector}/run`, { scope: scopeOf(form, manifest.streams), force: form.get('force') !== null });
      return `/connectors/${encodeURIComponent(connector)}/${encodeURIComponent(run)}`;
    },
  });
}

const isLeftOut = (stream) => stream.availability?.state === 'unsupported_in_mode';

const streamFields = (stream, place) => html`<div class="stream"><label class="check"><input type="checkbox" name="stream/${place}" .checked=${!isLeftOut(stream)}> ${text(stream.name, 80)}</label>
  <details><summary>Only a part</summary><p>A run of a part of a stream begins without cursors, of all streams it collects, and leaves none: the next whole run goes on as if there had been none.</p><div class="filters">${stream.consent_time_field ? html`<label>From, by ${text(stream.consent_time_field, 40)}<input name="since/${place}" placeholder="2026-01-01" maxlength="40"></label>
    <label>Up to<input name="until/${place}" placeholder="2026-02-01T12:00:00Z" maxlength="40"></label>` : nothing}
    <label>Resources, one a line<textarea name="resources/${place}" rows="2" spellcheck="false"></textarea></label></div></details></div>`;

/**
 * The scope that the form asks for; undefined where it is all, so that the connector's own choice stays.
 * @param {{get: (name: string) => any}} form
 * @param {any[]} streams of the manifest
 */
export function scopeOf(form, streams) {
  const chosen = streams.map((stream, place) => ({ stream, limits: limitsOf(form, place), isIn: form.get(`stream/${place}`) !== null }));
  if (chosen.every(({ stream, limits, isIn }) => isIn !== isLeftOut(stream) && Object.keys(limits).length === 0)) {
    return undefined;
  }
  return { streams: chosen.filter(({ isIn }) => isIn).map(({ stream, limits }) => ({ name: stream.name, ...limits })) };
}

function limitsOf(form, place) {
  const said = (/** @type {string} */ name) => String(form.get(`${name}/${place}`) ?? '').trim();
  const [since, until] = [said('since'), said('until')];
  const resources = said('resources').split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== '');
  return {
    ...(since === '' && until === '' ? {} : { time_range: { ...(since === '' ? {} : { since }), ...(until === '' ? {} : { until }) } }),
    ...(resources.length === 0 ? {} : { resources }),
  };
}
