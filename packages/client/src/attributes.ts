// The attributes that contacts of the bot may have: their definitions, not their values.
import type { Attribute, AttributeDefinition } from './attribute-types.ts';
import { operations } from './operations.ts';
import type { RequestOptions, Result, Transport } from './transport.ts';

export class Attributes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All of them, in the order of their keys. */
  async list(options?: RequestOptions): Promise<Result<Attribute[]>> {
    return this.#transport.resultOf({ operation: operations.listAttributes }, options);
  }

  /**
   * Defines an attribute, with status 201, or changes its label and description, with status 200. Rejects with
   * `AttributeTypeFixedError` when it exists with another type.
   */
  async define(key: string, definition: AttributeDefinition, options?: RequestOptions): Promise<Result<Attribute>> {
    const call = { operation: operations.defineAttribute, path: { key }, body: definition };
    return this.#transport.resultOf(call, options);
  }

  /** Rejects with `NotFoundError` when there is no such attribute. */
  async retrieve(key: string, options?: RequestOptions): Promise<Result<Attribute>> {
    return this.#transport.resultOf({ operation: operations.retrieveAttribute, path: { key } }, options);
  }

  /** Deletes an attribute, with the values that contacts have. */
  async delete(key: string, options?: RequestOptions): Promise<Result<null>> {
    return this.#transport.resultOf({ operation: operations.deleteAttribute, path: { key } }, options);
  }
}
