// The parts of a prompt, as they are, or beside those of the turn before: what is as it was there is
// folded, and what is new or gone stands open.

import { el, fold, size } from './dom.js';
import { Flow } from './flow.js';

const newline = 10;
const near = 400; // bytes: what is shorter is not folded, and a longer line is not marked as a whole

/** Returns the parts of a prompt, given its sections and its bytes. before is the prompt of the turn before, or null. */
export function drawSections({ sections, bytes }, before) {
  const then = before && partsOf(before);
  const drawn = [];
  let same = []; // parts as before, which follow one another
  let length = 0;
  const fold = () => {
    if (same.length) drawn.push(folded(`${same.length} ${same.length > 1 ? 'parts' : 'part'} as before`, length, ...same));
    [same, length] = [[], 0];
  };
  for (const [path, { s, text }] of partsOf({ sections, bytes })) {
    const old = then?.get(path);
    then?.delete(path);
    const change = then && differ(text, old?.text ?? new Uint8Array(0));
    if (old && !change && old.s.note === s.note) {
      same.push(section(s, '', flow(s, text, 0, text.length)));
      length += text.length;
      continue;
    }
    fold();
    const how = !then ? '' : old ? 'changed' : 'new';
    drawn.push(section(s, how, ...(change ? changed(s, text, old?.text, change) : [flow(s, text, 0, text.length)])));
  }
  fold();
  for (const { s, text } of then?.values() ?? []) drawn.push(section(s, 'gone', el('del', {}, flow({}, text, 0, text.length))));
  return drawn;
}

/** Returns the parts of a prompt by their paths: what is known of one, and its text. */
function partsOf({ sections, bytes }) {
  let from = 0;
  return new Map(sections.map((s) => [s.path, { s, text: bytes.subarray(from, (from = s.end)) }]));
}

const section = (s, how, ...content) =>
  el('div', { class: `section ${s.role}`, 'data-section': s.path }, el('h5', { text: s.role }, ' ', el('small', { text: [s.note ?? s.path, how].filter(Boolean).join(', ') })), ...content);

const folded = (name, bytes, ...content) =>
  el('details', { class: 'same', open: bytes > 0 && bytes < near && content.length === 1 }, el('summary', {}, `${name} `, el('small', { text: size(bytes) })), ...content);

/** Returns the pieces of a part that is not as it was. */
function changed(s, text, old, { from, to, end }) {
  const as = (a, b) => (a < b ? folded('as before', b - a, flow(s, text, a, b)) : null);
  return [
    as(0, from),
    end > from ? el('del', {}, flow({}, old, from, end)) : null,
    to > from ? el('ins', {}, flow(s, text, from, to)) : null,
    as(to, text.length),
  ];
}

/** Returns a piece of the text of a part, in its colours. */
function flow(s, text, from, to) {
  const root = el('div', { class: 'flow' });
  const shown = new Flow(root, { escapes: s.role !== 'native' && !s.sources });
  shown.append(text.subarray(from, to));
  shown.setSpans(0, (s.sources ?? []).filter((span) => span.end > from).map((span) => ({ ...span, end: span.end - from })));
  shown.draw();
  return fold(root, to - from);
}

/**
 * Returns where one text differs from another, null if it does not: in place of what stands from an offset to an end in the
 * old one, the new one has what stands from there to an offset. These are whole lines, unless they are long.
 */
function differ(text, old) {
  const least = Math.min(text.length, old.length);
  let from = 0;
  while (from < least && text[from] === old[from]) from++;
  if (from === text.length && from === old.length) return null;
  let same = 0; // bytes at the ends
  while (same < least - from && text.at(-1 - same) === old.at(-1 - same)) same++;
  const longer = text.length > old.length ? text : old;
  if (from + same === least) { // lines that were put in between, or taken out: where the first begins
    while (from > 0 && longer[from - 1] !== newline && longer[from - 1] === longer.at(-1 - same)) [from, same] = [from - 1, same + 1];
  }
  const line = text.subarray(0, from).lastIndexOf(newline) + 1;
  if (from - line < near) from = line;
  else while (from > 0 && inCharacter(text[from] ?? old[from])) from--;
  while (same > 0 && inCharacter(text.at(-same))) same--;
  const begins = (t) => t.length === same || t[t.length - same - 1] === newline;
  const rest = text.subarray(text.length - same).indexOf(newline) + 1 || same;
  if (!(begins(text) && begins(old)) && rest < near) same -= rest;
  return { from, to: text.length - same, end: old.length - same };
}

const inCharacter = (byte) => (byte & 0xc0) === 0x80;
