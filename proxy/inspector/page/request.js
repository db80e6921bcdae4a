// The client's request: its messages open, its tools and whatever is long folded.

import { el, fold, size } from './dom.js';
import { Flow } from './flow.js';

const long = 600; // characters; what is longer is folded
const [most, latest] = [8, 4]; // messages: of more than most, the latest are open

/** Shows a request, given as bytes. What is no JSON, as the half of one, is shown as it came. */
export function drawRequest(root, bytes) {
  root.replaceChildren();
  let body;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    root.append(text(bytes));
    return;
  }
  if (body === null || typeof body !== 'object') {
    root.append(text(bytes));
    return;
  }
  for (const [name, value] of Object.entries(body)) root.append(member(name, value));
}

/** Returns a button that shows where in the prompt the part of a path has gone to. */
const toPrompt = (path) =>
  el('button', { type: 'button', class: 'to-prompt', 'data-to': path, 'aria-label': `Show ${path} in the prompt`, title: `Show ${path} in the prompt`, text: '→' });

/** Returns a text, folded if it is long. */
export function text(value) {
  const pre = el('div', { class: 'flow' });
  const flow = new Flow(pre);
  flow.append(typeof value === 'string' ? new TextEncoder().encode(value) : value);
  flow.draw();
  return fold(pre, flow.size);
}

function member(name, value) {
  if (name === 'messages' && Array.isArray(value)) {
    const all = value.map((m, i) => message(m, `${name}.${i}`));
    const earlier = all.splice(0, all.length > most ? all.length - latest : 0);
    return el('div', { class: 'member' }, el('h4', { text: `${name} (${value.length})` }),
      earlier.length > 0 && el('details', {}, el('summary', { text: `${earlier.length} earlier messages` }), ...earlier), ...all);
  }
  if (Array.isArray(value) && /tools|functions/i.test(name)) {
    return el('div', { class: 'member', 'data-path': name }, el('h4', { text: `${name} (${value.length})` }), ...value.map((t, i) => folded(t?.name ?? t?.toolSpec?.name ?? t?.type ?? `${i}`, t, `${name}.${i}`)));
  }
  if (name === 'system' && Array.isArray(value)) {
    return el('div', { class: 'member', 'data-path': name }, el('h4', { text: `${name} (${value.length})` }), ...value.map((b, i) => block(b, `${name}.${i}`)));
  }
  if (name === 'system' && typeof value === 'string') {
    return el('div', { class: 'member' }, el('h4', { text: name }), block(value, `${name}.0`));
  }
  if (typeof value === 'string' || (value !== null && typeof value === 'object')) {
    const shown = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    if (shown.length > long) return el('div', { class: 'member', 'data-path': name }, folded(name, value, name));
    return el('div', { class: 'member', 'data-path': name }, el('h4', { text: name }), text(shown));
  }
  return el('div', { class: 'member one', 'data-path': name }, el('h4', { text: name }), el('code', { text: String(value) }));
}

/** Returns what is shown once it is opened: not before is it made. */
function folded(name, value, path) {
  const shown = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const details = el('details', { 'data-path': path }, el('summary', {}, el('span', { text: name }), ' ', el('small', { text: size(shown.length) })), toPrompt(path));
  details.addEventListener('toggle', () => details.open && details.childElementCount === 2 && details.append(text(shown)));
  return details;
}

function message(m, path) {
  const content = m?.content;
  const blocks = typeof content === 'string' ? [content] : Array.isArray(content) ? content : [content];
  return el('article', { class: 'message', 'data-path': path },
    el('h5', { text: String(m?.role ?? '') }),
    ...blocks.map((b, i) => block(b, `${path}.content.${i}`)));
}

function block(b, path) {
  const shown = typeof b === 'string' ? b : b?.text;
  if (typeof shown === 'string') return el('div', { class: 'block-of', 'data-path': path }, toPrompt(path), text(shown));
  const name = [b?.type, b?.name, b?.tool_use_id ?? b?.id].filter(Boolean).join(' ') || 'block';
  const details = folded(name, b, path);
  details.open = JSON.stringify(b ?? null).length <= long;
  return details;
}
