// What can be done with an exchange: copied, saved, sent again.

import { getJSON, getText, postJSON } from './api.js';
import { el } from './dom.js';

/** Returns the buttons for an exchange. said shows what came of it, replayed is called with the new id. */
export function drawActions(id, { said, replayed, back }) {
  const model = el('input', { list: 'models', autocomplete: 'off', spellcheck: 'false', placeholder: 'the same', size: 18 });
  const models = el('datalist', { id: 'models' });
  const format = el('select', {}, el('option', { value: '', text: 'as configured' }));
  getJSON('choices').then((c) => {
    models.append(...c.models.map((m) => el('option', { value: m })));
    format.append(...c.formats.map((f) => el('option', { value: f, text: f })));
  }, (e) => said(e.message));
  const button = (text, act) => el('button', { type: 'button', text, on: { click: () => act().catch((e) => said(e.message)) } });
  const together = el('input', { type: 'checkbox', checked: document.body.classList.contains('together') });
  together.addEventListener('change', () => document.body.classList.toggle('together', together.checked));
  return el('div', { class: 'bar actions' },
    el('button', { type: 'button', text: '← List', 'aria-keyshortcuts': 'Escape', on: { click: back } }),
    button('Copy as curl', async () => {
      await navigator.clipboard.writeText(await getText(`exchanges/${id}/curl`));
      said('Copied. The key is taken from ANTHROPIC_API_KEY.');
    }),
    button('Save completions', () => save(`exchanges/${id}/golden`, `${id}.parse.txtar`)),
    button('Save prompt', () => save(`exchanges/${id}/golden?form=render`, `${id}.render.txtar`)),
    el('span', { class: 'group' },
      el('label', {}, 'Model ', model), models, el('label', {}, 'Format ', format),
      button('Replay', async () => replayed((await postJSON(`exchanges/${id}/replay`, { model: model.value.trim(), format: format.value })).id))),
    el('label', { class: 'check' }, together, ' scroll together'));
}

/** Saves a text as a file. */
async function save(path, name) {
  const url = URL.createObjectURL(new Blob([await getText(path)], { type: 'text/plain' }));
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
