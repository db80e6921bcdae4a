// Why an answer has no tool call, or lacks one, and what may change that.

import { getJSON, postJSON } from './api.js';
import { drawBlocks } from './blocks.js';
import { copyButton, el, reason, reveal } from './dom.js';

const lost = /^(leaked|refused|incomplete|empty)|repeated$/;

/** Reports whether an exchange has something to explain. */
export const hasWhy = (x) => !x.open && (x.mark === 'no_call' || (x.misread ?? []).some((m) => lost.test(m)));

/**
 * Fills in the panel of an exchange. marked returns the text in the completion that has the shape of a call, and replay
 * sends the request again with other members; null if that is not possible.
 */
export async function drawWhy(root, id, { marked, replay }) {
  const { completions, flags } = await getJSON(`exchanges/${id}/why`);
  const stuck = (o) => o.kind === 'empty' || o.reason === 'repeated';
  root.hidden = completions.length === 0;
  root.replaceChildren(el('h3', { text: completions.some((c) => c.outcomes?.some(stuck)) ? 'Why no answer?' : 'Why no tool call?' }), ...completions.flatMap((c) => drawCompletion(id, c, { marked, replay, flags })));
}

function drawCompletion(id, c, { marked, replay, flags }) {
  const found = c.outcomes && marked();
  const result = el('div', { class: 'sides', 'aria-live': 'polite' });
  return [
    c.prose && el('p', { text: c.prose }),
    c.outcomes && el('ul', { class: 'reasons' }, ...c.outcomes.map((o) => el('li', {}, el('b', { text: o.tool || (o.kind === 'empty' ? 'the answer' : 'a call') }), ` ${o.why} `, el('small', { text: [o.kind, reason(o)].filter(Boolean).join(': ') })))),
    found && el('button', { type: 'button', text: 'Show the text in the completion', on: { click: () => reveal(marked(), 'center') } }),
    c.changes?.length > 0 && el('p', { text: c.prose ? 'What to try, in this order:' : 'What may change that, as keys of the model\u2019s entry in the configuration:' }),
    el(c.prose ? 'ol' : 'ul', { class: 'changes' }, ...(c.changes ?? []).map((change) => drawChange(id, c.asked, change, { result, replay, flags }))),
    result,
  ].filter(Boolean);
}

function drawChange(id, asked, { keys, members, command, why, file, change, calls }, { result, replay, flags }) {
  const shown = keys ?? command ?? (members && JSON.stringify(members, (_, value) => value ?? undefined));
  const failed = (e) => result.replaceChildren(el('p', { class: 'bad', text: e.message }));
  const act = () => parse(id, asked, keys, change, result).catch(failed);
  return el('li', {},
    shown && el('code', { text: shown }), shown && copyButton(shown, () => new TextEncoder().encode(shown)),
    members && replay && el('button', { type: 'button', text: 'Replay with this…', on: { click: () => replay(members) } }),
    change && el('button', { type: 'button', 'aria-label': `Parse with ${keys}`, text: 'Parse with this', on: { click: act } }),
    el('span', {}, why, calls ? ` This completion then calls ${calls.join(', ')}.` : keys ? ' Only the model can show what it does then.' : ''),
    file && drawFile(file, flags));
}

/** Shows the configuration with a change. flags chose the one in use. */
function drawFile(file, flags = []) {
  const how = flags[0] === '--config' ? `Save it as ${flags[1]}, which Dragoman reads again by itself.`
    : `Save it as dragoman.yaml, and start Dragoman with --config dragoman.yaml${flags.length ? ` in place of ${flags.join(' ')}` : ''}.`;
  const masked = file.includes('masked-') ? ' Write your own secrets in place of masked-….' : '';
  return el('details', {}, el('summary', { text: 'The whole file' }), el('p', { text: how + masked }), copyButton('the file', () => new TextEncoder().encode(file)), el('pre', { text: file }));
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
