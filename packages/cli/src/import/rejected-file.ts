// The file of the rows that were not taken. Made when the first row comes.
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { RejectedRows, type RejectedRowsOptions } from '@roster/contact-files';
import { stringify } from 'csv-stringify/sync';

export class RejectedFile {
  readonly path: string;
  readonly rows: RejectedRows;
  #descriptor: number | undefined;

  constructor(path: string, options: Omit<RejectedRowsOptions, 'write'>) {
    this.path = path;
    this.rows = new RejectedRows({ ...options, write: (rows) => this.#write(rows) });
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  #write(rows: string[][]): void {
    // Contacts of others: for this user's eyes only.
    this.#descriptor ??= openSync(this.path, 'w', 0o600);
    // Unlike a single write, this goes on until all of it is in the file.
    appendFileSync(this.#descriptor, stringify(rows));
  }
}
