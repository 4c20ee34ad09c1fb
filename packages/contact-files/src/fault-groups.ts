// Faults of the same kind, counted, with the first value of each as an example.
import { excerpt } from './excerpt.ts';
import type { Fault, RowRules } from './row-validation.ts';
import type { Row } from './rows.ts';
import { unguardCell } from './spreadsheet-cell.ts';
import { attributeTitle } from './value-columns.ts';

export interface FaultGroup extends Fault {
  count: number;
  /** The line of the first one. */
  line: number;
  /** The beginning of its value. Empty for a fault of the row as a whole. */
  example: string;
}

/** The contract has far fewer reasons. A server's message that names the row is not collected without end. */
const groupsMax = 200;

export class FaultGroups {
  readonly #rules: RowRules;
  readonly #groups = new Map<string, FaultGroup>();

  constructor(rules: RowRules) {
    this.#rules = rules;
  }

  note(row: Row, faults: readonly Fault[]): void {
    for (const { field, message } of faults) {
      const key = `${field} ${message}`;
      const group = this.#groups.get(key);
      if (group !== undefined) group.count++;
      else if (this.#groups.size < groupsMax) {
        const example = excerpt(exampleOf(row, field, this.#rules));
        this.#groups.set(key, { ...(field !== undefined && { field }), message, count: 1, line: row.line, example });
      }
    }
  }

  /** The most frequent first. */
  get all(): FaultGroup[] {
    return Array.from(this.#groups.values(), (group) => ({ ...group })).sort((a, b) => b.count - a.count);
  }
}

function exampleOf({ cells }: Row, field: string | undefined, { mapping, values, isGuarded }: RowRules): string {
  const ofFields: Readonly<Record<string, readonly number[]>> = { ...mapping, tags: values?.tags ?? [] };
  const attribute = values?.attributes.find(({ key }) => attributeTitle(key) === field);
  const columns = attribute?.columns ?? ofFields[field ?? ''] ?? [];
  const given = columns.map((at) => cells[at]).filter((cell) => cell !== undefined && cell !== null && cell !== '');
  return given
    .map((cell) => (typeof cell !== 'string' ? JSON.stringify(cell) : isGuarded ? unguardCell(cell) : cell))
    .join(' ');
}
