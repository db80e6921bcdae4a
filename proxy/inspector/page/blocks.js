// The content blocks of an answer, as a client gets them.

import { el } from './dom.js';
import { text } from './request.js';

/** Returns the blocks that events make. */
export function blocksOf(events) {
  const blocks = [];
  for (const e of events) {
    if (e.name === 'content_block_start') blocks[e.index] = { ...JSON.parse(e.data).content_block, parts: [] };
    else if (e.delta) blocks[e.index]?.parts.push(e.data);
  }
  return blocks.filter(Boolean).map(({ parts, ...block }) => {
    const all = parts.join('');
    if (block.type === 'tool_use') return { ...block, input: all || block.input };
    return { ...block, [block.type]: all };
  });
}

/** Shows blocks, and why the answer ended. */
export function drawBlocks(root, blocks, stop) {
  root.replaceChildren(...blocks.map((b) => {
    const call = b.type === 'tool_use';
    const shown = call ? json(b.input) : b[b.type];
    return el('div', { class: `content ${call ? 'call' : ''}` }, el('h4', { text: call ? `${b.type} ${b.name}` : b.type }), text(typeof shown === 'string' ? shown : JSON.stringify(b, null, 2)));
  }), el('p', { class: 'stops', text: `${blocks.length ? '' : 'no blocks; '}stop_reason ${stop || 'none'}` }));
}

function json(input) {
  try {
    return JSON.stringify(typeof input === 'string' ? JSON.parse(input) : input, null, 2);
  } catch {
    return String(input);
  }
}
