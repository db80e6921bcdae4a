// Elements, made without HTML: whatever a model or a client wrote is text.

/**
 * Returns an element. Of props, "text" is its text, "on" has listeners by the names of their events,
 * and the others are attributes, which are left out where they are null or false.
 */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === 'text') element.textContent = value;
    else if (name === 'on') for (const [type, f] of Object.entries(value)) element.addEventListener(type, f);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const long = 2000; // characters; what is longer is folded

/** Returns an element that holds a text of a length, folded if it is long: all of it is there, and a button shows it. */
export function fold(element, length) {
  if (length <= long) return element;
  const button = el('button', { type: 'button', class: 'unfold', 'aria-expanded': 'false', text: `Show all ${size(length)}` });
  const root = el('div', { class: 'folded' }, element, button);
  button.addEventListener('click', () => unfold(root, !root.classList.toggle('folded')));
  return root;
}

function unfold(root, open) {
  const button = root.querySelector(':scope > .unfold');
  button.setAttribute('aria-expanded', open);
  button.textContent = open ? 'Show less' : 'Show all';
}

/** Brings an element into view, wherever it is folded. */
export function reveal(element, block) {
  for (let e = element; e; e = e.parentElement?.closest('details, .folded')) {
    if (e.matches('details')) e.open = true;
    else if (e.classList.contains('folded')) {
      e.classList.remove('folded');
      unfold(e, true);
    }
  }
  element?.scrollIntoView({ block });
}

/** Returns a button that copies the bytes of a text as they are. */
export function copyButton(name, bytes) {
  const button = el('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${name}`, text: 'Copy' });
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes()));
    button.textContent = 'Copied';
  });
  return button;
}

/** Returns a duration, given in microseconds, as people read it. */
export function duration(us) {
  if (us === undefined || us === null) return '';
  if (us < 1000) return `${us} µs`;
  if (us < 1e6) return `${(us / 1e3).toFixed(us < 1e4 ? 1 : 0)} ms`;
  return `${(us / 1e6).toFixed(us < 1e7 ? 2 : 1)} s`;
}

/** Returns a size in bytes as people read it. */
export function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1 << 20) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / (1 << 20)).toFixed(1)} MB`;
}

/** Returns why the outcome of a call is not clean, as people read it; '' for none. */
export function reason(outcome) {
  return outcome.reason === 'none' ? '' : outcome.reason.replaceAll('_', ' ');
}

/** Returns the time of day of a point in time, given in milliseconds since 1970. */
export function clock(ms) {
  const d = new Date(ms);
  const two = (n) => String(n).padStart(2, '0');
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}
