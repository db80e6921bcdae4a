// What is known of an exchange beside its texts, and why it went as it did.

import { duration, el, reason, size } from './dom.js';
import { marks, statusClass, statusText } from './list.js';

/** Why a model is asked again, by the reason. */
const again = {
  stopped: 'the upstream stopped at a tag that the model wrote as text: it is asked to go on',
  uncontinued: 'the model did not go on with the call that the prompt began: it is asked for the call in words',
  unread: 'a call could not be read: the model is told which, and makes its calls again',
  unmet: 'the answer does not do what tool_choice asks: the model answers again',
  empty: 'the model answered results with nothing: it is asked once more, with a reminder after the results',
  repeated: 'the model made the calls again whose results it had: it is asked once more, with a reminder after the results',
  invalid: 'the answer is not what the schema asks for: the model answers again',
};

export const whyAgain = (reason) => again[reason] ?? reason;

/** Returns the facts of an exchange. */
export function drawFacts(x) {
  const list = el('dl', { class: 'facts' });
  const add = (name, value, kind) => value !== '' && value !== undefined && list.append(el('div', { class: kind ?? null }, el('dt', { text: name }), el('dd', { text: value })));
  add('status', `${statusText(x)}${x.error_type ? ` ${x.error_type}` : ''}`, statusClass(x));
  if (x.mark) add('mark', marks[x.mark], `m-${x.mark}`);
  if (x.failure) add('the client was told', x.failure.message, 'bad');
  add('request', `${x.method} ${x.path}`);
  add('id', x.id);
  add('client', x.client);
  add('dialect', x.dialect);
  add('key', x.key_id);
  add('asked for', x.model);
  add('route', x.route);
  add('answered by', [x.upstream, x.upstream_model].filter(Boolean).join(' / '));
  add('format', x.format);
  const own = x.asked.at(-1)?.stop;
  add('stop reason', own && own !== x.stop_reason ? `${x.stop_reason} (the model\u2019s own: ${own})` : x.stop_reason);
  add('tools called', (x.tools ?? []).join(', '));
  add('tokens', `${x.input_tokens} in${x.cached_tokens ? ` (${x.cached_tokens} cached)` : ''}, ${x.output_tokens} out`);
  add('took', duration(x.duration));
  if (x.replay_of) add('replay of', x.replay_of);
  if (x.continues) list.append(el('div', {}, el('dt', { text: 'continues' }), el('dd', {}, el('a', { href: `#/${x.continues}`, text: x.continues }))));
  if (x.dropped?.length) add('dropped', `${x.dropped.join(', ')}: the model does not get it`, 'note');
  if (x.unmet?.length) add('unmet', `${x.unmet.join(', ')}: the request forces it, and the model did not do it`, 'note');
  for (const o of x.outcomes) {
    if (o.kind !== 'clean') add(o.kind.replaceAll('_', ' '), [o.tool, reason(o)].filter(Boolean).join(': ') || 'a call', 'note');
  }
  for (const p of x.asked) if (p.again) add(p.again === 'stopped' ? 'continued' : 'asked again', whyAgain(p.again), 'note');
  for (const [i, c] of x.upstreams.entries()) if (c.error) add(`upstream ${c.upstream} said (call ${i + 1})`, c.error, 'bad');
  if (x.terminal && x.terminal !== 'complete') add('ended', x.terminal.replaceAll('_', ' '), 'bad');
  if (x.left_out) add('left out', `${size(x.left_out)}: the exchange is longer than what is kept of one`, 'note');
  return list;
}
