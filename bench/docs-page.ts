// Puts a result into docs/performance.md, between the markers of its engine. The rest of the page stays as it is.
import { asMarkdown } from './report.ts';
import type { Result } from './result.ts';

export const plotName = (engine: string) => `performance-${engine}.svg`;

export function withResult(page: string, result: Result): string {
  const { engine, machine } = result;
  const [begin, end] = [`<!-- bench:${engine} -->`, `<!-- /bench:${engine} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no markers ${begin} and ${end}.`);
  const plotted = `![Cost of each operation against the size of the bot, on ${machine.engine}](${plotName(engine)})`;
  return `${page.slice(0, from)}${begin}\n\n${asMarkdown(result)}\n\n${plotted}\n\n${page.slice(to)}`;
}
