// The search: loads the index, and lists the sections that match below the field. Everything is written as text.
import MiniSearch from 'minisearch';
import { type Found, findSections } from './find-sections.ts';
import { indexOptions, type SearchedSection } from './search-options.ts';

const resultsMax = 12;
/** How much of a section is shown, in characters. */
const excerptLength = 170;
const beforeMatch = 50;

export function startSearch(form: HTMLFormElement, field: HTMLInputElement): void {
  const panel = form.querySelector<HTMLElement>('.results');
  const status = form.querySelector<HTMLElement>('[role=status]');
  const list = form.querySelector('ul');
  if (!panel || !status || !list) return;
  const index = loadIndex(form.dataset['index'] ?? '');
  const links = () => Array.from(list.querySelectorAll('a'));
  const close = () => {
    panel.hidden = true;
  };

  const show = async () => {
    const words = field.value.trim();
    if (words === '') return close();
    panel.hidden = false;
    try {
      const found = findSections(await index, words);
      // Typing goes on while the index loads.
      if (words !== field.value.trim()) return;
      list.replaceChildren(...found.slice(0, resultsMax).map((result) => itemOf(result, form.dataset['guide'] ?? '')));
      status.textContent = found.length === 0 ? `No results for “${words}”.` : countOf(found.length);
    } catch {
      status.textContent = 'The search could not be loaded. Reload the page to try again.';
    }
  };

  field.addEventListener('input', show);
  field.addEventListener('focus', show);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    links()[0]?.click();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !panel.hidden) {
      event.preventDefault();
      field.focus();
      close();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || panel.hidden) return;
    event.preventDefault();
    const stops = [field, ...links()];
    const next = stops.indexOf(document.activeElement as HTMLAnchorElement) + step;
    stops[(next + stops.length) % stops.length]?.focus();
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) close();
  });
  // A link to a section of this page loads nothing, and would leave the list open over it.
  list.addEventListener('click', close);
  // What was typed while this script was loading.
  void show();
}

async function loadIndex(address: string): Promise<MiniSearch<SearchedSection>> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status}`);
  return MiniSearch.loadJSON(await answer.text(), indexOptions);
}

function countOf(count: number): string {
  if (count > resultsMax) return `The best ${resultsMax} of ${count} results`;
  return count === 1 ? '1 result' : `${count} results`;
}

function itemOf({ path, page, heading, content, terms }: Found, guide: string): HTMLElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = /^(?:#|$)/.test(path) ? `${guide}${path}` : `${guide}/${path}`;
  const pattern = new RegExp(`(${terms.map(escapePattern).join('|')})`, 'gi');
  const title = document.createElement('strong');
  title.append(...marked(heading, pattern));
  const excerpt = document.createElement('span');
  excerpt.append(...marked(excerptOf(content, pattern), pattern));
  const place = document.createElement('small');
  place.textContent = page;
  link.append(title, ...(heading === page ? [] : [place]), excerpt);
  item.append(link);
  return item;
}

function excerptOf(content: string, pattern: RegExp): string {
  const match = Math.max(content.search(pattern), 0);
  const start = match <= beforeMatch ? 0 : content.indexOf(' ', match - beforeMatch) + 1;
  const end =
    start + excerptLength >= content.length ? content.length : content.lastIndexOf(' ', start + excerptLength);
  return `${start > 0 ? '… ' : ''}${content.slice(start, Math.max(end, match))}${end < content.length ? ' …' : ''}`;
}

function marked(text: string, pattern: RegExp): (Node | string)[] {
  return text.split(pattern).map((part, index) => {
    if (index % 2 === 0) return part;
    const mark = document.createElement('mark');
    mark.textContent = part;
    return mark;
  });
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
