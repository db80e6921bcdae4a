// One exchange in four columns: request, prompt, completion, events. It follows an exchange that goes on.

import { getBytes, getJSON } from './api.js';
import { blocksOf, drawBlocks } from './blocks.js';
import { drawFacts, whyAgain } from './facts.js';
import { copyButton, duration, el, reveal, size } from './dom.js';
import { Flow } from './flow.js';
import { drawRequest } from './request.js';
import { Rows } from './rows.js';
import { drawSections } from './sections.js';
import { drawTiming } from './timing.js';
import { drawWhy, hasWhy } from './why.js';

let made = 0;
let comparing = false; // prompts with those of the turn before, as it was chosen last

export class Exchange {
  /** id is that of an exchange; the parts are made at once, and filled in by update. replay sends the request again with other members. */
  constructor(id, { title = 'Exchange', replay } = {}) {
    Object.assign(this, { id, replay, bodySize: -1, requestBytes: new Uint8Array(0), asked: [], events: [], updating: null, again: false, left: false });
    const n = ++made;
    this.facts = el('div', { class: 'about' });
    this.why = el('section', { class: 'why-panel', 'aria-label': `${title}: Why no tool call?`, hidden: true });
    this.columns = ['Request', 'Prompt', 'Completion', 'Blocks', 'Events'].map((name) => {
      const body = el('div', { class: `scroll ${name.toLowerCase()}`, tabindex: 0, role: 'region', 'aria-label': `${title}: ${name}` });
      const note = el('small');
      return { name, body, note, element: el('section', { class: `column of-${name.toLowerCase()}` }, el('header', {}, el('h3', { text: name }), note), body) };
    });
    const [request, prompt, completion, blocks, events] = this.columns;
    request.note.after(copyButton('the request', () => this.requestBytes));
    Object.assign(this, { request, prompt, completion, blocks, eventColumn: events });
    this.eventRows = el('div', { class: 'rows', role: 'listbox', tabindex: 0, 'aria-label': `${title}: Events` });
    this.eventData = el('pre', { class: 'event-data', tabindex: 0, role: 'region', 'aria-label': `${title}: the chosen event`, hidden: true });
    events.body.replaceWith(this.eventRows);
    events.body = this.eventRows;
    events.element.append(this.eventData);
    this.rows = new Rows(this.eventRows, {
      name: `event-${n}`,
      count: () => this.events.length,
      draw: (i, row) => drawEvent(this.events[i], row),
      chosen: (i) => this.showEvent(this.events[i]),
    });
    this.compare = el('input', { type: 'checkbox', checked: comparing });
    this.compare.addEventListener('change', () => {
      comparing = this.compare.checked;
      for (const i of this.asked.keys()) this.drawPrompt(i);
    });
    this.since = el('label', { class: 'check since', hidden: true }, this.compare, ' since the turn before');
    prompt.note.before(this.since);
    this.element = el('article', { class: 'exchange' }, el('h2', { text: title }), this.facts, this.why, el('div', { class: 'columns' }, ...this.columns.map((c) => c.element)));
    scrollTogether(this.columns.map((c) => c.body));
    linkSources(this);
  }

  /** Asks for what has changed, until nothing has. Calls during one become one more. */
  update() {
    this.again = true;
    return (this.updating ??= this.follow());
  }

  async follow() {
    try {
      while (this.again && !this.left) {
        this.again = false;
        this.x = await getJSON(`exchanges/${this.id}`);
        this.since.hidden = !this.x.continues;
        this.facts.replaceChildren(drawFacts(this.x), drawTiming(this.x));
        await this.updateRequest();
        for (const i of this.x.asked.keys()) await this.updateAsked(i);
        await this.updateEvents();
        if (hasWhy(this.x)) await drawWhy(this.why, this.id, { marked: () => this.completion.body.querySelector('.k-shaped'), replay: this.replay });
      }
    } finally {
      this.updating = null; // at once: a call of update between the end of the loop and here would be lost
    }
  }

  /** Stops following. */
  leave() {
    this.left = true;
  }

