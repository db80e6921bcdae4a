// The playground: a request and its prompt, as it is typed; a completion and what the parser makes of
// it, step by step.

import { getJSON, postJSON, tokenArrived } from '../api.js';
import { el } from '../dom.js';
import { Field } from './field.js';
import { locate } from './locate.js';
import { drawPrompt } from './prompt.js';
import { Steps } from './steps.js';

const byID = (id) => document.getElementById(id);
const pause = 150; // milliseconds without a key before what was typed is tried

/** Shows what could not be done, for all to read. */
function say(text) {
  byID('state').textContent = text;
  byID('state').classList.toggle('bad', text !== '');
}

/** Returns a function that does the work once it has not been called for a while, and never twice at once. */
function calmly(work) {
  let [timer, running, again] = [0, false, false];
  const run = async () => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    try {
      do {
        again = false;
        await work();
      } while (again);
    } finally {
      running = false;
    }
  };
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, pause);
  };
}

const request = new Field(byID('request'), byID('request-file'), () => changed());
const completion = new Field(byID('completion'), byID('completion-file'), () => reread());
let bytes = new Uint8Array(0); // of the completion

/** Returns what both endpoints are sent. */
function asked() {
  const [kind, name] = [byID('way').selectedOptions[0]?.dataset.kind, byID('way').value];
  return { request: request.text, [kind ?? 'format']: name, prefill: byID('prefill').checked };
}

/** Returns what the server makes of what is tried. */
async function tried(path, value) {
  const answer = await postJSON(path, value);
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}

const rerender = calmly(async () => {
  const about = byID('about');
  try {
    const answer = await tried('playground/render', asked());
    drawPrompt(byID('prompt'), answer);
    about.textContent = `About ${answer.tokens} tokens.${answer.dropped?.length ? ` The model does not get: ${answer.dropped.join(', ')}.` : ''}`;
    about.classList.remove('bad');
    byID('prompt').classList.remove('stale');
  } catch (e) {
    about.textContent = e.message;
    about.classList.add('bad');
    byID('prompt').classList.add('stale');
  }
});

const steps = new Steps({ reading: byID('reading'), events: byID('events'), at: byID('at'), where: byID('where') }, {
  ask: (from, count) => tried('playground/parse', {
    ...asked(), completion: completion.text, stop_reason: byID('stop').value, stop_sequence: byID('sequence').value,
    piece: Math.max(1, Math.floor(Number(byID('piece').value)) || 1), from, count,
  }),
  bytes: () => bytes,
  failed: (text) => { say(text); },
});

const reread = calmly(async () => {
  bytes = new TextEncoder().encode(completion.text);
  await steps.restart(0);
});

/** Renders and parses again, since both depend on the request. */
function changed() {
  rerender();
  reread();
}

const step = (n) => steps.show(Math.min(Math.max(n, 0), steps.total - 1));
byID('at').addEventListener('input', (e) => step(Number(e.target.value)));
byID('first').addEventListener('click', () => step(0));
byID('back').addEventListener('click', () => step(Number(byID('at').value) - 1));
byID('forward').addEventListener('click', () => step(Number(byID('at').value) + 1));
byID('last').addEventListener('click', () => step(steps.total - 1));
for (const id of ['stop', 'sequence', 'piece']) byID(id).addEventListener('input', reread);
for (const id of ['way', 'prefill']) byID(id).addEventListener('input', changed);

document.addEventListener('keydown', (e) => {
  if (e.target.matches('textarea, select, input:not([type=range])') || e.ctrlKey || e.metaKey || e.altKey) return;
  const by = { '[': -1, ']': 1 }[e.key];
  if (!by) return;
  step(Number(byID('at').value) + by);
  e.preventDefault();
});

byID('prompt').addEventListener('click', (e) => {
  const source = e.target.closest('[data-source]')?.dataset.source;
  const found = source && request.held === null && locate(request.text, source);
  if (!found || !getSelection().isCollapsed) return;
  byID('request').focus();
  byID('request').setSelectionRange(...found);
  byID('about').textContent = `From ${source}.`;
});

window.addEventListener('hashchange', () => { if (tokenArrived()) location.reload(); });

/** Lists the formats, and the models of the server. */
async function start() {
  const { formats, models } = await getJSON('choices');
  const group = (label, kind, names) => el('optgroup', { label }, ...names.map((name) => el('option', { value: name, 'data-kind': kind, text: name })));
  byID('way').append(group('in the format', 'format', formats), ...(models.length ? [group('for the model', 'model', models)] : []));
  byID('request').value = JSON.stringify({
    model: 'any', max_tokens: 1024,
    tools: [{ name: 'get_weather', description: 'The weather in a city.', input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } }],
    messages: [{ role: 'user', content: 'Is it raining in Oslo? My notes end in </invoke>.' }],
  }, null, 2);
  byID('sequence').value = '</function_calls>';
  byID('completion').value = 'I will look.\n<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n';
  changed();
}

start().catch((e) => say(e.message));
