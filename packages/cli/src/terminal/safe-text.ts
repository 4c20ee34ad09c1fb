// Text of others on its way to a terminal: names come from visitors, and must not be able to move the cursor, set the
// title, colour the screen or turn the direction of what stands beside them.

/**
 * Control characters (C0, DEL and C1, which hold all escape sequences), line and paragraph separators, halves of
 * surrogate pairs, marks that turn the direction of text, and characters that show nothing at all. Joiners stay: Persian
 * and emoji are written with them.
 */
const unsafe =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufff9-\ufffb]/gu;

/** One line, in which whatever could do harm is shown as what it is. */
export function safeText(text: string): string {
  return text.replace(unsafe, spellOut);
}

/** The same, for text of our own that has several lines. */
export function safeLines(text: string): string {
  return text.split('\n').map(safeText).join('\n');
}

/** JSON with the same characters escaped: the value is the same, and a terminal is safe. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(unsafe, (found) =>
    found === '\n' ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function spellOut(found: string): string {
  return `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`;
}
