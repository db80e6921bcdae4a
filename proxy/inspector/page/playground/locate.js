// Where in the text of a JSON value the member stands that a path names: "messages.0.content.1".

/** Returns the beginning and the end of what is nearest to it, and null for the whole or for no JSON. */
export function locate(text, path) {
  let at = 0;
  const blank = () => { while (' \t\r\n'.includes(text[at]) && at < text.length) at++; };
  const string = () => {
    const from = at++;
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    return text.slice(from, ++at);
  };
  const skip = () => {
    let depth = 0;
    do {
      blank();
      if (text[at] === '"') string();
      else if ('{['.includes(text[at])) { depth++; at++; }
      else if ('}]'.includes(text[at])) { depth--; at++; }
      else if (',:'.includes(text[at])) at++;
      else while (at < text.length && !',:{}[]" \t\r\n'.includes(text[at])) at++;
    } while (depth > 0 && at < text.length);
  };
  let found = null;
  for (const step of path.split('.')) {
    blank();
    const open = text[at];
    if (open !== '{' && open !== '[') break; // a string where a list may stand
    at++;
    let there = false;
    for (let index = 0; at < text.length; index++) {
      blank();
      if ('}]'.includes(text[at])) break;
      let name = String(index);
      if (open === '{') {
        try { name = JSON.parse(string()); } catch { return found; }
        blank();
        at++;
        blank();
      }
      const from = at;
      skip();
      if (name === step) {
        found = [from, at];
        at = from;
        there = true;
        break;
      }
      blank();
      if (text[at] === ',') at++;
    }
    if (!there) break;
  }
  return found;
}
