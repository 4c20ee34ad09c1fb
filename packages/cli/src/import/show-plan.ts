// What an import is about to do, for a person to look at: the columns it takes, those it does not, and the first rows.
import { excerpt, inputOf, type Row, type RowRules } from '@roster/contact-files';
import { contactFields } from '@roster/contract';
import type { Output } from '../terminal/output.ts';
import { safeText } from '../terminal/safe-text.ts';
import type { RowSource } from './rows.ts';
import type { TextSource } from './text-source.ts';

export interface Plan {
  text: TextSource;
  source: RowSource;
  rules: RowRules;
  first: readonly Row[];
}

const unusedShown = 12;

export function showPlan(output: Output, { text, source, rules, first }: Plan): void {
  const { mapping } = rules;
  const { header } = source;
  const doubt = text.isGuess ? ' (a guess, since it is not UTF-8: look at the names below, or pass --encoding)' : '';
  output.note(`${text.name}: ${source.description}, ${text.encoding}${doubt}\n`);
  output.notedTable(
    [{ title: 'field' }, { title: 'column' }],
    contactFields.map((field) => [
      field,
      mapping[field].map((at) => excerpt(header[at] ?? '')).join(' + ') || '(none)',
    ]),
  );
  const used = new Set(Object.values(mapping).flat());
  const unused = header.filter((_, at) => !used.has(at));
  if (unused.length > 0) {
    const more = unused.length > unusedShown ? ` and ${unused.length - unusedShown} more` : '';
    const shown = unused.slice(0, unusedShown).map((title) => safeText(excerpt(title)));
    output.note(`\nSkipped columns: ${shown.join(', ')}${more}`);
  }
  if (first.length === 0) {
    output.note('\nThere is no row below the header.');
    return;
  }
  const fields = contactFields.filter((field) => mapping[field].length > 0);
  output.note('\nThe first rows:');
  output.notedTable(
    fields.map((title) => ({ title })),
    first.map((row) => {
      const input = inputOf(row, rules);
      return fields.map((field) =>
        excerpt(typeof input[field] === 'string' ? input[field] : (JSON.stringify(input[field]) ?? '')),
      );
    }),
  );
  output.note('');
}
