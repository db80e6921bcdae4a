// A field for a text of any length: what is too long for a browser to edit is held beside it.

import { el, size } from '../dom.js';

const longest = 256 << 10; // characters

export class Field {
  /** bar gets a button for a file, and one to clear. changed() is called when the text is another. */
  constructor(area, bar, changed) {
    Object.assign(this, { area, changed, held: null });
    this.file = el('input', { type: 'file', 'aria-label': `File for: ${area.labels[0].textContent}`, on: { change: () => this.open() } });
    this.clear = el('button', { type: 'button', text: 'Clear', on: { click: () => this.set('') } });
    bar.append(this.file, this.clear);
    area.addEventListener('input', () => changed());
    area.addEventListener('paste', (e) => this.paste(e));
  }

  get text() {
    const text = this.held ?? this.area.value;
    return text.toWellFormed?.() ?? text;
  }

  /** Sets the text, and tells of it. */
  set(text) {
    const long = text.length > longest;
    this.held = long ? text : null;
    this.area.value = long ? '' : text;
    this.area.readOnly = long;
    this.area.placeholder = long ? `${size(text.length)} are held here, more than can be edited. “Clear” lets them go.` : '';
    this.changed();
  }

  paste(e) {
    const text = e.clipboardData?.getData('text') ?? '';
    if (this.held === null && this.area.value.length + text.length <= longest) return;
    e.preventDefault();
    const { value, selectionStart: from, selectionEnd: to } = this.area;
    this.set(this.held === null ? value.slice(0, from) + text + value.slice(to) : text);
  }

  async open() {
    const [file] = this.file.files;
    if (file) this.set(await file.text());
    this.file.value = '';
  }
}
