// Attributes of contacts: the schemas of their definitions in a bot.
import * as z from 'zod';
import { list } from './bounded.ts';
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

const choice = required({ description: 'A value.', maxLength: limits.choiceLength, example: 'Pro' });

export const attributeDefinitionSchema = z
  .object({
    type: attributeTypeSchema.meta({ description: 'Cannot be changed later.' }),
    label: required(definitionMembers.label),
    description: text(definitionMembers.description).default(''),
    choices: list(choice, {
      max: limits.choicesPerAttribute,
      error: 'must be a list of choices',
      tooLong: `must have at most ${limits.choicesPerAttribute} choices`,
      empty: 'must have at least one choice',
    })
      .optional()
      .meta({
        description:
          'Only for the type `choice`, which requires them: the allowed values, different when case and accents are ignored. A later definition may add choices, spell them differently, and leave out those that no contact has.',
        examples: [['Free', 'Pro']],
      }),
  })
  .check(({ value: { type, choices }, issues }) => {
    if ((type === 'choice') === (choices !== undefined)) return;
    const message = choices === undefined ? 'is required' : 'can be given only with the type choice';
    issues.push({ code: 'custom', message, path: ['choices'], input: choices });
  })
  .meta({ id: 'AttributeDefinition' });

const contactCount = z.int().min(0);

export const attributeSchema = z
  .strictObject({
    key: z.string(),
    type: attributeTypeSchema,
    label: z.string(),
    description: z.string(),
    choices: z.array(z.string()).optional().meta({ description: 'Only of the type `choice`: the allowed values.' }),
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
