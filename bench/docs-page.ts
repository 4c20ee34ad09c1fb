// Puts a result into the docs: what users ask for into docs/performance.md, between the markers of its engine, and all of it
// into a page of docs/decisions.
import { asMarkdown, asSummary } from './report.ts';
import type { Result } from './result.ts';

const engineNames: Record<Result['engine'], string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

export const plotName = (engine: string) => `performance-${engine}.svg`;
export const figuresName = (engine: string) => `figures-${engine}.md`;

/** The rest of the page stays as it is. */
export function withSummary(page: string, result: Result): string {
  const [begin, end] = [`<!-- bench:${result.engine} -->`, `<!-- /bench:${result.engine} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no markers ${begin} and ${end}.`);
  return `${page.slice(0, from)}${begin}\n\n${asSummary(result)}\n\n${page.slice(to)}`;
}

export function figuresPage(result: Result): string {
  const { engine, machine } = result;
  return [
    `# Figures on ${engineNames[engine]}`,
    'What a run of `npm run bench -- --write-docs` has measured; it writes this page. [How and why](21-benchmark.md).',
    asMarkdown(result),
    `![Cost of each operation against the size of the bot, on ${machine.engine}](${plotName(engine)})\n`,
  ].join('\n\n');
}
