// What the parser made of a completion, after each step. A page of steps is asked for at a time, and of
// the text the end is shown: a completion may be long.

import { el, reason, size } from '../dom.js';
import { Flow } from '../flow.js';

const shownBytes = 12 << 10;
const pageSize = 200;

export class Steps {
  /** ask(from, count) returns the answer of POST /parse, and text() the completion, in bytes. */
  constructor(nodes, { ask, bytes, failed }) {
    Object.assign(this, nodes, { ask, bytes, failed, page: null, total: 1, wanted: null, busy: null });
  }

  /** Forgets the pages, since the completion is another, and shows a step. */
  async restart(n) {
    this.page = null;
    await this.show(n);
  }

  /** Shows a step, once it is there. Of several that are asked for meanwhile, the last counts. */
  async show(n) {
    this.wanted = n;
    this.busy ??= this.follow().finally(() => { this.busy = null; });
    await this.busy;
  }

  async follow() {
    while (this.wanted !== null) {
      const n = this.wanted;
      this.wanted = null;
      if (!this.has(n)) {
        this.reading.classList.add('stale');
        try {
          const page = await this.ask(Math.max(0, n === Infinity ? Number.MAX_SAFE_INTEGER : n - pageSize / 4), pageSize);
          if (page === null) return;
          this.page = page;
          this.total = page.total;
          this.failed('');
        } catch (e) {
          this.failed(e.message);
          return;
        } finally {
          this.reading.classList.remove('stale');
        }
        if (this.wanted !== null) continue;
      }
      const last = this.page.from + this.page.steps.length - 1;
      this.draw(Math.min(Math.max(n, this.page.from), Math.max(last, this.page.from)));
    }
  }

  has(n) {
    return this.page !== null && n >= this.page.from && n < this.page.from + this.page.steps.length;
  }

  /** Draws a step of the page. */
  draw(n) {
    this.n = n;
    const steps = this.page.steps.slice(0, n - this.page.from + 1);
    const step = steps.at(-1);
    let [from, spans] = [this.page.start.from, [...this.page.start.spans]];
    for (const s of steps) {
      if (s.from < from || !spans.length) [from, spans] = [s.from, []]; // all of it is told anew
      spans = replaced(spans, s.from, s.spans);
      if (spans.length === 0 || s.from > spans.at(-1).end) from = s.from;
    }
    this.text(Math.max(from, step.end - shownBytes), step.end, spans);
    this.at.max = String(this.total - 1);
    this.at.value = String(n);
    const where = `Step ${n + 1} of ${this.total}: ${step.state}${step.done ? ', ended' : ''}, ${step.end} bytes`;
    this.where.textContent = where;
    this.at.setAttribute('aria-valuetext', where);
    this.tell(step);
  }

  text(from, to, spans) {
    const bytes = this.bytes();
    while (from > 0 && from < to && (bytes[from] & 0xc0) === 0x80) from++;
    const root = el('div', {});
    const flow = new Flow(root);
    flow.append(bytes.subarray(from, to));
    flow.setSpans(0, spans.filter((s) => s.end > from).map((s) => ({ ...s, end: s.end - from })));
    flow.draw();
    this.reading.replaceChildren(...(from > 0 ? [el('p', { class: 'hint', text: `${size(from)} before this are not shown.` })] : []), root);
    this.reading.scrollTop = this.reading.scrollHeight;
  }

  tell(step) {
    const lines = (step.outcomes ?? []).map((o) => el('li', { class: 'why', text: `call ${[o.tool, o.kind, reason(o)].filter(Boolean).join(', ')}` }));
    lines.push(...step.events.map((e) => el('li', { text: JSON.stringify(e) })));
    if (step.left_out) lines.push(el('li', { text: `… and ${step.left_out} more` }));
    this.events.replaceChildren(...lines);
  }
}

/** Returns the spans with those of a step in place of what stands after it begins. */
function replaced(spans, from, next) {
  const list = spans.slice();
  let cut = null;
  while (list.length && list.at(-1).end > from) cut = list.pop();
  if (cut && from > (list.at(-1)?.end ?? 0)) list.push({ end: from, kind: cut.kind });
  for (const s of next) {
    if (list.at(-1)?.kind === s.kind) list[list.length - 1] = s;
    else list.push(s);
  }
  return list;
}
