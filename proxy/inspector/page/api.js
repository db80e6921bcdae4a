// What the server is asked. The token comes in the fragment of the address, which no browser sends,
// and goes out in a header alone: not in a cookie, and not in an address.

const kept = 'dragoman-inspector-token';

/** Takes the token out of the address, so that it is neither shown nor in the history. */
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given) {
    sessionStorage.setItem(kept, given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(kept) ?? '';
}

let token = takeToken();

/** Takes over a token that was typed or pasted: alone, or at the end of an address. */
export function setToken(text) {
  token = /token=([^&\s]+)/.exec(text)?.[1] ?? text.trim();
  sessionStorage.setItem(kept, token);
}

/** Reports whether there is a token, right or wrong. */
export const hasToken = () => token !== '';

/** Takes over a token that came into the address later, and reports whether there was one. */
export function tokenArrived() {
  if (!location.hash.startsWith('#token=')) return false;
  token = takeToken();
  return true;
}

/** What the server refused, or could not be asked. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(path, options = {}) {
  const response = await fetch(new URL(`/inspector/api/${path}`, location.origin), {
    ...options,
    headers: { Authorization: `Bearer ${encodeURIComponent(token)}`, ...options.headers },
    credentials: 'omit',
    redirect: 'error',
    cache: 'no-store',
  });
  if (response.ok) return response;
  let message = `${response.status} ${response.statusText}`;
  try {
    message = (await response.json()).error ?? message;
  } catch {
    // not what we send: the status has to do
  }
  throw new Refusal(response.status, message);
}

/** Returns what is at a path of the API, from JSON. */
export const getJSON = async (path) => (await ask(path)).json();

/** Returns the bytes at a path of the API, and the size of the whole text. */
export async function getBytes(path) {
  const response = await ask(path);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { bytes, size: Number(response.headers.get('X-Text-Size') ?? bytes.length) };
}

/** Returns the text at a path of the API. */
export const getText = async (path) => (await ask(path)).text();

/** Sends a value in JSON, and returns the answer, from JSON. */
export const postJSON = async (path, value) =>
  (await ask(path, { method: 'POST', body: JSON.stringify(value), headers: { 'Content-Type': 'application/json' } })).json();

/** Asks to delete what is at a path. */
export const remove = (path) => ask(path, { method: 'DELETE' });

/** Yields the server-sent events of the live feed: {name, data}. EventSource could not send the token. */
export async function* live(signal) {
  const response = await ask('live', { signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  yield { name: 'open' };
  let buffer = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    buffer += value;
    for (let end; (end = buffer.indexOf('\n\n')) >= 0; buffer = buffer.slice(end + 2)) {
      const event = { name: '', data: null };
      for (const line of buffer.slice(0, end).split('\n')) {
        if (line.startsWith('event: ')) event.name = line.slice(7);
        if (line.startsWith('data: ')) event.data = JSON.parse(line.slice(6));
      }
      if (event.name) yield event;
    }
  }
}
