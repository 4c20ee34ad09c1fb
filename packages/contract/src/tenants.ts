// Names of organizations, bots and secrets, and the settings of a bot: the rules for every way of changing them.
import * as z from 'zod';
import { list } from './bounded.ts';
import { channelsSchema } from './channels.ts';
import { tokenSecondsSchema } from './contact-token.ts';
import { greetingsSchema, greetingText } from './greetings.ts';
import { limits } from './limits.ts';
import { launcherPositions } from './names.ts';
import { required, text } from './text.ts';
import { colorPattern, widgetSettingsSchema } from './widget.ts';

function nameOf(what: string, example: string) {
  return required({ description: `Name of the ${what}.`, maxLength: limits.nameLength, example });
}

export const organizationNameSchema = nameOf('organization', 'Example Ltd');
export const secretNameSchema = nameOf('secret', 'Web shop');

/** As browsers send it: scheme, host, and the port unless it is the usual one. */
function originOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.pathname === '/' && !/[?#]/.test(address) ? url.origin : undefined;
}

const originSchema = required({
  description: 'Scheme, host and port of a page.',
  example: 'https://shop.example.com',
  // URLs are parsed tolerantly, which no pattern can state.
  form: '\\S[\\s\\S]*',
  normalise: (value) => originOf(value) ?? value,
  fault: (value) =>
    originOf(value) === undefined ? 'must be an origin without a path, like https://shop.example.com' : undefined,
});

/** A bot's settings as they are given, all of them. */
export const botSettingsSchema = z.strictObject({
  name: nameOf('bot', 'Support'),
  greeting: text({ ...greetingText, description: 'Greeting in the widget; can be empty.' }),
  greetings: greetingsSchema,
  channels: channelsSchema,
  color: required({
    description: 'Color of the widget.',
    example: '#2f6fed',
    form: '#[0-9A-Fa-f]{6}',
    normalise: (value) => value.toLowerCase(),
    fault: (value) => (colorPattern.test(value) ? undefined : 'must be # and six hexadecimal digits, like #2f6fed'),
  }),
  position: z.enum(launcherPositions, { error: `must be one of ${launcherPositions.join(', ')}` }),
  allowedOrigins: list(originSchema, {
    max: limits.allowedOrigins,
    error: 'must be a list of origins',
    tooLong: `must be at most ${limits.allowedOrigins} origins`,
  })
    .transform((origins) => [...new Set(origins)])
    .meta({ description: 'Origins whose pages can show the widget. If empty, any origin.' }),
  tokenMaxSeconds: tokenSecondsSchema.meta({
    description: 'How long new contact tokens are valid at most, in seconds.',
    examples: [2_592_000],
  }),
});

/** A bot's settings as they are answered: what is stored met the rules above. */
export const storedBotSettingsSchema = widgetSettingsSchema
  .omit({ widgetUrl: true })
  .extend({ allowedOrigins: z.array(z.string()), tokenMaxSeconds: z.int() });

export type BotSettingsInput = z.output<typeof botSettingsSchema>;

/** The settings of a new bot. */
export const defaultBotSettings: Omit<BotSettingsInput, 'name'> = {
  greeting: 'How can we help?',
  greetings: {},
  channels: [],
  color: '#2f6fed',
  position: 'right',
  allowedOrigins: [],
  tokenMaxSeconds: limits.contactTokenSecondsMax,
};

export const botChangesSchema = botSettingsSchema.partial();
export const botCreateSchema = botChangesSchema.required({ name: true });
