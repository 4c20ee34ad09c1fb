// The requests of a soak run: measures each, and judges its status by what is being done to the server at the time.
import type { FirstRun } from '../../packages/server/src/process/first-run.ts';
import { type Answer, type Send, senderTo } from '../first-bot.ts';
import { Latencies } from './latencies.ts';

/** What a disturbance may lead to. Calm: every request is answered. */
export type Weather = 'calm' | 'writes may be refused' | 'all may be refused' | 'the server is gone';

/** A connection to the server. Rejects when there was no answer. */
export interface Link {
  send: Send;
  /** As the widget does it. */
  identify(token: string): Promise<Answer>;
}

export interface Figures {
  latencies: Latencies;
  refused: number;
  unknown: number;
}

const problemsMax = 50;

interface TrafficOptions {
  /** Searches may be refused for having waited too long: the machine does other work too. */
  isMachineBusy: boolean;
}

export class Traffic {
  /** By operation. Latencies are those of calm times. */
  readonly figures = new Map<string, Figures>();
  readonly problems: string[] = [];
  requests = 0;
  refusedWrites = 0;
  readonly #isMachineBusy: boolean;
  #weather: Weather = 'calm';
  /** When the last disturbance was over. */
  #calmSinceMs = 0;

  constructor({ isMachineBusy }: TrafficOptions) {
    this.#isMachineBusy = isMachineBusy;
  }

  set weather(weather: Weather) {
    this.#weather = weather;
    if (weather === 'calm') this.#calmSinceMs = performance.now();
  }

  report(problem: string): void {
    if (this.problems.length < problemsMax) this.problems.push(problem);
  }

  linkTo({ url }: { url: string }, firstRun: FirstRun): Link {
    const send = senderTo({ url }, firstRun);
    return {
      send: (method, path, body) => this.#watch(operationOf(method, path), () => send(method, path, body)),
      identify: (token) => this.#watch('identify', () => identify(url, firstRun, token)),
    };
  }

  async #watch(operation: string, request: () => Promise<Answer>): Promise<Answer> {
    const figures = this.#figuresOf(operation);
    const startedMs = performance.now();
    const weather = this.#weather;
    this.requests++;
    let answer: Answer;
    try {
      answer = await request();
    } catch (error) {
      if (![weather, this.#weather].includes('the server is gone')) {
        this.report(`${operation}: no answer (${(error as Error).cause ?? error})`);
      }
      figures.unknown++;
      throw error;
    }
    const isCalm = weather === 'calm' && this.#weather === 'calm' && startedMs >= this.#calmSinceMs;
    if (answer.status === 503) {
      figures.refused++;
      if (!isRead(operation)) this.refusedWrites++;
      if (answer.isOutcomeUnknown) figures.unknown++;
      const isDisturbed =
        !isCalm && (!isRead(operation) || [weather, this.#weather].some((each) => mayRefuseReads(each)));
      const isMachineTooSlow = this.#isMachineBusy && hasWaitedTooLong(answer);
      if (!isDisturbed && !isMachineTooSlow) this.report(`${operation}: 503 ${JSON.stringify(answer.json)}`);
    } else if (answer.status >= 500) {
      this.report(`${operation}: ${answer.status} ${JSON.stringify(answer.json)}`);
    } else if (isCalm) {
      figures.latencies.add(performance.now() - startedMs);
    }
    return answer;
  }

  #figuresOf(operation: string): Figures {
    const known = this.figures.get(operation);
    if (known !== undefined) return known;
    const figures = { latencies: new Latencies(), refused: 0, unknown: 0 };
    this.figures.set(operation, figures);
    return figures;
  }
}

function mayRefuseReads(weather: Weather): boolean {
  return weather === 'all may be refused' || weather === 'the server is gone';
}

/** For its turn, or for the database. */
function hasWaitedTooLong({ json }: Answer): boolean {
  return /take too long|the database is (busy|unreachable)|waiting for a database/.test(
    (json as { detail?: string } | undefined)?.detail ?? '',
  );
}

async function identify(url: string, { botId }: FirstRun, token: string): Promise<Answer> {
  // Visitors have addresses of their own, and each address a limit.
  const address = `203.0.113.${Math.floor(Math.random() * 256)}`;
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address };
  const reply = await fetch(`${url}/v1/bots/${botId}/auth/contact`, { headers });
  return { status: reply.status, json: await reply.json() };
}

function isRead(operation: string): boolean {
  return ['retrieve', 'search', 'export', 'identify'].includes(operation);
}

function operationOf(method: string, path: string): string {
  if (path.startsWith('export')) return 'export';
  if (path.startsWith('auth/')) return method === 'DELETE' ? 'revoke token' : 'create token';
  if (path.startsWith('contacts/')) {
    return ({ GET: 'retrieve', PATCH: 'update', DELETE: 'delete' } as Record<string, string>)[method] as string;
  }
  return ({ PUT: 'create', PATCH: 'upsert', GET: 'search', POST: 'search' } as Record<string, string>)[
    method
  ] as string;
}
