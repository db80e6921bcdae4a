// The field for the token, shown where the page has none that is right.

import { getJSON, setToken } from './api.js';

const form = document.getElementById('token');
const field = document.getElementById('token-text');
const why = document.getElementById('token-why');

/** Asks for a token, and returns once there is one that is right. reason says why it is asked for. */
export function askForToken(reason) {
  why.textContent = reason;
  form.hidden = false;
  field.focus();
  return new Promise((resolve) => {
    const use = async () => {
      if (!field.value.trim()) return;
      setToken(field.value);
      try {
        await getJSON('choices');
      } catch (e) {
        why.textContent = e.status === 401 ? 'This token is wrong. Paste the line that the server printed last.' : e.message;
        field.select();
        return;
      }
      field.value = '';
      form.hidden = true;
      form.onsubmit = field.onpaste = null;
      resolve();
    };
    form.onsubmit = (e) => {
      e.preventDefault();
      use();
    };
    field.onpaste = () => setTimeout(use); // once it is in the field
  });
}
