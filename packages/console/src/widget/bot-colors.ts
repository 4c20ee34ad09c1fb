// The colors of new bots, so that they can be told apart. White text can be read on each of them.
const colors = ['#2f6fed', '#1a7f5a', '#c2410c', '#8b3fd9', '#be185d', '#0e7490', '#92600a', '#4b5563'];

/** The first that no bot has; when all are taken, each once more. */
export function nextColor(taken: readonly string[]): string {
  const uses = (color: string) => taken.filter((each) => each === color).length;
  return colors.reduce((best, color) => (uses(color) < uses(best) ? color : best));
}
