// A list of rows of one height, of which only those in view are in the document: ten thousand cost no
// more than fifty.

import { el } from './dom.js';

export class Rows {
  /**
   * root scrolls. count() returns how many rows there are, and draw(index, row) fills in an element.
   * chosen(index) is called when a row is chosen, and open(index) when it is opened.
   */
  constructor(root, { name, count, draw, chosen = () => {}, open = () => {} }) {
    Object.assign(this, { root, name, count, draw, chosen, open, at: -1, drawn: new Map(), asked: 0 });
    this.space = el('div', { role: 'presentation', class: 'space' });
    root.append(this.space);
    root.addEventListener('scroll', () => this.update(), { passive: true });
    root.addEventListener('keydown', (e) => this.key(e));
    new ResizeObserver(() => this.update()).observe(root);
  }

  /** Draws, at the next frame, the rows that are in view. */
  update() {
    this.asked ||= requestAnimationFrame(() => {
      this.asked = 0;
      this.paint();
    });
  }

  /** Has a row at so many pixels below the top of what is in view. */
  keep(index, offset) {
    if (index < 0) return;
    const height = this.height();
    this.space.style.height = `${this.count() * height}px`;
    this.root.scrollTop = index * height - offset;
  }

  height() {
    return parseFloat(getComputedStyle(this.root).getPropertyValue('--row')) || 24;
  }

  paint() {
    const height = this.height();
    const count = this.count();
    const first = Math.max(0, Math.floor(this.root.scrollTop / height) - 4);
    const last = Math.min(count, Math.ceil((this.root.scrollTop + this.root.clientHeight) / height) + 4);
    this.space.style.height = `${count * height}px`;
    for (const [index, row] of this.drawn) {
      if ((index < first || index >= last) && index !== this.at) {
        row.remove();
        this.drawn.delete(index);
      }
    }
    for (let index = first; index < last; index++) this.row(index, height, count);
    if (this.at >= 0 && this.at < count) this.row(this.at, height, count);
    if (this.at >= count) this.at = -1;
    if (this.at >= 0) this.root.setAttribute('aria-activedescendant', `${this.name}-${this.at}`);
    else this.root.removeAttribute('aria-activedescendant');
  }

  row(index, height, count) {
    let row = this.drawn.get(index);
    if (!row) {
      row = el('div', { role: 'option', class: 'row', id: `${this.name}-${index}` });
      row.addEventListener('click', () => {
        this.choose(index);
        this.open(index);
      });
      row.style.transform = `translateY(${index * height}px)`;
      this.drawn.set(index, row);
      this.space.append(row);
    } else {
      row.style.transform = `translateY(${index * height}px)`;
    }
    row.setAttribute('aria-posinset', index + 1);
    row.setAttribute('aria-setsize', count);
    row.setAttribute('aria-selected', index === this.at);
    this.draw(index, row);
  }

  /** Chooses a row, and brings it into view. */
  choose(index) {
    const count = this.count();
    if (count === 0) return;
    this.at = Math.min(Math.max(index, 0), count - 1);
    const height = this.height();
    const top = this.at * height;
    if (top < this.root.scrollTop) this.root.scrollTop = top;
    else if (top + height > this.root.scrollTop + this.root.clientHeight) this.root.scrollTop = top + height - this.root.clientHeight;
    this.chosen(this.at);
    this.update();
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const page = Math.max(1, Math.floor(this.root.clientHeight / this.height()) - 1);
    const to = {
      j: this.at + 1, ArrowDown: this.at + 1, k: Math.max(0, this.at - 1), ArrowUp: Math.max(0, this.at - 1),
      PageDown: this.at + page, PageUp: this.at - page, Home: 0, End: this.count() - 1,
    }[e.key];
    if (to !== undefined) this.choose(to);
    else if ((e.key === 'Enter' || e.key === ' ') && this.at >= 0) this.open(this.at);
    else return;
    e.preventDefault();
  }
}
