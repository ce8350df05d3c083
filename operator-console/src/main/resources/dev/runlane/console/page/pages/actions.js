/** What operators did. */
import { html, nothing } from '../lib/html.js';
import { get, queryText } from '../lib/api.js';
import { empty, table, text, time } from '../lib/elements.js';
import { Page } from './page.js';

class ActionsPage extends Page {
  heading() {
    return 'Action log';
  }

  load(signal) {
    return get('actions', { cursor: this.place.query.get('cursor') ?? undefined }, signal);
  }

  view({ data, nextCursor }) {
    return html`${data.length === 0 ? empty('Nobody has acted yet.')
      : table('Actions', ['When', 'Who', 'What', 'To what', 'Why', 'Result'], data.map((action) => html`<tr><td>${time(action.at)}</td>
          <td>${text(action.actor.id ?? action.actor.type, 80)}</td><td class="mono">${text(action.action, 80)}</td><td class="mono">${text(action.target ?? '', 80)}</td>
          <td class="long">${text(action.reason ?? '')}</td><td>${result(action)}</td></tr>`))}
      ${nextCursor ? html`<p class="pager"><a href="/actions${queryText({ cursor: nextCursor })}" rel="next">Next</a></p>` : nothing}`;
  }
}

function result(action) {
  if (action.succeeded === undefined) {
    return html`<span class="faint">under way, or its process was lost</span>`;
  }
  return html`<span class="badge ${action.succeeded ? 'succeeded' : 'failed'}">${action.succeeded ? '✓' : '✕'} ${text(action.result ?? 'done', 120)}</span>`;
}

customElements.define('rl-actions-page', ActionsPage);
