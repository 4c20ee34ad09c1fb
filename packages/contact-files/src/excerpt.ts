// Cells and titles as a preview shows them: a file may have some of megabytes.

const excerptLength = 60;

/** The beginning of a text, with an ellipsis when there is more. */
export function excerpt(text: string): string {
  // A character has at most two code units: this slice holds one more than is shown, or the whole text.
  const start = Array.from(text.slice(0, 2 * excerptLength + 2));
  return start.length > excerptLength ? `${start.slice(0, excerptLength).join('')}…` : text;
}
