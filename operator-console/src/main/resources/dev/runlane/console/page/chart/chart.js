/** A chart over time: drawn by uPlot, read aloud as a table, zero-based, with gaps where there is no number. */
import { plotLibrary } from '../libraries.js';
import { html, nothing, render } from '../lib/html.js';
import { times } from '../lib/elements.js';
import { clockAmong, clockOf, dayOf, isOfOneZone, plain, zoneName } from '../lib/format.js';
import { alone } from './series.js';

/** Height of what is drawn, in pixels. */
const HEIGHT = 168;
const COLOURS = 6;
/** Seconds between two times on the axis: whole minutes, up to a month. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 10_080, 43_200].map((minutes) => minutes * 60);
/** Milliseconds between two lengths of time on the axis, and numbers between two counts. */
const LENGTHS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 216e5, 432e5, 864e5, 1728e5, 6048e5];
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7];
const PARTS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
/** Pixels of a letter on the axis, and around its longest text. */
const LETTER = 6.2;
const AROUND = 16;
/** A chart is fed anew every few seconds; what was read aloud once need not be told again. */
const MOST_ROWS_READ = 60;

/**
 * @typedef {{name: string, values: (number | null)[], colour?: number, isDashed?: boolean, isBad?: boolean, isBars?: boolean, isStepped?: boolean}} Line
 * @typedef {{title: string, note?: unknown, times: number[], lines: Line[], format: (value: number) => string,
 *   choose?: (from: number, until: number) => void, empty?: string, isTime?: boolean}} Drawing
 */

/** What draws, read when there is something to draw. @type {any} */
let UPlot;
let reading = /** @type {Promise<void> | undefined} */ (undefined);

