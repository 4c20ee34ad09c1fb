// The import: validates every row, sends the valid ones, and counts each row exactly once:
// rows = imported + rejected + blank, and imported = created + updated + unchanged + merged.
import type { ContactOutcome, Contacts, ContactUpsert, RowResult } from '@roster/client';
import { emailKey } from '@roster/contract/email-key';
import { FaultGroups } from './fault-groups.ts';
import type { RejectedRows, Rejection } from './rejected-rows.ts';
import { type RowRules, reasonOf, validateRow } from './row-validation.ts';
import type { Row } from './rows.ts';
import { SeenEmails } from './seen-emails.ts';

export interface ImportCounts {
  /** Rows whose result is known. */
  rows: number;
  /** Written; in a dry run, valid. */
  imported: number;
  /** Contacts, by what became of each. 0 in a dry run, which cannot know. */
  created: number;
  updated: number;
  unchanged: number;
  /** Imported rows with the email of an earlier one. */
  merged: number;
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

export const noCounts: Readonly<ImportCounts> = {
  rows: 0,
  imported: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  merged: 0,
  rejected: 0,
  blank: 0,
  nameless: 0,
};

export class ImportRun {
  readonly counts: ImportCounts = { ...noCounts };
  /** What was wrong with the cells that were left out. */
  readonly dropped: FaultGroups;
  readonly #plan: ImportPlan;
  /** Rows whose requests are in flight, by their position among those sent. */
  readonly #sent = new Map<number, { at: number; row: Row; email: string }>();
  readonly #seen = new SeenEmails();
  #read = 0;
  #sentCount = 0;

  constructor(plan: ImportPlan) {
    this.#plan = plan;
    this.dropped = new FaultGroups(plan.rules);
  }

  /** When it rejects, `counts` is still correct. */
  async run(): Promise<void> {
    const { contacts, rejected } = this.#plan;
    try {
      if (contacts === undefined) await this.#check();
      else await contacts.upsertAll(this.#valid(), { include: ['outcome'], onResults: (some) => this.#settle(some) });
    } finally {
      rejected?.finish();
      this.#plan.onProgress(this.counts);
    }
  }

  async #check(): Promise<void> {
    for await (const { email } of this.#valid()) {
      this.#sent.clear();
      this.#countContact(email, undefined);
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
        this.dropped.note(row, validation.dropped);
        this.#sent.set(this.#sentCount++, { at, row, email: validation.contact.email });
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
      if (result.outcome === 'upserted') {
        this.#countContact(sent.email, result.contactOutcome);
        this.#count('imported');
      } else {
        const { at, row } = sent;
        const rejection = { at, row, faults: result.errors, reason: reasonOf(result.errors) };
        refused.push(rejection);
        this.#plan.onRejection(rejection);
        this.#count('rejected');
      }
    }
    this.#plan.rejected?.settle(last, refused);
  }

  #countContact(email: string, outcome: ContactOutcome | undefined): void {
    const { counts } = this;
    const isUnchanged = outcome === 'unchanged';
    const wasUnchanged = this.#seen.note(emailKey(email), isUnchanged);
    const isFirst = wasUnchanged === undefined;
    if (!isFirst) counts.merged++;
    if (outcome === undefined) return;
    if (isFirst) counts[outcome]++;
    else if (wasUnchanged && !isUnchanged) {
      // This request changed what an earlier one had left as it was.
      counts.unchanged--;
      counts[outcome]++;
    }
  }

  #count(what: 'imported' | 'rejected' | 'blank'): void {
    this.counts[what]++;
    this.counts.rows++;
    if (this.counts.rows % progressEveryRows === 0) this.#plan.onProgress(this.counts);
  }
}
