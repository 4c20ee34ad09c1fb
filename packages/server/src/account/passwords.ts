// Hashes and compares passwords: argon2id, with its parameters beside each hash, so that they can be raised later. The
// passwords of one email, one for each membership, have the same salt: one computation compares with all of them.
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const deriveKey = promisify(argon2);

export interface HashCost {
  /** In KiB. */
  memory: number;
  passes: number;
  parallelism: number;
}

/** OWASP's first choice where memory is dear. A hash takes some 50 ms of one core. */
const defaultCost: HashCost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const hashBytes = 32;

/** Each takes a thread of Node's pool, of which files need some too, and its memory. */
const hashesAtOnce = 2;
/** For each kind of caller: some seconds of work. Callers behind these would time out before their hash is computed. */
const pendingMax = 60;

/** Whoever has a link, a session or a known browser goes before strangers, who may be a flood. */
export type HashCaller = 'known' | 'stranger';

/**
 * Computations of one comparison. Passwords of one email have one salt, unless two were set at the same moment, or the
 * cost was raised since.
 */
const derivationsMax = 4;

/** More hashes are pending than can be computed in a reasonable time. */
export class PasswordsBusyError extends Error {
  override name = 'PasswordsBusyError';
}

export class Passwords {
  readonly #cost: HashCost;
  readonly #pending: Record<HashCaller, (() => void)[]> = { known: [], stranger: [] };
  #inFlight = 0;
  /** Of no password: an email without an account is compared with it, and takes as long as one with an account. */
  #decoy: string | undefined;

  constructor(cost: HashCost = defaultCost) {
    this.#cost = cost;
  }

  /**
   * A PHC string: https://github.com/P-H-C/phc-string-format. `related` is the hash of another password of the same
   * email, whose salt it takes. To somebody who has stolen the hashes, those of one person are then one to crack, as if
   * they had one account.
   */
  async hash(password: string, related?: string): Promise<string> {
    const salt = related === undefined ? randomBytes(saltBytes) : parse(related).salt;
    return format({ ...this.#cost, salt, hash: await this.#derive(password, salt, this.#cost, 'known') });
  }

  /** Undefined stands for an account that does not exist: false, after the same work. */
  async verify(password: string, stored: string | undefined, caller?: HashCaller): Promise<boolean> {
    const [isRight = false] = await this.verifyEach(password, stored === undefined ? [] : [stored], caller);
    return isRight;
  }

  /** Which of the hashes belong to this password. Without any, it takes as long as with one, or with many of one salt. */
  async verifyEach(password: string, stored: readonly string[], caller: HashCaller = 'known'): Promise<boolean[]> {
    this.#decoy ??= format({ ...this.#cost, salt: randomBytes(saltBytes), hash: randomBytes(hashBytes) });
    const parsed = (stored.length === 0 ? [this.#decoy] : stored).map(parse);
    const derived = new Map<string, Buffer>();
    for (const each of parsed) {
      const settings = settingsOf(each);
      if (derived.has(settings) || derived.size === derivationsMax) continue;
      derived.set(settings, await this.#derive(password, each.salt, each, caller));
    }
    const verdicts = parsed.map((each) => {
      const computed = derived.get(settingsOf(each));
      return computed !== undefined && timingSafeEqual(computed, each.hash);
    });
    return verdicts.slice(0, stored.length);
  }

  /** Whether it was made at another cost than new ones are, or with another salt than `related`. */
  isOutdated(stored: string, related = stored): boolean {
    return settingsOf(parse(stored)) !== settingsOf({ ...this.#cost, salt: parse(related).salt });
  }

  async #derive(password: string, salt: Buffer, cost: HashCost, caller: HashCaller): Promise<Buffer> {
    const { memory, passes, parallelism } = cost;
    await this.#acquire(this.#pending[caller]);
    try {
      // The same password typed on another keyboard may come in another form of Unicode (NIST SP 800-63B, 3.1.1.2).
      const input = { message: password.normalize('NFKC'), nonce: salt, tagLength: hashBytes };
      return await deriveKey('argon2id', { ...input, memory, passes, parallelism } satisfies Argon2Parameters);
    } finally {
      this.#release();
    }
  }

  async #acquire(pending: (() => void)[]): Promise<void> {
    if (this.#inFlight < hashesAtOnce) {
      this.#inFlight++;
      return;
    }
    if (pending.length >= pendingMax) throw new PasswordsBusyError('too many passwords are waiting');
    await new Promise<void>((resolve) => pending.push(resolve));
  }

  #release(): void {
    const { known, stranger } = this.#pending;
    const next = known.shift() ?? stranger.shift();
    if (next === undefined) this.#inFlight--;
    else next();
  }
}

interface Parsed extends HashCost {
  salt: Buffer;
  hash: Buffer;
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function format({ memory, passes, parallelism, salt, hash }: Parsed): string {
  const [first, second] = [salt, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${first}$${second}`;
}

/** What a hash is computed with, beside the password. */
function settingsOf({ memory, passes, parallelism, salt }: HashCost & { salt: Buffer }): string {
  return `${memory} ${passes} ${parallelism} ${salt.toString('base64')}`;
}

function parse(stored: string): Parsed {
  const match = form.exec(stored);
  if (match === null) throw new Error('a stored password hash is not one of ours');
  const [, memory, passes, parallelism, salt = '', hash = ''] = match;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}
