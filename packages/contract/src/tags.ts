// Tags of contacts. Two spellings are the same tag when they fold to the same text, which is the server's to decide.
import * as z from 'zod';
import { required } from './text.ts';
import { tagRules } from './text-rules.ts';

export const tagNameSchema = required(tagRules);

export const tagRenameSchema = z.object({ name: tagNameSchema }).meta({ id: 'TagRename' });

export const tagSchema = z
  .strictObject({
    name: z.string().meta({ description: 'As first written in the bot, or as renamed.' }),
    contactCount: z.int().min(1).meta({ description: 'The exact number of contacts with the tag.' }),
  })
  .meta({ id: 'Tag', examples: [{ name: 'vip', contactCount: 3 }] });
export type Tag = z.infer<typeof tagSchema>;
