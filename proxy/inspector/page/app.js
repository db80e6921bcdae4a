// The page: the list, what is opened, and the live feed that tells of changes.

import { Refusal, getJSON, hasToken, live, remove, tokenArrived } from './api.js';
import { drawActions } from './actions.js';
import { el } from './dom.js';
import { Exchange } from './exchange.js';
import { List } from './list.js';
import { Replay } from './replay.js';
import { askForToken } from './token.js';

const byID = (id) => document.getElementById(id);
const [state, listSection, exchangeSection] = [byID('state'), byID('list'), byID('exchange')];
document.body.classList.add('together');

const list = new List({
  root: byID('rows'), filter: byID('filter'), filters: byID('marks'), count: byID('count'), newer: byID('newer'), empty: byID('empty'),
  open: (id) => go(`#/${id}`),
  search: async (text) => (await getJSON(`search?text=${encodeURIComponent(text)}`)).ids,
});

/** Shows what has happened, for all to read. */
function say(text, bad = false) {
  state.textContent = text;
  state.classList.toggle('bad', bad);
}

let opened = [];

/** Goes to an address within the page: "" is the list, "#/ID" an exchange, "#/ID/ID" two. */
function go(hash) {
  if (hash === location.hash || (hash === '' && !location.hash)) show();
  else if (hash) location.hash = hash;
  else {
    history.pushState(null, '', location.pathname);
    show();
  }
}

/** Shows what the address names. */
function show() {
  for (const x of opened) x.leave();
  opened = [];
  exchangeSection.replaceChildren();
  const ids = location.hash.startsWith('#/') ? location.hash.slice(2).split('/').filter((id) => /^\w+$/.test(id)).slice(0, 2) : [];
  listSection.hidden = ids.length > 0;
  exchangeSection.hidden = ids.length === 0;
  document.title = `${ids.length ? 'Exchange' : 'Exchanges'} · Dragoman inspector`;
  if (ids.length === 0) {
    list.rows.update();
    if (list.rows.at >= 0) list.rows.choose(list.rows.at);
    byID('rows').focus();
    return;
  }
  const replay = new Replay(ids[0], { request: () => opened[0].requestBytes, replayed: (again) => go(`#/${ids[0]}/${again}`) });
  const replayWith = (members) => replay.open(members).catch((e) => say(e.message, true));
  opened = ids.map((id, i) => new Exchange(id, { title: ids.length > 1 ? ['Before', 'Replay'][i] : `Exchange ${id}`, replay: i === 0 ? replayWith : null }));
  exchangeSection.append(
    drawActions(ids[0], { replay, said: say, back: () => go('') }),
    legend(),
    el('div', { class: ids.length > 1 ? 'pair' : 'single' }, ...opened.map((x) => x.element)));
  exchangeSection.focus();
  for (const x of opened) follow(x);
}

const follow = (x) => x.update().catch((e) => !x.left && say(e.message, true));

/** Says what the colours of a completion stand for. */
function legend() {
  const kinds = {
    text: 'text', markup: 'markup', value: 'value', dropped: 'no part of the answer', held: 'held, until it is known', doubt: 'in doubt', shaped: 'text that looks like a call',
  };
  return el('p', { class: 'legend' }, 'In a completion: ', ...Object.entries(kinds).map(([kind, name]) => el('span', { class: `k k-${kind}`, text: name })), ' in a prompt: ', el('span', { class: 'escape', text: '&lt;' }), ' escaped');
}

/** Asks for the whole list, page by page, and draws it: the next key may choose a row of it. */
async function load() {
  let before = 0;
  do {
    const { lines } = await getJSON(`exchanges?limit=1000${before ? `&before=${before}` : ''}`);
    list.add(lines.reverse());
    before = lines.length === 1000 ? lines[0].number : 0;
  } while (before);
  list.sift();
}

/** Follows what changes, for as long as the page is open. */
async function watch() {
  let connected = false;
  for (let wait = 250; ; wait = Math.min(2 * wait, 5000)) {
    try {
      for await (const event of live()) {
        wait = 250;
        if (event.name === 'open') {
          connected = true;
          list.clear();
          await load();
          for (const x of opened) follow(x);
          say('Live');
        } else if (event.name === 'clear') {
          list.clear();
          await load(); // more has changed than the feed holds, or all was forgotten
        } else {
          changed(event.data);
        }
      }
      say('The server has ended the connection. Trying again…', true);
    } catch (e) {
      say(e instanceof Refusal ? e.message : 'The server cannot be reached. Trying again…', true);
      if (e instanceof Refusal && e.status === 401) {
        say('Not connected', true);
        await askForToken(connected ? 'The server has started again. Its token is a new one, and what it had kept is gone.'
          : hasToken() ? 'This token is wrong: the server has another one since it started.' : 'The inspector needs the token that the server printed.');
        continue;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

let gathered = [];

/** Takes over a line that has changed, with all others that came before the next frame. */
function changed(line) {
  gathered.push(line);
  if (gathered.length > 1) return;
  queueMicrotask(() => {
    list.add(gathered.splice(0));
  });
  for (const x of opened) if (x.id === line.id) follow(x);
}

window.addEventListener('hashchange', () => (tokenArrived() ? location.reload() : show()));
window.addEventListener('popstate', show);

document.addEventListener('keydown', (e) => {
  if (document.querySelector('dialog[open]')) return;
  const typing = e.target.matches('input, select, textarea');
  if (e.key === 'Enter' && e.target === byID('filter')) {
    byID('rows').focus();
    list.rows.choose(Math.max(0, list.rows.at));
    e.preventDefault();
  } else if (e.key === 'Escape') {
    if (e.target === byID('filter') && e.target.value) {
      e.target.value = '';
      e.target.dispatchEvent(new Event('input'));
    } else if (e.target === byID('filter')) byID('rows').focus();
    else if (!listSection.hidden) return;
    else go('');
    e.preventDefault();
  } else if (e.key === '/' && !typing && !listSection.hidden) {
    byID('filter').focus();
    e.preventDefault();
  } else if (!typing && !listSection.hidden && ['j', 'k', 'ArrowDown', 'ArrowUp'].includes(e.key) && !byID('rows').contains(e.target)) {
    byID('rows').focus();
    list.rows.key(e);
  }
});

byID('clear').addEventListener('click', () => remove('exchanges').then(() => list.clear(), (e) => say(e.message, true)));
show();
watch();
