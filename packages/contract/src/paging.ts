// Parameters of operations, and the answers of those that return many contacts.
import * as z from 'zod';
import { auditActions } from './account.ts';
import { checkFilters, filterParameters, sortParameter, timeParameters } from './filters.ts';
import { idKinds } from './ids.ts';
import { limits } from './limits.ts';
import { parameter } from './text.ts';

/** What the descriptions of the operations with a total say. */
export const totalAge =
  'Where more than 10,000 contacts match, `total` may be up to ten seconds old while the bot is being written to; with `Cache-Control: no-cache` it is counted anew.';

/** A plain whole number in a query string: digits and nothing else. */
export function wholeNumber(range: { min: number; max?: number; fallback: number; description: string }) {
  const { min, max = Number.MAX_SAFE_INTEGER, fallback, description } = range;
  const bounds = range.max === undefined ? `of ${min} or more` : `from ${min} to ${max}`;
  return parameter
    .refine((value) => /^[0-9]+$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: `must be a whole number ${bounds}`,
    })
    .optional()
    .transform((value) => (value === undefined ? fallback : Number(value)))
    .meta({ description, type: 'integer', minimum: min, ...(range.max && { maximum: max }), default: fallback });
}

/** Names of what an answer is to hold in addition, separated by commas. */
export function include<const Names extends readonly string[]>(names: Names, description: string) {
  const isKnown = (name: string): name is Names[number] => names.includes(name);
  const name = `(${names.join('|')})`;
  return parameter
    .transform((value) => value.split(','))
    .refine((given) => given.every(isKnown), { error: `must be one of: ${names.join(', ')}` })
    .optional()
    .transform((given = []): Names[number][] => given.filter(isKnown))
    .meta({ description, type: 'string', pattern: `^${name}(,${name})*$`, examples: [names.join(',')] });
}

const words = parameter.default('').meta({
  description:
    'Search words. Each must occur in the id, name, email, phone, mid, wid or a text attribute, ignoring case and accents.',
  examples: ['doe john'],
});

export const searchQuerySchema = z
  .looseObject({
    query: words,
    ...filterParameters,
    sort: sortParameter,
    page: wholeNumber({ min: 1, fallback: 1, description: 'Page to return, counted from 1.' }),
    limit: wholeNumber({
      min: 1,
      max: limits.pageSizeMax,
      fallback: limits.pageSizeDefault,
      description: 'Contacts per page.',
    }),
  })
  .refine(({ page, limit }) => Number.isSafeInteger(page * limit), {
    path: ['page'],
    error: 'is too large: page times limit must stay below 2^53',
    // Only when both are valid by themselves.
    when: ({ issues }) => issues.length === 0,
  })
  .check(checkFilters);

export const segmentQuerySchema = z.object({
  include: include(['total'], `\`total\`: the number of contacts in the segment. ${totalAge}`),
});

export const upsertQuerySchema = z.object({
  onError: parameter
    .refine((value) => value === 'skip', { error: 'must be skip' })
    .optional()
    .meta({
      description:
        '`skip`: invalid items are skipped, and the others are written. `errors` in the response says what is wrong. If left out, all or nothing.',
      enum: ['skip'],
    }),
  include: include(
    ['outcome'],
    '`outcome`: whether the contact of each row was created, updated or left unchanged. Rows of the same contact have the same outcome.',
  ),
});

/** The last contact of the page before, and to members also when the export began, with a proof. Opaque to callers. */
export const exportPositionPattern = new RegExp(
  `^(${idKinds.contact.pattern.source.replace(/^\^|\$$/g, '')})(?:\\.([0-9a-z]{1,11})\\.[\\w-]{43})?$`,
);

export const exportQuerySchema = z
  .looseObject({
    query: words,
    ...filterParameters,
    after: parameter
      .refine((value) => value === '' || exportPositionPattern.test(value), {
        error: 'must be the `next` of an earlier page',
      })
      .transform((value) => (value === '' ? undefined : value))
      .optional()
      .meta({ description: 'The `next` of the previous page. If left out or empty, the first page.' }),
    limit: wholeNumber({
      min: 1,
      max: limits.exportPageSizeMax,
      fallback: limits.exportPageSizeMax,
      description: 'Contacts per page.',
    }),
  })
  .check(checkFilters);

