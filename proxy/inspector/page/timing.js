// The times of an exchange, as bars on one line of time.

import { duration, el } from './dom.js';

/** Returns the bars of an exchange. */
export function drawTiming(x) {
  const end = Math.max(x.duration ?? 0, ...x.upstreams.map((c) => c.ended ?? 0), 1);
  const rows = el('ul', { class: 'timing', 'aria-label': 'Times' });
  const add = (name, from, to, kind, ticks = []) => {
    if (to === undefined || to < from) return;
    const bar = el('span', { class: `bar-of ${kind}` });
    bar.style.left = `${(100 * from) / end}%`;
    bar.style.width = `max(2px, ${(100 * (to - from)) / end}%)`;
    const track = el('span', { class: 'track', 'aria-hidden': 'true' }, bar);
    for (const tick of ticks) {
      const mark = el('span', { class: 'bar-of gap', title: `silent for ${duration(tick.to - tick.from)}` });
      mark.style.left = `${(100 * tick.from) / end}%`;
      mark.style.width = `max(2px, ${(100 * (tick.to - tick.from)) / end}%)`;
      track.append(mark);
    }
    rows.append(el('li', {}, el('span', { class: 'name', text: name }), track, el('span', { class: 'value', text: duration(to - from) })));
  };
  const { decode, render, parse, encode } = x.overhead;
  const begin = x.asked[0]?.at ?? decode + render;
  if (!x.open) {
    add('decode', Math.max(0, begin - render - decode), Math.max(decode, begin - render), 'own');
    add('render', Math.max(0, begin - render), Math.max(render, begin), 'own');
  }
  for (const [i, c] of x.upstreams.entries()) {
    const of = x.upstreams.length > 1 ? ` (call ${i + 1})` : '';
    const ended = c.ended ?? (x.open ? end : undefined);
    if (c.connecting) add(`${c.reused ? 'kept connection' : 'connect'}${of}`, c.connecting, c.connected || ended, 'connect');
    const sent = c.sent || c.connected || c.at;
    const first = c.first_byte || c.first_chunk;
    add(`first byte${of}`, sent, first || ended, 'wait');
    if (first) add(`answer${of}`, first, ended, 'answer', x.gaps.filter((g) => g.from >= first && g.to <= ended));
    if (c.error) rows.lastElementChild?.classList.add('failed');
  }
  if (x.first_event) add('first event', 0, x.first_event, 'event');
  if (!x.open) {
    add('parse, in all', 0, parse, 'own');
    if (encode) add('encode', Math.max(0, end - encode), end, 'own');
  }
  return rows;
}
