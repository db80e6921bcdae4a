// A request is sent again: to another model, in another format, or changed.

import { getJSON, postJSON } from './api.js';
import { el } from './dom.js';

const longest = 256 << 10; // characters that are edited here

export class Replay {
  /** request returns the bytes of the request, and replayed is called with the id of the new exchange. */
  constructor(id, { request, replayed }) {
    Object.assign(this, { id, request, replayed });
    this.model = el('input', { list: 'models', autocomplete: 'off', spellcheck: 'false', placeholder: 'the same' });
    this.models = el('datalist', { id: 'models' });
    this.format = el('select');
    this.body = el('textarea', { spellcheck: 'false', autocomplete: 'off', rows: 18 });
    this.failure = el('p', { class: 'bad', role: 'alert' });
    this.cost = el('p');
    const form = el('form', { method: 'dialog' },
      el('h2', { text: 'Replay', id: 'replay-title' }),
      this.cost,
      el('div', { class: 'bar' }, el('label', {}, 'Model ', this.model), this.models, el('label', {}, 'Format ', this.format)),
      el('label', { class: 'whole' }, 'Request, in JSON', this.body), this.failure,
      el('div', { class: 'bar' }, el('button', { type: 'submit', text: 'Call the model' }), el('button', { type: 'button', text: 'Cancel', on: { click: () => this.dialog.close() } })));
    form.addEventListener('submit', (e) => {
      e.preventDefault();
      this.send().catch((error) => (this.failure.textContent = error.message));
    });
    this.dialog = el('dialog', { 'aria-labelledby': 'replay-title' }, form);
  }

  /** Opens the dialog with the request, in which members are set as by a JSON merge patch. */
  async open(members = {}) {
    const { models, formats, paid } = await getJSON('choices');
    this.cost.textContent = `This calls the model${paid ? ', and the upstream is paid for it' : ''}. Nobody waits for the answer but this page.`;
    this.models.replaceChildren(...models.map((m) => el('option', { value: m })));
    this.format.replaceChildren(el('option', { value: '', text: 'as configured' }), ...formats.map((f) => el('option', { value: f, text: f })));
    const text = new TextDecoder().decode(this.request());
    this.body.readOnly = text.length > longest;
    this.shown = this.body.readOnly ? 'The request is too long to change it here. It is sent as it was.' : indented(text);
    this.body.value = this.body.readOnly ? this.shown : indented(text, members);
    this.failure.textContent = '';
    this.dialog.showModal();
  }

  /** Sends the request: as it came, byte for byte, unless its text was changed. */
  async send() {
    const how = { model: this.model.value.trim(), format: this.format.value };
    if (this.body.value !== this.shown) {
      JSON.parse(this.body.value);
      how.body = this.body.value;
    }
    const { id } = await postJSON(`exchanges/${this.id}/replay`, how);
    this.dialog.close();
    this.replayed(id);
  }
}

/** Returns JSON on lines, with other members. Numbers stay as they are, and so does what is no JSON. */
function indented(text, members = {}) {
  const exact = (_, value, context) => (typeof value === 'number' && JSON.rawJSON && context ? JSON.rawJSON(context.source) : value);
  try {
    return JSON.stringify(merged(JSON.parse(text, exact), members), null, 2);
  } catch {
    return text;
  }
}

/** Applies a JSON merge patch: null removes a member. */
function merged(value, patch) {
  if (patch === null || typeof patch !== 'object') return patch;
  const all = { ...value };
  for (const [name, part] of Object.entries(patch)) {
    if (part === null) delete all[name];
    else all[name] = merged(all[name], part);
  }
  return all;
}
