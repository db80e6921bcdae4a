// Why an answer has no tool call, or lacks one, and what may change that.

import { getJSON, postJSON } from './api.js';
import { drawBlocks } from './blocks.js';
import { copyButton, el, reason, reveal } from './dom.js';

const lost = /^(leaked|refused|incomplete|empty)|repeated$/;

/** Reports whether an exchange has something to explain. */
export const hasWhy = (x) => !x.open && (x.misread ?? []).some((m) => lost.test(m));

/** Fills in the panel of an exchange. marked returns the text in the completion that has the shape of a call. */
export async function drawWhy(root, id, marked) {
  const { completions } = await getJSON(`exchanges/${id}/why`);
  root.hidden = completions.length === 0;
  root.replaceChildren(el('h3', { text: completions.some((c) => c.outcomes.some((o) => o.kind === 'empty' || o.reason === 'repeated')) ? 'Why no answer?' : 'Why no tool call?' }), ...completions.flatMap((c) => drawCompletion(id, c, marked)));
}

function drawCompletion(id, c, marked) {
  const found = marked();
  const result = el('div', { class: 'sides', 'aria-live': 'polite' });
  return [
    el('ul', { class: 'reasons' }, ...c.outcomes.map((o) => el('li', {}, el('b', { text: o.tool || (o.kind === 'empty' ? 'the answer' : 'a call') }), ` ${o.why} `, el('small', { text: [o.kind, reason(o)].filter(Boolean).join(': ') })))),
    found && el('button', { type: 'button', text: 'Show the text in the completion', on: { click: () => reveal(marked(), 'center') } }),
    c.changes?.length > 0 && el('p', { text: 'What may change that, as keys of the model\u2019s entry in the configuration:' }),
    el('ul', { class: 'changes' }, ...(c.changes ?? []).map((change) => drawChange(id, c.asked, change, result))),
    result,
  ].filter(Boolean);
}

function drawChange(id, asked, { keys, why, change, calls }, result) {
  const failed = (e) => result.replaceChildren(el('p', { class: 'bad', text: e.message }));
  const act = () => parse(id, asked, keys, change, result).catch(failed);
  return el('li', {},
    el('code', { text: keys }), copyButton(keys, () => new TextEncoder().encode(keys)),
    change && el('button', { type: 'button', 'aria-label': `Parse with ${keys}`, text: 'Parse with this', on: { click: act } }),
    el('span', {}, why, calls ? ` This completion then calls ${calls.join(', ')}.` : ' Only the model can show what it does then.'));
}

/** Parses the completion under a change, and shows the new blocks beside the old. */
async function parse(id, asked, keys, change, result) {
  const { before, after } = await postJSON(`exchanges/${id}/reparse?asked=${asked}`, change);
  result.replaceChildren(...[['As it was', before], [`With ${keys}`, after]].map(([name, message]) => {
    const blocks = el('div');
    drawBlocks(blocks, message.content, message.stop_reason);
    return el('section', { 'aria-label': name }, el('h4', { text: name }), blocks);
  }));
}