class Chart extends HTMLElement {
  /** @type {Drawing | undefined} */ #drawing = undefined;
  /** @type {any} */ #plot = undefined;
  #shape = '';
  #size = new ResizeObserver(() => this.#resize());
  #theme = matchMedia('(prefers-color-scheme: dark)');
  #at = /** @type {number | null} */ (null);
  #isTable = false;
  /** Whether what draws could not be read when it was needed last. */
  #isUnread = false;
  #repaint = () => {
    this.#shape = '';
    this.#draw();
  };

  /** @param {Drawing} drawing */
  set drawing(drawing) {
    this.#drawing = drawing;
    if (this.isConnected) {
      this.#draw();
    }
  }

  connectedCallback() {
    this.#size.observe(this);
    this.#theme.addEventListener('change', this.#repaint);
    this.#draw();
  }

  disconnectedCallback() {
    this.#size.disconnect();
    this.#theme.removeEventListener('change', this.#repaint);
    this.#plot?.destroy();
    this.#plot = undefined;
    this.#shape = '';
  }

  #draw() {
    const drawing = this.#drawing;
    if (drawing === undefined) {
      return;
    }
    const isEmpty = drawing.lines.length === 0 || drawing.times.length === 0;
    this.#frame();
    if (isEmpty) {
      this.#plot?.destroy();
      this.#plot = undefined;
      this.#shape = '';
      return;
    }
    if (UPlot === undefined) {
      reading ??= plotLibrary().then((library) => { UPlot = library; });
      reading.then(() => this.isConnected && this.#draw(), () => {
        reading = undefined; // the next answer tries again
        this.#isUnread = true;
        this.#frame();
      });
      return;
    }
    if (this.#isUnread) {
      this.#isUnread = false;
      this.#frame();
    }
    const data = [drawing.times, ...drawing.lines.map((line) => line.values)];
    const shape = JSON.stringify([isUtc(), drawing.lines.map(({ values, ...look }) => look)]);
    if (shape === this.#shape && this.#plot !== undefined) {
      this.#plot.setData(data);
      return;
    }
    this.#plot?.destroy();
    this.#shape = shape;
    const place = /** @type {HTMLElement} */ (this.querySelector('.plot'));
    this.#plot = new UPlot(this.#options(drawing, place), data, place);
  }

  #frame() {
    const drawing = /** @type {Drawing} */ (this.#drawing);
    const isEmpty = drawing.lines.length === 0 || drawing.times.length === 0;
    render(html`<figure><figcaption><h3>${drawing.title}</h3> <span class="faint">${drawing.note ?? nothing}</span>
        ${isEmpty ? nothing : html`<button class="quiet small" aria-pressed=${this.#isTable} @click=${() => this.#toggleTable()}>Table<span class="hidden"> of ${drawing.title}</span></button>`}</figcaption>
      ${isEmpty ? html`<p class="empty faint">${drawing.empty ?? 'Nothing was counted in this time.'}</p>` : nothing}
      ${!isEmpty && this.#isUnread ? html`<p class="empty faint" role="status">What draws charts could not be read. The console may be another release by now: reload it.</p>` : nothing}
      <div class="plot" role="img" aria-label="${drawing.title}: ${isEmpty ? 'nothing' : summary(drawing)}" ?hidden=${isEmpty || this.#isTable}></div>
      ${isEmpty ? nothing : this.#isTable ? asTable(drawing) : this.#legend(drawing)}</figure>`, this);
  }

  #toggleTable() {
    this.#isTable = !this.#isTable;
    this.#frame();
    this.#resize();
  }

  #legend(drawing) {
    const at = this.#at;
    return html`<p class="legend"><span class="when number">${at === null ? 'latest' : clock(drawing, at)}</span>
      ${drawing.lines.map((line, place) => html`<span class="key"><span class="swatch c${colourOf(line, place)} ${line.isDashed ? 'dashed' : ''} ${line.isBad ? 'bad' : ''}" aria-hidden="true"></span>
        <bdi>${plain(line.name, 40)}</bdi> <strong class="number">${told(at === null ? last(line.values) : line.values[at], drawing.format)}</strong></span>`)}</p>`;
  }

  #options(drawing, place) {
    const style = getComputedStyle(this);
    const colour = (name) => style.getPropertyValue(name).trim();
    const axis = { stroke: colour('--faint'), font: '11px system-ui, sans-serif', grid: { stroke: colour('--grid'), width: 1 }, ticks: { show: false } };
    return {
      width: Math.max(120, place.clientWidth),
      height: HEIGHT,
      ...(isUtc() ? { tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') } : {}),
      legend: { show: false },
      padding: [8, 18, 0, 0],
      cursor: { y: false, points: { size: 6 }, drag: { x: drawing.choose !== undefined, y: false } },
      select: { show: drawing.choose !== undefined },
      scales: { x: { time: true }, y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.08 : 1] } },
      axes: [{ ...axis, space: 60, size: 26, incrs: STEPS, values: (_plot, splits) => splits.map((split, place) => timeOnAxis(split, splits[place - 1])) }, {
        ...axis, space: 34, size: (_plot, texts) => AROUND + LETTER * Math.max(2, ...(texts ?? []).map((text) => text.length)),
        values: (_plot, splits) => splits.map((split) => (split === 0 ? '0' : drawing.format(split))),
        incrs: () => (drawing.isTime ? LENGTHS : isWhole(this.#drawing) ? WHOLE : [...PARTS, ...WHOLE]),
      }],
      series: [{}, ...drawing.lines.map((line, number) => {
        const stroke = line.isBad ? colour('--chart-bad') : colour(`--chart-${colourOf(line, number)}`);
        const many = drawing.times.length > 1;
        return {
          label: line.name, stroke, width: line.isDashed ? 1.2 : 1.8, spanGaps: false, points: line.isBars && many ? { show: false } : { show: true, size: 4, filter: (plot, of) => alone(plot.data[of]) },
          ...(line.isDashed ? { dash: [4, 3] } : {}),
          ...(line.isStepped ? { paths: UPlot.paths.stepped({ align: 1 }) } : {}),
          ...(line.isBars && many ? { paths: UPlot.paths.bars({ size: [0.7, 24] }), fill: stroke, width: 0 } : {}),
        };
      })],
      hooks: {
        setCursor: [(plot) => this.#moved(plot.cursor.idx ?? null)],
        setSelect: [(plot) => {
          if (plot.select.width > 4 && drawing.choose !== undefined) {
            const from = plot.posToVal(plot.select.left, 'x');
            const until = plot.posToVal(plot.select.left + plot.select.width, 'x');
            plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
            drawing.choose(from * 1_000, until * 1_000);
          }
        }],
      },
    };
  }

  #moved(at) {
    if (at !== this.#at && this.#drawing !== undefined) {
      this.#at = at;
      this.#frame();
    }
  }

  #resize() {
    const place = /** @type {HTMLElement | null} */ (this.querySelector('.plot'));
    if (this.#plot !== undefined && place !== null && place.clientWidth > 0 && this.#plot.width !== place.clientWidth) {
      this.#plot.setSize({ width: place.clientWidth, height: HEIGHT });
    }
  }
}

const isWhole = (/** @type {any} */ drawing) => drawing.lines.every((line) => line.values.every((value) => value === null || Number.isInteger(value)));

const colourOf = (line, place) => (line.colour ?? place) % COLOURS;

const last = (values) => values[values.length - 1] ?? null;

const told = (value, format) => (value === null || value === undefined ? '–' : format(value));

/** As the reader has chosen for all of the page; how long ago an axis cannot say. */
const isUtc = () => times.style === 'utc';

const millis = (/** @type {any} */ drawing) => drawing.times.map((seconds) => seconds * 1_000);

/** The time of a step, with its day where there are several. */
const clock = (drawing, place) => clockAmong(millis(drawing), place, isUtc());

/** The day where a new one begins, else the time of the day. */
const timeOnAxis = (seconds, before) => {
  const [told, day] = [clockOf(seconds * 1_000, isUtc()), dayOf(seconds * 1_000, isUtc())];
  return before === undefined ? (told === '00:00' ? day : told) : dayOf(before * 1_000, isUtc()) === day ? told : day;
};

function summary(drawing) {
  return drawing.lines.map((line) => {
    const known = line.values.filter((value) => value !== null);
    return `${plain(line.name, 40)} ${known.length === 0 ? 'without numbers' : `from ${drawing.format(Math.min(...known))} to ${drawing.format(Math.max(...known))}, at last ${told(last(line.values), drawing.format)}`}`;
  }).join('; ');
}

function asTable(drawing) {
  const from = Math.max(0, drawing.times.length - MOST_ROWS_READ);
  return html`<div class="scroll chart-table" tabindex="0" role="region" aria-label="${drawing.title}, as a table"><table>
    <thead><tr><th scope="col">Time${isOfOneZone(millis(drawing), isUtc()) ? `, ${zoneName(millis(drawing)[0], isUtc())}` : ''}</th>${drawing.lines.map((line) => html`<th scope="col" class="number">${plain(line.name, 40)}</th>`)}</tr></thead>
    <tbody>${drawing.times.slice(from).map((_time, place) => html`<tr><td class="number">${clock(drawing, from + place)}</td>${drawing.lines.map((line) => html`
      <td class="number">${told(line.values[from + place], drawing.format)}</td>`)}</tr>`).reverse()}</tbody></table></div>`;
}

customElements.define('rl-chart', Chart);

/** @param {Drawing} drawing */
export const chart = (drawing) => html`<rl-chart .drawing=${drawing}></rl-chart>`;
