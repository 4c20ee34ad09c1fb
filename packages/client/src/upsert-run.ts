// The requests of one upsertAll: which may start, in which order their results are handed on, and what ends the run.
import { emailKey } from './email-key.ts';
import { type BatchResult, type Row, type SendUpsert, upsertBatch } from './upsert-batch.ts';
import type { UpsertAllOptions, UpsertAllTotals } from './upsert-types.ts';

interface Flight {
  emails: ReadonlySet<string>;
  /** Neither rejects. */
  sent: Promise<BatchResult>;
  handedOn: Promise<void>;
}

export class UpsertRun {
  readonly #send: SendUpsert;
  readonly #options: UpsertAllOptions;
  readonly #totals: UpsertAllTotals = { rows: 0, upserted: 0, rejected: 0 };
  /** In the order of the source. A flight leaves when its results have been handed on. */
  readonly #flights: Flight[] = [];
  #failure: { thrown: unknown } | undefined;
  #canHandOn = true;
  #stopWaiting = () => {};

  constructor(send: SendUpsert, options: UpsertAllOptions) {
    this.#send = send;
    this.#options = options;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  get isUnderWay(): boolean {
    return this.#flights.length > 0;
  }

  /** The first failure is the one that the caller hears of; those after it follow from it as a rule. */
  fail(thrown: unknown): void {
    this.#failure ??= { thrown };
    this.#stopWaiting();
  }

  /** What is awaited, or undefined as soon as the run fails: a source may never give its next row. */
  unlessFailed<Value>(awaited: Promise<Value>): Promise<Value | undefined> {
    // Not a race against one promise for the whole run: that would keep every value until the end.
    return new Promise((resolve, reject) => {
      this.#stopWaiting = () => resolve(undefined);
      awaited.then(resolve, reject);
      if (this.hasFailed) this.#stopWaiting();
    });
  }

  /** Until fewer than `concurrency` requests are under way. */
  async room(concurrency: number): Promise<void> {
    while (this.#flights.length >= concurrency) await this.#flights[0]?.handedOn;
  }

  launch(rows: readonly Row[]): void {
    const emails = rows.flatMap(({ input }) => emailKey(input?.email) ?? []);
    const earlier = this.#flights.filter((flight) => emails.some((email) => flight.emails.has(email)));
    const sent = this.#sendAfter(earlier, rows);
    const handedOn = this.#handOn(sent, this.#flights.at(-1));
    this.#flights.push({ emails: new Set(emails), sent, handedOn });
  }

  /** Until every request has been answered. */
  async landed(): Promise<void> {
    await this.#flights.at(-1)?.handedOn;
  }

  /** The totals, or the failure that ended the run. */
  totals(): UpsertAllTotals {
    if (this.#failure !== undefined) throw this.#failure.thrown;
    return { ...this.#totals };
  }

  /** Rows with the same email must be applied in the order of the source, so a batch waits for those that share one. */
  async #sendAfter(earlier: readonly Flight[], rows: readonly Row[]): Promise<BatchResult> {
    for (const { sent } of earlier) await sent;
    if (this.hasFailed) return { results: [] };
    const result = await upsertBatch(this.#send, rows, this.#options.invalidRows === 'stop');
    if (result.failure !== undefined) this.fail(result.failure.thrown);
    return result;
  }

  async #handOn(sent: Promise<BatchResult>, previous: Flight | undefined): Promise<void> {
    await previous?.handedOn;
    const { results } = await sent;
    const upserted = results.filter(({ outcome }) => outcome === 'upserted').length;
    this.#totals.rows += results.length;
    this.#totals.upserted += upserted;
    this.#totals.rejected += results.length - upserted;
    if (results.length > 0) await this.#tell(results);
    this.#flights.shift();
  }

  async #tell(results: BatchResult['results']): Promise<void> {
    if (!this.#canHandOn) return;
    try {
      await this.#options.onResults?.(results);
      await this.#options.onProgress?.({ ...this.#totals });
    } catch (thrown) {
      // A callback that threw is not called again: it is in a state that nobody knows.
      this.#canHandOn = false;
      this.fail(thrown);
    }
  }
}
