// The code on a page: a button copies it, beside it so that it covers nothing, and examples show the address of this server.

/** In the docs, for a server whose address they cannot know. */
const documentedAddress = 'http://127.0.0.1:8080';
const shownMs = 2000;

export function showAddress(code: Element, address: string): void {
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    text.nodeValue = text.nodeValue?.replaceAll(documentedAddress, address) ?? null;
  }
}

export function addCopyButton(code: HTMLElement): void {
  const box = document.createElement('div');
  box.className = 'code';
  const button = document.createElement('button');
  button.type = 'button';
  // What it says after a click is read aloud.
  button.ariaLive = 'polite';
  button.textContent = 'Copy';
  let timer: number | undefined;
  button.addEventListener('click', async () => {
    button.textContent = (await copy(code)) ? 'Copied' : 'Select it and copy by hand';
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      button.textContent = 'Copy';
    }, shownMs);
  });
  code.replaceWith(box);
  box.append(code, button);
}

async function copy(code: HTMLElement): Promise<boolean> {
  // Over plain HTTP from another machine, browsers have no clipboard but that of a selection.
  if (navigator.clipboard === undefined) {
    getSelection()?.selectAllChildren(code);
    return document.execCommand('copy');
  }
  return navigator.clipboard.writeText((code.textContent ?? '').trimEnd()).then(
    () => true,
    () => false,
  );
}
