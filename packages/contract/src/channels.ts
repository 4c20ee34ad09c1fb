// Channels: ways to get in touch that the widget's panel offers as buttons. What is stored can be made into a link without
// further checks; the widget checks once more, because a page trusts no server.
import * as z from 'zod';
import { list } from './bounded.ts';
import { limits } from './limits.ts';
import { required, text } from './text.ts';
import { emailRules, type TextRules, whatsappRules } from './text-rules.ts';

export const channelTypes = ['whatsapp', 'messenger', 'email', 'phone', 'link'] as const;
export type ChannelType = (typeof channelTypes)[number];

/** As it is answered. */
export const channelSchema = z
  .strictObject({
    type: z.enum(channelTypes),
    value: z.string().meta({ description: 'A phone number, Facebook page, email or URL, depending on the type.' }),
    label: z
      .string()
      .meta({ description: 'Text of the button. If empty, the widget names the channel in the visitor’s language.' }),
  })
  .meta({ id: 'Channel', examples: [{ type: 'whatsapp', value: '+15550100123', label: '' }] });
export type Channel = z.infer<typeof channelSchema>;

const pageForm = /^[A-Za-z0-9.]+$/;
const phoneForm = /^\+?[0-9 ().\-/]+$/;

/** The address in its canonical form, if it is one that a browser opens over TLS and that holds no password. */
function linkOf(value: string): string | undefined {
  const url = URL.parse(value);
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined;
}

const valueRules: Record<ChannelType, Pick<TextRules, 'normalise' | 'fault' | 'maxLength'>> = {
  whatsapp: whatsappRules,
  messenger: {
    maxLength: limits.messengerIdLength,
    normalise: (value) => value.replace(/^(?:https:\/\/)?(?:www\.)?m\.me\//i, ''),
    fault: (value) =>
      pageForm.test(value) ? undefined : 'must be the username or id of a Facebook page, like example.shop',
  },
  email: emailRules,
  phone: {
    maxLength: limits.phoneLength,
    fault: (value) =>
      phoneForm.test(value) && value.replaceAll(/\D/g, '').length >= 3
        ? undefined
        : 'must be a phone number, like +1 555 010 0123',
  },
  link: {
    maxLength: limits.channelValueLength,
    normalise: (value) => linkOf(value) ?? value,
    fault: (value) => (linkOf(value) === undefined ? 'must be an address that begins with https://' : undefined),
  },
};

const description = 'A phone number, Facebook page, email or URL, depending on the type.';
const example = whatsappRules.example;

function valueSchemaOf(type: ChannelType) {
  return required({ description, example, ...valueRules[type] });
}
const valueSchemas = Object.fromEntries(channelTypes.map((type) => [type, valueSchemaOf(type)]));

const channelInputSchema = z
  .strictObject({
    type: z.enum(channelTypes, { error: `must be one of ${channelTypes.join(', ')}` }),
    value: required({ description, example, maxLength: limits.channelValueLength }),
    label: text({
      description: 'Text of the button. If empty or left out, the widget names the channel in the visitor’s language.',
      maxLength: limits.channelLabelLength,
      example: 'Chat on WhatsApp',
    }).optional(),
  })
  .transform(({ type, value, label = '' }, context): Channel => {
    const read = valueSchemas[type]?.safeParse(value);
    for (const { message } of read?.error?.issues ?? []) {
      context.issues.push({ code: 'custom', message, path: ['value'], input: value });
    }
    return { type, value: read?.data ?? value, label };
  });

export const channelsSchema = list(channelInputSchema, {
  max: limits.channels,
  error: 'must be a list of channels',
  tooLong: `must be at most ${limits.channels} channels`,
}).meta({ description: 'Ways to get in touch, shown as buttons in the widget’s panel, in this order.' });
