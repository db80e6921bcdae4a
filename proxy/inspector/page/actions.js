// What can be done with an exchange: copied, saved, sent again.

import { getText } from './api.js';
import { el } from './dom.js';

/** Returns the buttons for an exchange. said shows what came of it. */
export function drawActions(id, { replay, said, back }) {
  const button = (text, act) => el('button', { type: 'button', text, on: { click: () => act().catch((e) => said(e.message, true)) } });
  const together = el('input', { type: 'checkbox', checked: document.body.classList.contains('together') });
  together.addEventListener('change', () => document.body.classList.toggle('together', together.checked));
  return el('div', { class: 'bar actions' },
    el('button', { type: 'button', text: '← List', 'aria-keyshortcuts': 'Escape', on: { click: back } }),
    button('Copy as curl', async () => {
      await navigator.clipboard.writeText(await getText(`exchanges/${id}/curl`));
      said('Copied. The key is taken from ANTHROPIC_API_KEY.');
    }),
    button('Save as case', async () => {
      save(await getText(`exchanges/${id}/case`), `${id}.jsonl`);
      said('Saved. Keys and addresses of e-mail are replaced: read the file before you share it.');
    }),
    button('Replay…', () => replay.open()), replay.dialog,
    el('label', { class: 'check' }, together, ' scroll together'));
}

/** Saves a text as a file. */
function save(text, name) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