  async updateRequest() {
    if (this.bodySize === this.x.body) return;
    this.bodySize = this.x.body;
    const bytes = new Uint8Array(this.bodySize);
    let at = 0;
    await this.load('part=request', 0, this.bodySize, (piece) => {
      bytes.set(piece.subarray(0, bytes.length - at), at);
      at += piece.length;
    });
    this.requestBytes = bytes;
    this.request.note.textContent = size(this.bodySize);
    drawRequest(this.request.body, bytes);
  }

  /** Asks for a text from an offset up to a size, piece by piece, so that the page stays usable. */
  async load(query, from, to, take, id = this.id) {
    while (from < to && !this.left) {
      const { bytes } = await getBytes(`exchanges/${id}/text?${query}&from=${from}`);
      if (bytes.length === 0) return;
      take(bytes);
      from += bytes.length;
    }
  }

  async updateAsked(i) {
    const p = this.x.asked[i];
    const a = (this.asked[i] ??= this.addAsked(p, i));
    if (a.prompt.size < p.size) {
      await this.load(`part=prompt&asked=${i}`, a.prompt.size, p.size, (piece) => a.prompt.append(piece));
      await this.drawPrompt(i);
      this.prompt.note.textContent = size(this.x.asked.reduce((n, other) => n + other.size, 0));
    }
    if (a.thinking.size < p.thinking) {
      a.thought.hidden = false;
      await this.load(`part=thinking&asked=${i}`, a.thinking.size, p.thinking, (piece) => {
        const from = a.thinking.size;
        a.thinking.append(piece);
        a.thinking.draw(from);
      });
    }
    if (a.completion.size < p.completion || a.stop !== p.stop) {
      const ended = p.stop && a.stop !== p.stop;
      a.stop = p.stop;
      await this.load(`part=completion&asked=${i}`, a.completion.size, p.completion, (piece) => {
        const from = a.completion.size;
        a.completion.append(piece);
        if (piece.length > 64 << 10) a.completion.draw(from);
      });
      // The parser may change its mind of a whole call when it ends: in the end all of it is asked for.
      const from = ended ? 0 : a.completion.unsettled();
      const { spans } = await getJSON(`exchanges/${this.id}/spans?asked=${i}&from=${from}`);
      a.completion.draw(a.completion.setSpans(from, spans));
      this.completion.note.textContent = size(this.x.completion);
      a.end.textContent = p.stop ? `stopped: ${p.stop}${p.stop_sequence ? ` at ${p.stop_sequence}` : ''}` : '';
    }
  }

  /** Shows a prompt, and what is new in it since the turn before where that is asked for. */
  async drawPrompt(i) {
    const before = await this.before(this.x.asked[i]);
    if (before && !comparing) return; // it was asked for no more meanwhile
    const { prompt, sections } = this.asked[i];
    sections.replaceChildren(...drawSections({ sections: this.x.asked[i].sections, bytes: prompt.bytes }, before));
  }

  /** Returns the prompt of the turn before that another one is compared with; null for none. */
  async before({ upstream, model, format }) {
    if (!this.compare.checked || !this.x.continues) return null;
    const id = this.x.continues;
    const prompt = new Flow(null);
    try {
      const { asked } = await getJSON(`exchanges/${id}`);
      const i = Math.max(0, asked.findIndex((p) => p.upstream === upstream && p.model === model && p.format === format));
      await this.load(`part=prompt&asked=${i}`, 0, asked[i].size, (piece) => prompt.append(piece), id);
      return { sections: asked[i].sections, bytes: prompt.bytes };
    } catch (e) {
      this.since.replaceChildren(`the turn before: ${e.message}`);
      return null;
    }
  }

