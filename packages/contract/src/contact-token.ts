// Contact tokens: the input that is exchanged for one, and what the visitor's browser gets with it.
import * as z from 'zod';
import { contactIdSchema, timestampSchema } from './contact.ts';
import { contactTokenPattern } from './ids.ts';
import { limits } from './limits.ts';

/** Forms send an empty field where JSON would leave it out, so both mean "not given". */
const identifier = z
  .string({ error: 'must be a string' })
  .nullish()
  .transform((value) => value?.trim() || undefined);

const { contactTokenSecondsMin: secondsMin, contactTokenSecondsMax: secondsMax } = limits;
const error = `must be a whole number of seconds from ${secondsMin} to ${secondsMax}`;

/** How long a contact token is valid. */
export const tokenSecondsSchema = z.int({ error }).min(secondsMin, { error }).max(secondsMax, { error });

export const contactIdentitySchema = z
  .object({
    id: identifier.meta({ description: 'Id of the contact.' }),
    email: identifier.meta({ description: 'Email of the contact.', examples: ['jane@example.com'] }),
    expiresIn: tokenSecondsSchema
      .nullish()
      .transform((seconds) => seconds ?? undefined)
      .meta({
        description: 'Seconds until the token expires. If left out, one year. The bot’s `tokenMaxSeconds` shortens it.',
        examples: [3600],
      }),
  })
  .refine(({ id, email }) => id !== undefined || email !== undefined, {
    path: ['id'],
    error: 'is required unless email is given',
  })
  .meta({
    id: 'ContactIdentity',
    description: 'Either `id` or `email`, or both if they belong to the same contact.',
    // Generators make no usable type of an `anyOf` that only requires members.
    minProperties: 1,
  });

export const contactTokenSchema = z
  .strictObject({
    token: z.string().regex(contactTokenPattern).meta({ description: 'Shown only once; only its hash is stored.' }),
    createdAt: timestampSchema,
    expiresAt: timestampSchema.meta({ description: 'The token is valid until then.' }),
  })
  .meta({
    id: 'ContactToken',
    examples: [
      {
        token: 'c:Zk0vX3hQb1dLc2JtUnl0Tm9pQWV1R1ZwZk1oSjRzNkU',
        createdAt: '2026-11-14T09:30:00.123Z',
        expiresAt: '2027-11-14T09:30:00.123Z',
      },
    ],
  });

export const visitorSchema = z
  .strictObject({ id: contactIdSchema, name: z.string(), expiresAt: timestampSchema })
  .meta({ id: 'Visitor', description: 'The contact the token belongs to, and when the token expires.' });

export type IdentifiedVisitor = z.infer<typeof visitorSchema>;
