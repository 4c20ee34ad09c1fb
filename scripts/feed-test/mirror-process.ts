// The mirror of examples/contact-mirror as a process that can be killed and started again, and the copy that it keeps.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { ContactCopy, type CopiedContact } from '../../examples/contact-mirror/contact-copy.ts';

const program = fileURLToPath(new URL('../../examples/contact-mirror/start.ts', import.meta.url));

const sqliteBusy = 5;

export interface MirrorSettings {
  url: string;
  botId: string;
  secret: string;
  /** Of the copy. */
  path: string;
}

export class MirrorProcess {
  /** How often it was killed. */
  kills = 0;
  readonly problems: string[] = [];
  readonly #settings: MirrorSettings;
  #child: ChildProcess | undefined;
  #isEnding = false;

  constructor(settings: MirrorSettings) {
    this.#settings = settings;
  }

  start(): void {
    const { url, botId, secret, path } = this.#settings;
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [program], {
      env: {
        PATH,
        ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
        ROSTER_URL: url,
        ROSTER_BOT: botId,
        ROSTER_SECRET: secret,
        MIRROR_FILE: path,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.on('close', (code, signal) => {
      if (!this.#isEnding) this.problems.push(`the mirror ended by itself (${code ?? signal}): ${said}`);
    });
    this.#isEnding = false;
    this.#child = child;
  }

  /** By SIGKILL: with nothing that it could do about it. */
  async kill(): Promise<void> {
    this.kills++;
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    const code = await this.#end('SIGTERM');
    if (code !== 0) this.problems.push(`the mirror stopped with ${code}`);
  }

  /** In the copy: undefined until all contacts were read once. */
  position(): string | undefined {
    try {
      using db = new DatabaseSync(this.#settings.path, { readOnly: true });
      return db.prepare('SELECT position FROM feed').get()?.['position'] as string | undefined;
    } catch {
      // There is no file yet, or no table in it, or the mirror was killed before it could make the file's log.
      return undefined;
    }
  }

  /** Whether it is within a transaction: no other may begin one then. */
  isWriting(): boolean {
    try {
      using db = new DatabaseSync(this.#settings.path, { timeout: 0 });
      db.exec('BEGIN IMMEDIATE');
      return false;
    } catch (error) {
      return (error as { errcode?: number }).errcode === sqliteBusy;
    }
  }

  /** To be called when it was stopped. */
  contacts(): CopiedContact[] {
    const copy = new ContactCopy(this.#settings.path);
    try {
      return [...copy.contacts()];
    } finally {
      copy.close();
    }
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    this.#isEnding = true;
    const closed = once(child, 'close');
    child.kill(signal);
    const [code] = await closed;
    return code as number | null;
  }
}
