// The operations on a bot's segments, as an organization's server calls them with its secret.
import { many, one } from './envelopes.ts';
import { limits } from './limits.ts';
import type { Operation } from './operation.ts';
import { segmentQuerySchema } from './paging.ts';
import { segmentDefinitionSchema, segmentSchema } from './segments.ts';

const segments = '/v1/bots/{botId}/segments';
const segment = '/v1/bots/{botId}/segments/{key}';

export const segmentOperations = {
  defineSegment: {
    id: 'segments.define',
    method: 'PUT',
    path: segment,
    credentials: ['secret'],
    permissions: ['contacts:write'],
    summary: 'Create or replace a segment',
    description: `A key has up to ${limits.attributeKeyLength} lower-case letters, digits and underscores, and starts with a letter. A bot has up to ${limits.segmentsPerBot} segments.`,
    body: {
      schema: segmentDefinitionSchema,
      media: ['json'],
      isValidatedByHandler: true,
      readOnly: ['key', 'total'],
    },
    answer: {
      status: 201,
      description: 'The new segment.',
      schema: one(segmentSchema),
      changed: { status: 200, description: 'The updated segment.' },
    },
    errors: ['limit_reached'],
  },
  listSegments: {
    id: 'segments.list',
    method: 'GET',
    path: segments,
    credentials: ['secret'],
    permissions: ['contacts:read'],
    summary: 'List the segments of a bot',
    answer: { status: 200, description: 'All segments, ordered by key.', schema: many(segmentSchema) },
  },
  retrieveSegment: {
    id: 'segments.retrieve',
    method: 'GET',
    path: segment,
    credentials: ['secret'],
    permissions: ['contacts:read'],
    summary: 'Retrieve a segment',
    query: segmentQuerySchema,
    answer: { status: 200, description: 'The segment.', schema: one(segmentSchema) },
  },
  deleteSegment: {
    id: 'segments.delete',
    method: 'DELETE',
    path: segment,
    credentials: ['secret'],
    permissions: ['contacts:write'],
    summary: 'Delete a segment',
    description: 'Its contacts are kept.',
    answer: { status: 204, description: 'Deleted.' },
  },
} as const satisfies Record<string, Operation>;
