// A text that may be long and may still grow, in colours. It stands in blocks of some kilobytes, and the
// browser lays out and paints those alone that are in view (content-visibility).

import { el } from './dom.js';

const blockSize = 8 << 10;
const newline = 10;

export class Flow {
  /** root gets the blocks. With escapes, character references are marked: they are how text is escaped. */
  constructor(root, { escapes = false } = {}) {
    Object.assign(this, { root, escapes, bytes: new Uint8Array(0), size: 0, spans: [], blocks: [] });
  }

  /** Adds bytes at the end. draw shows them. */
  append(bytes) {
    if (this.size + bytes.length > this.bytes.length) {
      const grown = new Uint8Array(Math.max(this.size + bytes.length, 2 * this.bytes.length));
      grown.set(this.bytes.subarray(0, this.size));
      this.bytes = grown;
    }
    this.bytes.set(bytes, this.size);
    this.size += bytes.length;
  }

  /**
   * Replaces the spans that end after an offset. A span is {end, kind}, and begins where the one
   * before ends; its source is the path of what it was made of, if there is one. Returns from where on
   * they are others than before.
   */
  setSpans(from, spans) {
    const first = this.spans.findLastIndex((s) => s.end <= from) + 1;
    const old = this.spans.splice(first);
    for (const s of spans) this.spans.push(s);
    let same = 0;
    while (same < old.length && same < spans.length && old[same].end === spans[same].end && old[same].kind === spans[same].kind) same++;
    return same > 0 ? spans[same - 1].end : from;
  }

  /** Returns where the text begins of which it may still change what it is read as. */
  unsettled() {
    const i = this.spans.findIndex((s) => s.kind === 'held' || s.kind === 'doubt');
    const n = i >= 0 ? i : this.spans.length - 1;
    return n > 0 ? this.spans[n - 1].end : 0;
  }

  /** Shows what has changed from an offset on. */
  draw(from = 0) {
    while (this.blocks.length && (this.blocks.at(-1).to > from || !this.blocks.at(-1).full)) this.blocks.pop().element.remove();
    let at = this.blocks.length ? this.blocks.at(-1).to : 0;
    while (at < this.size) {
      const to = this.cut(at);
      const element = el('div', { class: 'block' });
      this.fill(element, at, to);
      this.root.append(element);
      this.blocks.push({ to, element, full: to < this.size });
      at = to;
    }
  }

  /** Returns where the block that begins at an offset ends: behind a line, or else behind a character. */
  cut(at) {
    const to = at + blockSize;
    if (to >= this.size) return this.size;
    const line = this.bytes.lastIndexOf(newline, to);
    if (line > at) return line + 1;
    let end = to;
    while (end > at + 1 && (this.bytes[end] & 0xc0) === 0x80) end--;
    return end;
  }

  fill(element, at, to) {
    let low = 0;
    for (let high = this.spans.length; low < high;) { // the first span that ends behind at
      const middle = (low + high) >> 1;
      if (this.spans[middle].end > at) high = middle;
      else low = middle + 1;
    }
    for (; at < to; low++) {
      const span = this.spans[low];
      const end = span ? Math.min(span.end, to) : to;
      if (end > at) this.piece(element, decode(this.bytes.subarray(at, end)), span);
      at = Math.max(at, end);
    }
  }

  piece(element, text, span) {
    const props = span && { class: `k k-${span.kind}`, title: span.source ? `${span.kind}, from ${span.source}` : span.kind, 'data-source': span.source ?? null };
    const into = props ? el('span', props) : element;
    if (this.escapes) {
      for (const [i, part] of text.split(/(&(?:[a-zA-Z]+|#\d+|#x[\da-fA-F]+);)/).entries()) {
        if (i % 2) into.append(el('span', { class: 'escape', title: 'escaped, so that it is no markup', text: part }));
        else if (part) into.append(part);
      }
    } else {
      into.append(text);
    }
    if (props) element.append(into);
  }
}

const decoder = new TextDecoder();
const decode = (bytes) => decoder.decode(bytes);
