// Tags of contacts. Two spellings are the same tag when they fold to the same text, which is the server's to decide.
import { z } from 'zod';
import { limits } from './limits.ts';
import { required } from './text.ts';

/** A path cannot end in one of these: clients and proxies resolve it. */
const dots = /^\.{1,2}$/;

export const tagNameSchema = required({
  description: 'A tag, without commas.',
  maxLength: limits.tagLength,
  example: 'vip',
  form: '[^,\\s\\x00-\\x1f\\x7f-\\x9f][^,\\x00-\\x1f\\x7f-\\x9f]*',
  fault: (value) =>
    value.includes(',') ? 'must not contain commas' : dots.test(value) ? 'must not be "." or ".."' : undefined,
});

export const tagRenameSchema = z.object({ name: tagNameSchema }).meta({ id: 'TagRename' });

export const tagSchema = z
  .strictObject({
    name: z.string().meta({ description: 'As first written in the bot, or as renamed.' }),
    contactCount: z.int().min(1).meta({ description: 'The exact number of contacts with the tag.' }),
  })
  .meta({ id: 'Tag', examples: [{ name: 'vip', contactCount: 3 }] });
export type Tag = z.infer<typeof tagSchema>;
