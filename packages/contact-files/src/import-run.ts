// The import: validates every row, sends the valid ones, and counts each row exactly once:
// rows = imported + rejected + blank.
import type { Contacts, ContactUpsert, RowResult } from '@roster/client';
import type { RejectedRows, Rejection } from './rejected-rows.ts';
import { type RowRules, reasonOf, validateRow } from './row-validation.ts';
import type { Row } from './rows.ts';

export interface ImportCounts {
  /** Rows whose result is known. */
  rows: number;
  /** Created or updated; in a dry run, valid. */
  imported: number;
  rejected: number;
  /** Rows with empty cells only. */
  blank: number;
  /** Imported rows without a name. A dry run cannot know whether their contacts exist, which they need to. */
  nameless: number;
}

export interface ImportPlan {
  rows: AsyncIterable<Row>;
  rules: RowRules;
  /** Undefined for a dry run. */
  contacts: Contacts | undefined;
  rejected: RejectedRows | undefined;
  onRejection(rejection: Rejection): void;
  onProgress(counts: ImportCounts): void;
  /** Checked before each row: when true, no further rows are sent, and requests in flight are awaited. */
  isStopped(): boolean;
}

const progressEveryRows = 1000;

export class ImportRun {
  readonly counts: ImportCounts = { rows: 0, imported: 0, rejected: 0, blank: 0, nameless: 0 };
  readonly #plan: ImportPlan;
  /** Rows whose requests are in flight, by their position among those sent. */
  readonly #sent = new Map<number, { at: number; row: Row }>();
  #read = 0;
  #sentCount = 0;

  constructor(plan: ImportPlan) {
    this.#plan = plan;
  }

  /** When it rejects, `counts` is still correct. */
  async run(): Promise<void> {
    const { contacts, rejected } = this.#plan;
    try {
      if (contacts === undefined) await this.#check();
      else await contacts.upsertAll(this.#valid(), { onResults: (results) => this.#settle(results) });
    } finally {
      rejected?.finish();
      this.#plan.onProgress(this.counts);
    }
  }

  async #check(): Promise<void> {
    for await (const _ of this.#valid()) {
      this.#sent.clear();
      this.#count('imported');
    }
  }

  async *#valid(): AsyncGenerator<ContactUpsert> {
    for await (const row of this.#plan.rows) {
      if (this.#plan.isStopped()) return;
      const at = this.#read++;
      const validation = validateRow(row, this.#plan.rules);
      if (validation.kind === 'blank') this.#count('blank');
      else if (validation.kind === 'invalid') {
        const rejection = { at, row, faults: validation.faults, reason: reasonOf(validation.faults) };
        this.#plan.rejected?.hold(rejection);
        this.#plan.onRejection(rejection);
        this.#count('rejected');
      } else {
        if (validation.isNameless) this.counts.nameless++;
        this.#sent.set(this.#sentCount++, { at, row });
        yield validation.contact;
      }
    }
  }

  /** Results arrive in the order of the file. */
  #settle(results: readonly RowResult[]): void {
    const refused: Rejection[] = [];
    let last = 0;
    for (const result of results) {
      const sent = this.#sent.get(result.index);
      if (sent === undefined) continue;
      this.#sent.delete(result.index);
      last = sent.at;
      if (result.outcome === 'upserted') this.#count('imported');
      else {
        const rejection = { ...sent, faults: result.errors, reason: reasonOf(result.errors) };
        refused.push(rejection);
        this.#plan.onRejection(rejection);
        this.#count('rejected');
      }
    }
    this.#plan.rejected?.settle(last, refused);
  }

  #count(what: 'imported' | 'rejected' | 'blank'): void {
    this.counts[what]++;
    this.counts.rows++;
    if (this.counts.rows % progressEveryRows === 0) this.#plan.onProgress(this.counts);
  }
}
