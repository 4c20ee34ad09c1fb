// The segments of the bot: filters that are kept under a key.
import { includeParameter } from './address.ts';
import type { AttributeValues } from './attribute-types.ts';
import type { Segment, SegmentDefinition } from './filter-types.ts';
import { operations } from './operations.ts';
import type { RequestOptions, Result, Transport } from './transport.ts';

/** What `include` may add to a segment. */
interface SegmentMembers {
  /** Contacts that it has. Of more than 10,000 it may be some seconds old. */
  total: number;
}

export interface SegmentOptions<Include extends keyof SegmentMembers> extends RequestOptions {
  /** `total`: how many contacts the segment has. */
  include?: readonly Include[] | undefined;
}

export class Segments<Attributes = AttributeValues> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All of them, in the order of their keys. */
  async list(options?: RequestOptions): Promise<Result<Segment<Attributes>[]>> {
    return this.#transport.resultOf({ operation: operations.listSegments }, options);
  }

  /** Keeps a filter as a segment, with status 201, or replaces the segment with this key, with status 200. */
  async define(
    key: string,
    definition: SegmentDefinition<Attributes>,
    options?: RequestOptions,
  ): Promise<Result<Segment<Attributes>>> {
    const call = { operation: operations.defineSegment, path: { key }, body: definition };
    return this.#transport.resultOf(call, options);
  }

  /** Rejects with `NotFoundError` when there is no such segment. */
  async retrieve<Include extends keyof SegmentMembers = never>(
    key: string,
    options?: SegmentOptions<Include>,
  ): Promise<Result<Segment<Attributes> & Pick<SegmentMembers, Include>>> {
    const query = { include: includeParameter(options?.include) };
    return this.#transport.resultOf({ operation: operations.retrieveSegment, path: { key }, query }, options);
  }

  /** Its contacts stay. */
  async delete(key: string, options?: RequestOptions): Promise<Result<null>> {
    return this.#transport.resultOf({ operation: operations.deleteSegment, path: { key } }, options);
  }
}
