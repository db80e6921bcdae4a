// The list of exchanges, as they happen.

import { clock, duration, el } from './dom.js';
import { Rows } from './rows.js';

const most = 10_000;

export class List {
  /** open is called with the id of an exchange that is opened. */
  constructor({ root, filter, count, empty, open }) {
    Object.assign(this, { filter, countText: count, empty, byID: new Map(), lines: [], shown: [], chosenID: '' });
    this.rows = new Rows(root, {
      name: 'exchange',
      count: () => this.shown.length,
      draw: (i, row) => draw(this.shown[i], row, this.byID.get(this.shown[i].continues)),
      chosen: (i) => (this.chosenID = this.shown[i].id),
      open: (i) => this.shown[i].kept && open(this.shown[i].id),
    });
    filter.addEventListener('input', () => this.sift());
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
    this.sift();
  }

  clear() {
    this.byID.clear();
    this.lines = [];
    this.sift();
  }

  /** Shows the lines that the filter lets through. The chosen one stays chosen, wherever it moves. */
  sift() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.shown = words.length ? this.lines.filter((l) => words.every((w) => searched(l).includes(w))) : this.lines;
    this.rows.at = this.chosenID ? this.shown.findIndex((l) => l.id === this.chosenID) : -1;
    this.empty.hidden = this.lines.length > 0;
    this.countText.textContent = words.length ? `${this.shown.length} of ${this.lines.length}` : `${this.lines.length}`;
    this.rows.update();
  }
}

const searched = (l) =>
  [l.model, l.upstream, l.upstream_model, l.client, l.status, l.error_type, l.stop_reason, l.path, l.dialect, l.id, l.continues, ...(l.tools ?? []), ...(l.misread ?? [])]
    .join(' ').toLowerCase();

/** Fills in the row of a line, if that has changed. before is the line of the turn before. */
function draw(line, row, before) {
  const state = JSON.stringify(line);
  if (row.dataset.id === line.id && row.state === state) return;
  row.dataset.id = line.id;
  row.state = state;
  row.classList.toggle('gone', !line.kept);
  row.replaceChildren(
    el('span', { class: 'time', text: clock(line.at) }),
    el('span', { class: `status ${statusClass(line)}`, text: statusText(line) }),
    el('span', { class: 'model', text: line.model || `${line.method} ${line.path}` }),
    el('span', { class: 'tools', text: (line.tools ?? []).join(', ') || line.error_type || line.stop_reason || '' }),
    el('span', { class: 'client', text: line.client ?? '' }),
    el('span', { class: 'tokens', text: `${line.input_tokens} → ${line.output_tokens}`, title: 'tokens in and out' }),
    el('span', { class: 'took', text: duration(line.duration) }),
    el('span', { class: 'marks', text: marks(line, before) }),
  );
}

/** Returns what is worth a look in an exchange. before is the turn before, if there is one in the list. */
function marks(line, before) {
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