const flag = (description: string) =>
  parameter
    .refine((value) => value === 'true' || value === 'false', { error: 'must be true or false' })
    .optional()
    .transform((value) => value === 'true')
    .meta({ description, type: 'boolean', default: false });

export const memberRemovalQuerySchema = z.object({
  revokeSecrets: flag('Also revoke the secrets the member created, and secrets created with those.'),
  disableWebhooks: flag(
    'Also switch off the webhooks, of all bots, that the member or one of these secrets created or last changed.',
  ),
});

/** Of a token in a list: when it was made, and the beginning of its hash. */
export const tokenIdPattern = /^[0-9]{1,15}-[0-9a-f]{16}$/;

/** Of an entry in the audit log: its time, and its id. */
const auditPositionPattern = new RegExp(idKinds.auditEntry.pattern.source.replace('^', '^[0-9]{1,15}-'));

export const auditQuerySchema = z.object({
  before: parameter
    .refine((value) => value === '' || auditPositionPattern.test(value), {
      error: 'must be the `next` of an earlier page',
    })
    .transform((value) => (value === '' ? undefined : value))
    .optional()
    .meta({ description: 'The `next` of the previous page. If left out or empty, the newest entries.' }),
  actor: parameter
    .refine(
      (value) => value === 'operator' || idKinds.member.pattern.test(value) || idKinds.secret.pattern.test(value),
      {
        error: 'must be the id of a member or a secret, or operator',
      },
    )
    .optional()
    .meta({ description: 'Entries of this member or secret, or of the operator with `operator`.' }),
  action: z
    .union([z.string(), z.array(z.string())])
    .transform((actions) => [actions].flat())
    .refine((actions) => actions.every((action) => (auditActions as readonly string[]).includes(action)), {
      error: 'must be an action of the audit log, such as member.signIn',
    })
    .optional()
    .meta({
      description: 'Entries with this action. Repeat it to get several.',
      type: 'array',
      items: { type: 'string', enum: [...auditActions] },
      examples: [['member.signIn']],
    }),
  ...timeParameters('at'),
  limit: wholeNumber({
    min: 1,
    max: limits.auditPageSizeMax,
    fallback: limits.auditPageSizeDefault,
    description: 'Entries per page.',
  }),
});

export const tokensQuerySchema = z.object({
  after: parameter
    .refine((value) => value === '' || tokenIdPattern.test(value), {
      error: 'must be the `next` of an earlier page',
    })
    .transform((value) => (value === '' ? undefined : value))
    .optional()
    .meta({ description: 'The `next` of the previous page. If left out or empty, the oldest tokens.' }),
  limit: wholeNumber({
    min: 1,
    max: limits.tokenPageSizeMax,
    fallback: limits.tokenPageSizeDefault,
    description: 'Tokens per page.',
  }),
});

const count = z.int().min(0);

export const paginationSchema = z
  .strictObject({
    total: count.meta({ description: 'The number of matching contacts.' }),
    page: z.int().min(1),
    limit: z.int().min(1),
    totalPages: count,
    startPage: z.int().min(1).meta({ description: 'First page number of the window that a pager shows.' }),
    endPage: count.meta({ description: 'Last page number of that window.' }),
    startIndex: count.meta({ description: 'Position of the first contact of the page, counted from 0.' }),
    endIndex: z.int().min(-1).meta({ description: 'Position of the last contact of the page.' }),
    pages: z.array(z.int().min(1)).max(limits.pagerWindow).meta({ description: 'The page numbers of the window.' }),
  })
  .meta({
    id: 'Pagination',
    examples: [
      {
        total: 1,
        page: 1,
        limit: 10,
        totalPages: 1,
        startPage: 1,
        endPage: 1,
        startIndex: 0,
        endIndex: 0,
        pages: [1],
      },
    ],
  });

export type Pagination = z.infer<typeof paginationSchema>;
