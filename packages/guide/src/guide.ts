// Makes a page of the guide searchable, its code copyable, and wide tables and code reachable by keyboard. A page without
// scripts shows everything else.
import { addCopyButton, showAddress } from './code.ts';

const form = document.querySelector<HTMLFormElement>('form[role=search]');
const field = form?.querySelector('input');

if (form && field) {
  form.hidden = false;
  let isStarted = false;
  // Most readers do not search: the index is as large as some pages together.
  field.addEventListener('focus', async () => {
    if (isStarted) return;
    isStarted = true;
    const { startSearch } = await import('./search.ts');
    startSearch(form, field);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey) return;
    event.preventDefault();
    field.select();
    field.focus();
  });
}

// A proxy may serve Roster below a path.
const address = new URL(form?.dataset['guide'] ?? '', location.href).href.replace(/\/docs\/guide$/, '');
for (const code of document.querySelectorAll('article[data-calls-server] pre')) showAddress(code, address);
for (const code of document.querySelectorAll<HTMLElement>('article pre')) addCopyButton(code);

/** What can be scrolled must be reachable, and what cannot must not be a stop on the way. */
const watchWidth = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0');
    else target.removeAttribute('tabindex');
  }
});
for (const element of document.querySelectorAll('main .scroll, main pre')) watchWidth.observe(element);

// The menu is longer than a small window.
const menu = document.getElementById('menu');
const current = menu?.querySelector<HTMLElement>('[aria-current=page]');
if (menu && current && current.offsetTop > menu.clientHeight / 2)
  menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
