// Attributes of contacts: the schemas of their definitions in a bot.
import * as z from 'zod';
import { limits } from './limits.ts';
import { attributeTypes } from './names.ts';
import { required, text } from './text.ts';

const attributeTypeSchema = z.enum(attributeTypes, { error: `must be one of ${attributeTypes.join(', ')}` });

const definitionMembers = {
  label: { description: 'Display name of the attribute.', maxLength: limits.attributeLabelLength, example: 'Plan' },
  description: {
    description: 'What the attribute means.',
    maxLength: limits.attributeDescriptionLength,
    example: 'The plan that the customer pays for.',
  },
};

export const attributeDefinitionSchema = z
  .object({
    type: attributeTypeSchema.meta({ description: 'Cannot be changed later.' }),
    label: required(definitionMembers.label),
    description: text(definitionMembers.description).default(''),
  })
  .meta({ id: 'AttributeDefinition' });

const contactCount = z.int().min(0);

export const attributeSchema = z
  .strictObject({
    key: z.string(),
    type: attributeTypeSchema,
    label: z.string(),
    description: z.string(),
    contactCount: contactCount.meta({ description: 'The exact number of contacts with a value.' }),
  })
  .meta({
    id: 'Attribute',
    examples: [
      {
        key: 'plan',
        type: 'text',
        label: 'Plan',
        description: 'The plan that the customer pays for.',
        contactCount: 12,
      },
    ],
  });
export type Attribute = z.infer<typeof attributeSchema>;