  addAsked(p, i) {
    const [prompt, completion] = [new Flow(null), new Flow(el('div', { class: 'flow' }))];
    const heading = (text, name, flow) => el('div', { class: 'heading' }, el('h4', { class: 'asked', text }), copyButton(`${name} ${i + 1}`, () => flow.bytes.subarray(0, flow.size)));
    const why = p.again ? [el('p', { class: 'why', text: whyAgain(p.again) })] : [];
    const name = p.native ? `Body for the tool API of ${p.model}` : `Prompt ${i + 1} for ${p.model}`;
    const sections = el('div', { class: 'sections' });
    this.prompt.body.append(heading(`${name}, after ${duration(p.at)}`, 'prompt', prompt), ...why, sections);
    if (!p.native) {
      this.prompt.body.append(el('p', { class: 'stops', text: `max_tokens ${p.max_tokens}${p.stops.length ? `; stops at ${p.stops.join(' ')}` : ''}` }));
    }
    const thought = el('div', { class: 'flow thinking', hidden: true });
    const end = el('p', { class: 'stops' });
    this.completion.body.append(heading(p.native ? 'Events of its own came' : `Completion ${i + 1}`, 'completion', completion), thought, completion.root, end);
    return { sections, prompt, completion, thinking: new Flow(thought), thought, end, stop: undefined };
  }

  async updateEvents() {
    while (!this.left) {
      const { events, total } = await getJSON(`exchanges/${this.id}/events?from=${this.events.length}`);
      this.events.push(...events);
      if (events.length === 0 || this.events.length >= total) break;
    }
    this.eventColumn.note.textContent = `${this.x.events}`;
    this.rows.update();
    if (!this.x.open) drawBlocks(this.blocks.body, blocksOf(this.events), this.x.stop_reason);
  }

  showEvent(event) {
    this.eventData.hidden = false;
    this.eventData.textContent = event.delta ? event.data : pretty(event.data);
  }
}

function pretty(data) {
  try {
    return JSON.stringify(JSON.parse(data), null, 2);
  } catch {
    return data;
  }
}

function drawEvent(e, row) {
  if (row.event === e) return;
  row.event = e;
  row.replaceChildren(
    el('span', { class: 'time', text: `+${duration(e.at)}` }),
    el('span', { class: `event-name ${e.name === 'error' ? 'bad' : (e.delta ?? '')}`, text: e.delta ?? e.name.replace('content_', ''), title: e.name }),
    el('span', { class: 'index', text: e.name.startsWith('content_block') ? String(e.index) : '' }),
    el('span', { class: 'data', text: e.delta ? e.data : e.name === 'ping' || e.name.endsWith('_stop') ? '' : e.data.slice(0, 300) }),
  );
}

/** Keeps scrolled areas at the same share of their lengths, while the box for it is ticked. */
function scrollTogether(areas) {
  let leader = null;
  let released = 0;
  for (const area of areas) {
    area.addEventListener('scroll', () => {
      if ((leader && leader !== area) || !document.body.classList.contains('together')) return;
      leader = area;
      clearTimeout(released);
      released = setTimeout(() => (leader = null), 120);
      const share = area.scrollTop / Math.max(1, area.scrollHeight - area.clientHeight);
      for (const other of areas) if (other !== area) other.scrollTop = share * (other.scrollHeight - other.clientHeight);
    }, { passive: true });
  }
}

/**
 * Links the prompt with the request: the block under the pointer is marked in the request, and a block
 * of the request is found in the prompt.
 */
function linkSources({ request, prompt }) {
  const mark = (found) => {
    for (const column of [request, prompt]) for (const old of column.body.querySelectorAll('.source')) old.classList.remove('source');
    for (const part of found) part.classList.add('source');
    return found[0];
  };
  const blockOf = (target) => {
    let path = target?.closest?.('[data-source]')?.dataset.source;
    for (; path; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
      const found = request.body.querySelector(`[data-path="${CSS.escape(path)}"]`);
      if (found) return [found];
    }
    return [];
  };
  prompt.body.addEventListener('pointerover', (e) => mark(blockOf(e.target)));
  prompt.body.addEventListener('click', (e) => e.target.closest('button, summary') || reveal(mark(blockOf(e.target)), 'nearest'));
  request.body.addEventListener('click', (e) => {
    const path = e.target.closest?.('[data-to]')?.dataset.to;
    if (!path) return;
    const found = [...prompt.body.querySelectorAll('[data-source]')].filter((s) => s.dataset.source === path || s.dataset.source.startsWith(`${path}.`));
    reveal(mark(found), 'start');
  });
}
