// A prompt, with where each part of it is from.

import { el } from '../dom.js';
import { Flow } from '../flow.js';

const encoder = new TextEncoder();

/** Shows what POST /render has answered. */
export function drawPrompt(root, { prompt, origins }) {
  const parts = [];
  prompt.system.forEach((s, i) => parts.push(part('System', `${i + 1}`, s.text, origins.system[i])));
  prompt.turns.forEach((turn, i) => {
    turn.parts.forEach((p, j) => {
      const from = origins.turns[i][j];
      const name = turn.role === 'assistant' ? 'Assistant' : 'Human';
      if (p.type === 'text') parts.push(part(name, '', p.text, from.text, turn.role));
      else parts.push(media(name, p, from, turn.role));
    });
  });
  parts.push(el('p', { class: 'stops' }, `Stops at: ${prompt.stop_sequences.map((s) => JSON.stringify(s)).join(', ') || 'nothing'}. At most ${prompt.max_tokens} tokens.`));
  root.replaceChildren(...parts);
}

function part(name, number, text, spans, role = 'system') {
  return el('div', { class: `section ${role}` }, el('h4', { text: `${name} ${number}`.trim() }), flow(text, spans));
}

function media(name, p, from, role) {
  return el('div', { class: `section ${role}` }, el('h4', { text: name }),
    el('span', { class: 'k k-client', 'data-source': from.source, title: `from ${from.source}`, text: `[${p.type}]` }),
    p.title ? flow(p.title, from.title) : null, p.context ? flow(p.context, from.context) : null);
}

function flow(text, spans) {
  const root = el('div', { class: 'flow' });
  const shown = new Flow(root);
  shown.append(encoder.encode(text));
  shown.setSpans(0, spans);
  shown.draw();
  return root;
}
