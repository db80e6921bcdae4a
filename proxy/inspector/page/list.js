// The list of exchanges, as they happen.

import { clock, duration, el } from './dom.js';
import { Rows } from './rows.js';

const most = 10_000;

/** The marks of exchanges, the worst first, as people read them. */
export const marks = {
  failed: 'failed', refused: 'refused', leaked: 'looks like a call', stuck: 'stuck', cut: 'cut', invalid: 'invalid', repaired: 'repaired', no_call: 'no call', slow: 'slow', clean: 'clean',
};

const pause = 200; // milliseconds without a change before texts are searched

export class List {
  /** open is called with the id of an exchange that is opened, and search(text) returns the ids of those that hold a text. */
  constructor({ root, filter, filters, count, newer, empty, open, search }) {
    Object.assign(this, { root, filter, countText: count, newer, empty, search, byID: new Map(), lines: [], shown: [], chosenID: '', only: new Set(), found: new Set(), seen: 0, timer: 0, sifting: 0 });
    this.rows = new Rows(root, {
      name: 'exchange',
      count: () => this.shown.length,
      key: (i) => this.shown[i].id,
      draw: (i, row) => draw(this.shown[i], row, this.byID.get(this.shown[i].continues)),
      chosen: (i) => (this.chosenID = this.shown[i].id),
      open: (i) => this.shown[i].kept && open(this.shown[i].id),
    });
    this.buttons = Object.entries(marks).map(([mark, name]) => {
      const number = el('span');
      const button = el('button', { type: 'button', class: `filter m-${mark}`, 'aria-pressed': 'false' }, `${name} `, number);
      button.addEventListener('click', () => {
        if (!this.only.delete(mark)) this.only.add(mark);
        button.setAttribute('aria-pressed', this.only.has(mark));
        this.sift();
      });
      filters.append(button);
      return { mark, number };
    });
    filter.addEventListener('input', () => {
      this.found.clear();
      this.sift();
      this.searchTexts();
    });
    root.addEventListener('scroll', () => this.tellNewer(root.scrollTop), { passive: true });
    newer.addEventListener('click', () => {
      root.scrollTop = 0;
      root.focus();
    });
  }

  /** Takes over lines, each in place of the one with its id. The list is drawn at the next frame. */
  add(lines) {
    let sorted = true;
    for (const line of lines) {
      const known = this.byID.get(line.id);
      if (known) {
        Object.assign(known, line);
        continue;
      }
      this.byID.set(line.id, line);
      sorted &&= this.lines.length === 0 || this.lines[0].number < line.number;
      if (sorted) this.lines.unshift(line);
      else this.lines.push(line);
    }
    if (!sorted) this.lines.sort((a, b) => b.number - a.number);
    for (const old of this.lines.splice(most)) this.byID.delete(old.id);
    this.sifting ||= requestAnimationFrame(() => { // once for all that came since the last frame
      this.sifting = 0;
      this.sift();
    });
    if (this.filter.value.trim()) this.searchTexts();
  }

  clear() {
    this.byID.clear();
    this.lines = [];
    this.found.clear();
    this.sift();
  }

  /** Has the server search the texts of exchanges, once nothing has changed for a while. */
  searchTexts() {
    clearTimeout(this.timer);
    const text = this.filter.value.trim();
    if (!text) return;
    this.timer = setTimeout(async () => {
      const ids = await this.search(text).catch(() => []);
      if (this.filter.value.trim() !== text) return;
      this.found = new Set(ids);
      this.sift();
    }, pause);
  }

