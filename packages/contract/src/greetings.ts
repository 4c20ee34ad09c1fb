// Greetings by language: the keys are language tags (BCP 47) in their canonical form, so that a page's `lang` finds them.
import * as z from 'zod';
import { bounded } from './bounded.ts';
import { limits } from './limits.ts';
import { required } from './text.ts';

/** The rules of every greeting. */
export const greetingText = {
  description: 'Greeting in the widget in this language.',
  maxLength: limits.greetingLength,
  example: 'How can we help?',
};

/** Language, script, region and variants. Intl knows more forms, such as private ones, that no page uses. */
const tagForm = '[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,4}';
const tag = new RegExp(`^${tagForm}$`);

/** `pt-br` is `pt-BR`. Undefined: not a language tag. */
function canonicalTag(given: string): string | undefined {
  try {
    return tag.test(given) ? Intl.getCanonicalLocales(given)[0] : undefined;
  } catch {
    // What has the form of a tag may still be none: en-en-en.
    return undefined;
  }
}

const tooMany = `must be at most ${limits.greetings} greetings`;
const texts = z.record(z.string(), required(greetingText), {
  error: 'must be an object with a text for each language',
});

export const greetingsSchema = bounded(texts, { max: limits.greetings, tooLong: tooMany })
  .transform((given, context) => {
    const greetings = new Map<string, string>();
    const report = (path: string[], message: string) =>
      context.issues.push({ code: 'custom', message, path, input: given });
    for (const [key, greeting] of Object.entries(given)) {
      const language = canonicalTag(key);
      if (language === undefined) report([key], 'must be a language tag, like de or pt-BR');
      else if (greetings.has(language)) report([key], 'already has a greeting for this language');
      else greetings.set(language, greeting);
    }
    return Object.fromEntries([...greetings].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  })
  .meta({
    description: 'Greetings by language tag. A page in another language shows `greeting`.',
    propertyNames: { type: 'string', pattern: `^${tagForm}$` },
    maxProperties: limits.greetings,
    examples: [{ de: 'Wie können wir helfen?' }],
  });
