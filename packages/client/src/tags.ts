// The tags of the bot's contacts. A tag exists while a contact has it, so none is created here.
import type { Tag } from './attribute-types.ts';
import { operations } from './operations.ts';
import type { RequestOptions, Result, Transport } from './transport.ts';

export class Tags {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All of them, in alphabetical order, ignoring case and accents. */
  async list(options?: RequestOptions): Promise<Result<Tag[]>> {
    return this.#transport.resultOf({ operation: operations.listTags }, options);
  }

  /**
   * Renames a tag, on all contacts that have it. Rejects with `TagTakenError` when another tag has the new name.
   *
   * It is not retried when the answer is lost, because the retry would not find the tag that the first try renamed:
   * check `isOutcomeUnknown` of the error.
   */
  async rename(tag: string, changes: { name: string }, options?: RequestOptions): Promise<Result<Tag>> {
    const call = { operation: operations.renameTag, path: { tag }, body: changes };
    return this.#transport.resultOf(call, options);
  }

  /** Removes a tag from all contacts. */
  async delete(tag: string, options?: RequestOptions): Promise<Result<null>> {
    return this.#transport.resultOf({ operation: operations.deleteTag, path: { tag } }, options);
  }
}