  /** Shows the lines that search and filters let through. The chosen one stays chosen, and the one that is read stays where it is. */
  sift() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let view = this.rows.view(); // once: each look at it behind a change lays the page out again
    const read = this.readLine(view);
    const matching = words.length ? this.lines.filter((l) => this.found.has(l.id) || words.every((w) => searched(l).includes(w))) : [...this.lines];
    this.shown = this.only.size ? matching.filter((l) => this.only.has(l.mark)) : matching;
    const counts = {};
    for (const l of matching) counts[l.mark] = (counts[l.mark] ?? 0) + 1;
    for (const { mark, number } of this.buttons) number.textContent = String(counts[mark] ?? 0);
    this.rows.at = this.chosenID ? this.shown.findIndex((l) => l.id === this.chosenID) : -1;
    this.empty.hidden = this.lines.length > 0;
    this.countText.textContent = words.length || this.only.size ? `${this.shown.length} of ${this.lines.length}` : `${this.lines.length}`;
    const kept = read ? this.shown.indexOf(read.line) : -1;
    if (kept >= 0) view = this.rows.keep(kept, read.offset);
    this.tellNewer(view.top);
    this.rows.paint(view);
  }

  /** Returns the line that is read, and where it is in view: the chosen one or, in a list that is scrolled or pointed at, the topmost. */
  readLine(view) {
    const { top } = view;
    const height = this.rows.height();
    const inView = (i) => i >= 0 && i < this.shown.length && (i + 1) * height > top && i * height < top + view.height;
    const first = top > 0 || this.root.matches(':hover') ? Math.ceil(top / height) : -1;
    const i = inView(this.rows.at) ? this.rows.at : first;
    return inView(i) ? { line: this.shown[i], offset: i * height - top } : null;
  }

  /** Says how many exchanges have come above what is in view. */
  tellNewer(top) {
    if (top <= 0) this.seen = this.lines[0]?.number ?? 0;
    const older = this.shown.findIndex((l) => l.number <= this.seen);
    const n = older < 0 ? this.shown.length : older;
    this.newer.hidden = n === 0;
    this.newer.textContent = `↑ ${n} newer`;
  }
}

const searched = (l) =>
  [marks[l.mark], l.model, l.upstream, l.upstream_model, l.client, l.status, l.error_type, l.stop_reason, l.path, l.dialect, l.id, l.continues, ...(l.tools ?? []), ...(l.misread ?? [])]
    .join(' ').toLowerCase();

/** Fills in the row of a line, if that has changed. before is the line of the turn before. */
function draw(line, row, before) {
  const state = JSON.stringify(line);
  if (row.dataset.id === line.id && row.state === state) return;
  row.dataset.id = line.id;
  row.state = state;
  row.classList.toggle('gone', !line.kept);
  const noted = notes(line, before);
  row.replaceChildren(
    el('span', { class: 'time', text: clock(line.at) }),
    el('span', { class: `status ${statusClass(line)}`, text: statusText(line) }),
    el('span', { class: `mark m-${line.mark ?? ''}`, text: marks[line.mark] ?? '' }),
    el('span', { class: 'model', text: line.model || `${line.method} ${line.path}` }),
    el('span', { class: 'tools', text: (line.tools ?? []).join(', ') || line.error_type || line.stop_reason || '' }),
    el('span', { class: 'client', text: line.client ?? '' }),
    el('span', { class: 'tokens', text: `${line.input_tokens} → ${line.output_tokens}`, title: `tokens in${line.cached_tokens ? ` (${line.cached_tokens} cached)` : ''} and out` }),
    el('span', { class: 'took', text: duration(line.duration) }),
    el('span', { class: 'notes', text: noted, title: noted || null }),
  );
}

/** Returns what is worth a look in an exchange. before is the turn before, if there is one in the list. */
function notes(line, before) {
  const out = [];
  if (before) out.push(`continues ${clock(before.at)}`);
  if (line.replay_of) out.push('replay');
  if (line.prompts > 1) out.push(`asked ${line.prompts}×`);
  else if (line.calls > 1) out.push(`${line.calls} calls`);
  for (const m of line.misread ?? []) out.push(m.replaceAll('_', ' '));
  if (line.dropped?.length) out.push('dropped');
  if (line.unmet?.length) out.push('unmet');
  if (!line.kept) out.push('not kept');
  return out.join(' · ');
}

export const statusText = (line) => (line.open ? 'open' : String(line.status ?? ''));

export function statusClass(line) {
  if (line.open) return 'open';
  return line.status < 400 && line.terminal === 'complete' ? 'good' : 'bad';
}
