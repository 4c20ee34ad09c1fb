// The public settings of a bot's widget, and the version of its script. Nothing here may be secret: any page can read it.
import * as z from 'zod';
import { channelSchema } from './channels.ts';
import { launcherPositions } from './names.ts';

export const colorPattern = /^#[0-9a-f]{6}$/;

export const widgetSettingsSchema = z
  .strictObject({
    name: z.string().meta({ description: 'Display name of the bot.', examples: ['Support'] }),
    greeting: z.string().meta({ examples: ['How can we help?'] }),
    color: z
      .string()
      .regex(colorPattern)
      .meta({ examples: ['#2f6fed'] }),
    position: z.enum(launcherPositions),
    channels: z.array(channelSchema).meta({ description: 'Ways to get in touch, in the order of the panel.' }),
    greetings: z.record(z.string(), z.string()).meta({
      description: 'Greetings by language tag. Visitors with another language see `greeting`.',
      examples: [{ de: 'Wie können wir helfen?' }],
    }),
    widgetUrl: z
      .url()
      .meta({ examples: ['https://contacts.example.com/widget.js?bot=bot_a6f3k4u2b1z5m0q7c9d2x4h8e1r6t3w0y5'] }),
  })
  .meta({ id: 'WidgetSettings' });

export type WidgetSettings = z.infer<typeof widgetSettingsSchema>;

export const widgetIntegritySchema = z
  .strictObject({
    version: z.string().meta({ examples: ['5f1d0c2b7a9e4863'] }),
    url: z.url().meta({
      description: 'URL of this version. Add `?bot=` to it.',
      examples: ['https://contacts.example.com/widget/5f1d0c2b7a9e4863/widget.js'],
    }),
    integrity: z
      .string()
      .regex(/^sha384-[A-Za-z0-9+/]{64}$/)
      .meta({ description: 'For the `integrity` attribute of the script tag.' }),
  })
  .meta({ id: 'WidgetIntegrity' });
