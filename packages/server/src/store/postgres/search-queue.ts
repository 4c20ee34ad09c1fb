// Searches wait here for a connection. When many wait, a connection takes a few at once, since a message to the
// database costs as much as a quick search; never many, since the slowest holds up those sent behind it.
import { StoreUnavailableError } from '../store.ts';
import { LostConnectionError, type Pool, type Row } from './connections.ts';
import type { AskedStatement } from './search.ts';

const waitingMax = 1000;
/** Whoever waited so long has mostly left. */
const waitMaxMs = 4000;
const searchesPerMessage = 4;

interface Waiting {
  asked: AskedStatement;
  untilMs: number;
  resolve(rows: Row[]): void;
  reject(error: unknown): void;
}

export class SearchQueue {
  readonly #pool: Pool;
  readonly #connections: number;
  readonly #waiting: Waiting[] = [];
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: Pool, connections: number) {
    this.#pool = pool;
    this.#connections = connections;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  query(asked: AskedStatement): Promise<Row[]> {
    if (this.#waiting.length >= waitingMax) {
      return Promise.reject(new StoreUnavailableError('too many searches are waiting'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ asked, untilMs: performance.now() + waitMaxMs, resolve, reject });
      this.#start();
      this.#watch();
    });
  }

  #start(): void {
    while (this.#underWay < this.#connections && this.#waiting.length > 0) {
      const share = Math.ceil(this.#waiting.length / this.#connections / 2);
      const batch = this.#waiting.splice(0, Math.min(share, searchesPerMessage));
      this.#underWay++;
      this.#run(batch).finally(() => {
        this.#underWay--;
        this.#start();
      });
    }
  }

  /** Refuses those whose time is over. They wait in order, so the first is the next. */
  #watch(): void {
    const [first] = this.#waiting;
    if (this.#timer !== undefined || first === undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const nowMs = performance.now();
      while (this.#waiting[0] !== undefined && this.#waiting[0].untilMs <= nowMs) {
        this.#waiting.shift()?.reject(new StoreUnavailableError('searches take too long'));
      }
      this.#watch();
    }, first.untilMs - performance.now()).unref();
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#pool.use(async (connection) => {
        const answers = batch.map(async ({ asked, resolve, reject }, position) => {
          try {
            resolve(await connection.query(asked.statement, asked.values, position));
          } catch (error) {
            reject(error);
            // What concerns the connection concerns the pool.
            if (error instanceof LostConnectionError) throw error;
          }
        });
        await Promise.all(answers);
      });
    } catch (error) {
      // Those that were answered do not hear it.
      for (const { reject } of batch) reject(error);
    }
  }
}
