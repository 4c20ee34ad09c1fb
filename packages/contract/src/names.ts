// The words of the contract: names of fields, types, statuses, roles and permissions. Imports nothing, so that whoever needs a list
// of words loads no schema library.

/** The fields that a caller may write, in the order in which the docs list them. */
export const contactFields = ['name', 'email', 'phone', 'wid', 'mid'] as const;

/** What a caller may write beside them. */
export const contactValueFields = ['attributes', 'tags', 'addTags', 'removeTags'] as const;

/** Members of a contact that input may carry without effect, so that what was read can be sent back. */
export const readOnlyContactFields = ['id', 'createdAt', 'updatedAt'] as const;

/** What an upsert did to a contact. */
export const contactOutcomes = ['created', 'updated', 'unchanged'] as const;
export type ContactOutcome = (typeof contactOutcomes)[number];

export const attributeTypes = ['text', 'number', 'boolean', 'date', 'choice'] as const;
export type AttributeType = (typeof attributeTypes)[number];

/** Operators of filters on times, numbers and dates. */
export const rangeOperators = ['gte', 'gt', 'lte', 'lt'] as const;
export type RangeOperator = (typeof rangeOperators)[number];

/** Operators of filters on the fields of a contact. Beside them, all but the name are compared with one value as it is. */
export const fieldOperators = ['contains', 'exists'] as const;
/** Operators of filters on tags, beside the list of those that are all required. */
export const tagOperators = ['any', 'not', 'exists'] as const;
/** Operators of filters on attributes, beside equality. */
export const attributeOperators = [...rangeOperators, 'not', 'contains', 'exists'] as const;
export type AttributeOperator = (typeof attributeOperators)[number];

export const operatorsOfType: Readonly<Record<AttributeType, readonly AttributeOperator[]>> = {
  text: ['not', 'contains', 'exists'],
  number: [...rangeOperators, 'not', 'exists'],
  boolean: ['not', 'exists'],
  date: [...rangeOperators, 'not', 'exists'],
  choice: ['not', 'exists'],
};

export const sortFields = ['createdAt', 'updatedAt', 'name', 'email'] as const;
export type SortField = (typeof sortFields)[number];

/** Every order of a list: a leading `-` is descending. */
export const sorts = sortFields.flatMap((field) => [field, `-${field}`]);

export const eventTypes = [
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'token.created',
  'token.revoked',
  'attribute.deleted',
  'tag.renamed',
  'tag.deleted',
  'visitor.recognized',
] as const;
export type EventType = (typeof eventTypes)[number];

export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'skipped'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** From the one that may do most: each may do all that those after it may. Viewers read; members also write. */
export const roles = ['owner', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];

export const permissionNames = [
  'contacts:read',
  'contacts:write',
  'tokens:write',
  'account:read',
  'account:write',
] as const;
export type Permission = (typeof permissionNames)[number];

/** Of a secret that is created without any, and of those from before there were permissions. */
export const defaultPermissions: readonly Permission[] = ['contacts:read', 'contacts:write', 'tokens:write'];

export const launcherPositions = ['right', 'left'] as const;
