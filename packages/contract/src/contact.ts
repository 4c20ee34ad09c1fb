// The contact: what answers carry, and the rules that input must meet. Fields are described only here.
import * as z from 'zod';
import { list } from './bounded.ts';
import { idKinds } from './ids.ts';
import { limits } from './limits.ts';
import { tagNameSchema } from './tags.ts';
import { required, text } from './text.ts';
import { emailRules, type TextRules, whatsappRules } from './text-rules.ts';

const exampleContact = {
  id: 'con_a6f3k4u2b1z5m0q7c9d2x4h8e1r6t3w0y5',
  name: 'Jane Doe',
  email: 'jane@example.com',
  phone: '+1 (555) 010-0123',
  mid: '4815162342',
  wid: '+15550100123',
  createdAt: '2026-11-14T09:30:00.123Z',
  updatedAt: '2026-11-14T09:30:00.123Z',
};

export const contactIdSchema = z
  .string()
  .regex(idKinds.contact.pattern)
  .meta({ examples: [exampleContact.id] });

export const timestampSchema = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'ISO 8601 in UTC with milliseconds.', examples: [exampleContact.createdAt] });

export const contactSchema = z
  .strictObject({
    id: contactIdSchema,
    name: z.string(),
    email: z.string().meta({ description: 'Unique within the bot, ignoring case.' }),
    phone: z.string().meta({ description: 'Empty when there is none.' }),
    mid: z.string().meta({ description: 'Messenger ID; empty when there is none.' }),
    wid: z.string().meta({ description: 'WhatsApp ID, in international format; empty when there is none.' }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ examples: [exampleContact] });

export type Contact = z.infer<typeof contactSchema>;

const exampleValues = { plan: 'pro', seats: 12, trial: false, renewal: '2027-01-31T00:00:00.000Z' };

/** What `include` adds to a contact. */
const includedMembers = {
  attributes: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .meta({
      description: 'Only with `include=attributes`. The attributes that have a value, by key. Dates are timestamps.',
      examples: [exampleValues],
    }),
  tags: z
    .array(z.string())
    .optional()
    .meta({
      description: 'Only with `include=tags`. In alphabetical order, ignoring case and accents.',
      examples: [['vip']],
    }),
  lastSeenAt: timestampSchema.nullable().optional().meta({
    description: 'Only with `include=lastSeenAt`. When the widget last recognized the contact, or null.',
  }),
};
export type ContactInclude = keyof typeof includedMembers;

/** A contact with the members that `include` asks for. The last one is for members of the organization. */
export const memberContactSchema = contactSchema
  .extend(includedMembers)
  .meta({ id: 'MemberContact', examples: [exampleContact] });
export const includingContactSchema = memberContactSchema
  .omit({ lastSeenAt: true })
  .meta({ id: 'Contact', examples: [exampleContact] });
export type IncludingContact = z.infer<typeof memberContactSchema>;

/** `null` and the empty string both mean "no value". */
function clearable(rules: TextRules) {
  return text(rules)
    .nullable()
    .transform((value) => value ?? '')
    .optional();
}

const name = required({
  description: 'Name of the contact.',
  maxLength: limits.nameLength,
  example: exampleContact.name,
});

const email = required({
  description: 'Email of the contact; unique within the bot, ignoring case.',
  ...emailRules,
});

const optionalFields = {
  phone: clearable({
    description: 'Phone number, in any format.',
    maxLength: limits.phoneLength,
    example: exampleContact.phone,
  }),
  wid: clearable({
    description:
      'WhatsApp ID: the phone number in international format. Spaces, dots, dashes and brackets after the `+` are removed.',
    ...whatsappRules,
  }),
  mid: clearable({
    description: 'Messenger ID, as the Messenger integration delivers it.',
    maxLength: limits.messengerIdLength,
    example: exampleContact.mid,
  }),
};

/** The same tag may be in it twice, so that it may be longer than those of a contact. */
const tagList = list(tagNameSchema, {
  max: limits.tagsPerBot,
  error: 'must be an array',
  tooLong: `must have at most ${limits.tagsPerBot} tags`,
});

/** Which attributes there are, and which tags are the same, only the server knows: it checks more than these. */
const valueFields = {
  attributes: z
    .custom<Record<string, string | number | boolean | null>>(isJsonObject, { error: 'must be a JSON object' })
    .optional()
    .meta({
      description: 'Values by key. A key that is left out keeps its value; `null` and the empty string remove it.',
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      examples: [exampleValues],
    }),
  tags: tagList
    .nullable()
    .transform((tags) => tags ?? [])
    .optional()
    .meta({ description: 'Replaces all tags of the contact; `[]` and `null` remove them all.' }),
  addTags: tagList.optional().meta({ description: 'Tags to add. Cannot be combined with `tags`.' }),
  removeTags: tagList.optional().meta({ description: 'Tags to remove. Cannot be combined with `tags`.' }),
};

function isJsonObject(input: unknown): boolean {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

export const contactCreateSchema = z
  .object({ name, email, ...optionalFields, ...valueFields })
  .meta({ id: 'ContactCreate' });

export const contactUpdateSchema = z
  .object({ name: name.optional(), email: email.optional(), ...optionalFields, ...valueFields })
  .meta({ id: 'ContactUpdate', description: 'A field that is left out keeps its value; an empty one is cleared.' });

export const contactUpsertSchema = z.object({ email, name: name.optional(), ...optionalFields, ...valueFields }).meta({
  id: 'ContactUpsert',
  description: 'Updates the contact with this email, or creates it if there is none; `name` is then required.',
});

export type ContactCreate = z.output<typeof contactCreateSchema>;
export type ContactUpdate = z.output<typeof contactUpdateSchema>;
export type ContactUpsert = z.output<typeof contactUpsertSchema>;
