// The requests of one upsertAll: which may start, in which order their results are delivered, and what ends the run.
import { emailKey } from './email-key.ts';
import { type BatchResult, type Row, type SendUpsert, upsertBatch } from './upsert-batch.ts';
import type { UpsertAllOptions, UpsertAllTotals } from './upsert-types.ts';

/** A batch that was started and whose results have not been delivered yet. Neither promise rejects. */
interface PendingBatch {
  emails: ReadonlySet<string>;
  sent: Promise<BatchResult>;
  delivered: Promise<void>;
}

export class UpsertRun {
  readonly #send: SendUpsert;
  readonly #options: UpsertAllOptions;
  readonly #totals: UpsertAllTotals = { rows: 0, upserted: 0, rejected: 0 };
  /** In the order of the source. */
  readonly #pending: PendingBatch[] = [];
  #failure: { thrown: unknown } | undefined;
  #hasFailedCallback = false;
  #stopWaiting = () => {};

  constructor(send: SendUpsert, options: UpsertAllOptions) {
    this.#send = send;
    this.#options = options;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  get hasPending(): boolean {
    return this.#pending.length > 0;
  }

  /** Ends the run. The caller gets the first failure; later ones usually follow from it. */
  fail(thrown: unknown): void {
    this.#failure ??= { thrown };
    this.#stopWaiting();
  }

  /** The awaited value, or undefined as soon as the run fails: a source may never yield its next row. */
  unlessFailed<Value>(awaited: Promise<Value>): Promise<Value | undefined> {
    // Not a race against one promise for the whole run: that promise would keep every value in memory until the end.
    return new Promise((resolve, reject) => {
      this.#stopWaiting = () => resolve(undefined);
      awaited.then(resolve, reject);
      if (this.hasFailed) this.#stopWaiting();
    });
  }

  /** Waits until fewer than `concurrency` batches are pending. */
  async slot(concurrency: number): Promise<void> {
    while (this.#pending.length >= concurrency) await this.#pending[0]?.delivered;
  }

  start(rows: readonly Row[]): void {
    const emails = rows.flatMap(({ input }) => emailKey(input?.email) ?? []);
    const earlier = this.#pending.filter((batch) => emails.some((email) => batch.emails.has(email)));
    const sent = this.#sendAfter(earlier, rows);
    const delivered = this.#deliverAfter(this.#pending.at(-1), sent);
    this.#pending.push({ emails: new Set(emails), sent, delivered });
  }

  /** Waits until no batch is pending. */
  async settled(): Promise<void> {
    await this.#pending.at(-1)?.delivered;
  }

  /** The totals. Throws the failure that ended the run, if one did. */
  totals(): UpsertAllTotals {
    if (this.#failure !== undefined) throw this.#failure.thrown;
    return { ...this.#totals };
  }

  /** Rows with the same email must be applied in the order of the source, so a batch waits for those that share one. */
  async #sendAfter(earlier: readonly PendingBatch[], rows: readonly Row[]): Promise<BatchResult> {
    for (const { sent } of earlier) await sent;
    if (this.hasFailed) return { results: [] };
    const result = await upsertBatch(this.#send, rows, this.#options.invalidRows === 'stop');
    if (result.failure !== undefined) this.fail(result.failure.thrown);
    return result;
  }

  async #deliverAfter(previous: PendingBatch | undefined, sent: Promise<BatchResult>): Promise<void> {
    await previous?.delivered;
    const { results } = await sent;
    const upserted = results.filter(({ outcome }) => outcome === 'upserted').length;
    this.#totals.rows += results.length;
    this.#totals.upserted += upserted;
    this.#totals.rejected += results.length - upserted;
    if (results.length > 0) await this.#callBack(results);
    this.#pending.shift();
  }

  async #callBack(results: BatchResult['results']): Promise<void> {
    if (this.#hasFailedCallback) return;
    try {
      await this.#options.onResults?.(results);
      await this.#options.onProgress?.({ ...this.#totals });
    } catch (thrown) {
      // A callback that threw is not called again: its state is undefined.
      this.#hasFailedCallback = true;
      this.fail(thrown);
    }
  }
}
