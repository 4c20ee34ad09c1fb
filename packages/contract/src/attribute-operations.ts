// The operations on a bot's attributes and tags, as an organization's server calls them with its secret.
import { attributeDefinitionSchema, attributeSchema } from './attributes.ts';
import { many, one } from './envelopes.ts';
import { limits } from './limits.ts';
import type { Operation } from './operation.ts';
import { tagRenameSchema, tagSchema } from './tags.ts';

const attributes = '/v1/bots/{botId}/attributes';
const attribute = '/v1/bots/{botId}/attributes/{key}';
const tags = '/v1/bots/{botId}/tags';
const tag = '/v1/bots/{botId}/tags/{tag}';

export const attributeOperations = {
  defineAttribute: {
    id: 'attributes.define',
    method: 'PUT',
    path: attribute,
    credentials: ['secret'],
    permissions: ['contacts:write'],
    summary: 'Create an attribute, or change its label and description',
    description: `A key has up to ${limits.attributeKeyLength} lower-case letters, digits and underscores, and starts with a letter. A bot has up to ${limits.attributesPerBot} attributes. The type of an attribute cannot be changed.`,
    body: {
      schema: attributeDefinitionSchema,
      media: ['json'],
      isValidatedByHandler: true,
      readOnly: ['key', 'contactCount'],
    },
    answer: {
      status: 201,
      description: 'The new attribute.',
      schema: one(attributeSchema),
      changed: { status: 200, description: 'The updated attribute.' },
    },
    errors: ['attribute_type_fixed', 'limit_reached'],
  },
  listAttributes: {
    id: 'attributes.list',
    method: 'GET',
    path: attributes,
    credentials: ['secret'],
    permissions: ['contacts:read'],
    summary: 'List the attributes of a bot',
    answer: { status: 200, description: 'All attributes, ordered by key.', schema: many(attributeSchema) },
  },
  retrieveAttribute: {
    id: 'attributes.retrieve',
    method: 'GET',
    path: attribute,
    credentials: ['secret'],
    permissions: ['contacts:read'],
    summary: 'Retrieve an attribute',
    answer: { status: 200, description: 'The attribute.', schema: one(attributeSchema) },
  },
  deleteAttribute: {
    id: 'attributes.delete',
    method: 'DELETE',
    path: attribute,
    credentials: ['secret'],
    permissions: ['contacts:write'],
    summary: 'Delete an attribute and its values',
    description: 'Does not change `updatedAt` of contacts. Searches may still find its text for a while.',
    answer: { status: 204, description: 'Deleted.' },
  },
  listTags: {
    id: 'tags.list',
    method: 'GET',
    path: tags,
    credentials: ['secret'],
    permissions: ['contacts:read'],
    summary: 'List the tags of a bot',
    description: 'A tag exists while a contact has it.',
    answer: {
      status: 200,
      description: 'All tags in alphabetical order, ignoring case and accents.',
      schema: many(tagSchema),
    },
  },
  renameTag: {
    id: 'tags.rename',
    method: 'PATCH',
    path: tag,
    credentials: ['secret'],
    permissions: ['contacts:write'],
    summary: 'Rename a tag on all contacts',
    description: 'Does not change `updatedAt` of contacts.',
    body: { schema: tagRenameSchema, media: ['json'], readOnly: ['contactCount'] },
    answer: { status: 200, description: 'The updated tag.', schema: one(tagSchema) },
    errors: ['tag_taken'],
  },
  deleteTag: {
    id: 'tags.delete',
    method: 'DELETE',
    path: tag,
    credentials: ['secret'],
    permissions: ['contacts:write'],
    summary: 'Delete a tag from all contacts',
    description: 'Does not change `updatedAt` of contacts.',
    answer: { status: 204, description: 'Removed.' },
  },
} as const satisfies Record<string, Operation>;
