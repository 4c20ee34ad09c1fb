// Creates DOM elements without parsing HTML, so that text is never interpreted as markup.

type Attributes = Record<string, string>;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A line drawing on a 24 by 24 grid. */
export function icon(path: string): SVGElement {
  const namespace = 'http://www.w3.org/2000/svg';
  const drawing = document.createElementNS(namespace, 'svg');
  drawing.setAttribute('viewBox', '0 0 24 24');
  drawing.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(namespace, 'path');
  line.setAttribute('d', path);
  drawing.append(line);
  return drawing;
}

/** The first character of a name, which may be several code units; '?' for an empty name. */
export function initialOf(name: string): string {
  return Array.from(name.trim())[0]?.toUpperCase() ?? '?';
}

/** Adds a constructed style sheet to the shadow root. A content security policy against inline styles allows it. */
export function addStyles(root: ShadowRoot, css: string): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch {
    // Safari before 16.4 has no constructed style sheets.
    root.append(element('style', {}, [css]));
  }
}
