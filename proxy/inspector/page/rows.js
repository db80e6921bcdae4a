// A list of rows of one height, of which only those in view are in the document: ten thousand cost no
// more than fifty.

import { el } from './dom.js';

export class Rows {
  /**
   * root scrolls. count() returns how many rows there are, key(index) what a row is of, and draw(index, row) fills in
   * an element. chosen(index) is called when a row is chosen, and open(index) when it is opened.
   */
  constructor(root, { name, count, draw, key = (index) => index, chosen = () => {}, open = () => {} }) {
    Object.assign(this, { root, name, count, draw, keyOf: key, chosen, open, at: -1, drawn: new Map(), asked: 0, rowHeight: 0 });
    this.space = el('div', { role: 'presentation', class: 'space' });
    root.append(this.space);
    root.addEventListener('scroll', () => this.update(), { passive: true });
    root.addEventListener('keydown', (e) => this.key(e));
    new ResizeObserver(() => {
      this.rowHeight = 0; // a narrow window has higher rows
      this.update();
    }).observe(root);
  }

  /** Draws, at the next frame, the rows that are in view. */
  update() {
    this.asked ||= requestAnimationFrame(() => this.paint());
  }

  /** Returns what is in view: where it begins, and its height, both in pixels. The browser lays the page out for it. */
  view() {
    return { top: this.root.scrollTop, height: this.root.clientHeight };
  }

  /** Has a row at so many pixels below the top of what is in view, and returns what is in view then. */
  keep(index, offset) {
    this.space.style.height = `${this.count() * this.height()}px`;
    this.root.scrollTop = index * this.height() - offset;
    return this.view();
  }

  height() {
    return (this.rowHeight ||= parseFloat(getComputedStyle(this.root).getPropertyValue('--row')) || 24);
  }

  /** Draws the rows that are in view. A row that is drawn already is moved, and filled in if it has changed. */
  paint(view = this.view()) {
    cancelAnimationFrame(this.asked);
    this.asked = 0;
    const [height, count] = [this.height(), this.count()];
    if (this.at >= count) this.at = -1;
    const wanted = new Map();
    const last = Math.min(count, Math.ceil((view.top + view.height) / height) + 4);
    for (let index = Math.max(0, Math.floor(view.top / height) - 4); index < last; index++) wanted.set(this.keyOf(index), index);
    if (this.at >= 0) wanted.set(this.keyOf(this.at), this.at);
    for (const [key, row] of this.drawn) {
      if (!wanted.has(key)) {
        row.remove();
        this.drawn.delete(key);
      }
    }
    this.space.style.height = `${count * height}px`;
    for (const [key, index] of wanted) this.row(key, index, height, count);
    if (this.at >= 0) this.root.setAttribute('aria-activedescendant', `${this.name}-${this.at}`);
    else this.root.removeAttribute('aria-activedescendant');
  }

  row(key, index, height, count) {
    let row = this.drawn.get(key);
    if (!row) {
      row = el('div', { role: 'option', class: 'row' });
      row.addEventListener('click', () => {
        const at = row.index;
        this.choose(at);
        this.open(at);
      });
      this.drawn.set(key, row);
      this.space.append(row);
    }
    row.index = index;
    row.id = `${this.name}-${index}`;
    row.style.transform = `translateY(${index * height}px)`;
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
