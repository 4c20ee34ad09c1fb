// How an organization's bots are used, as the console's home shows it.
import * as z from 'zod';
import { timestampSchema } from './contact.ts';
import { idKinds } from './ids.ts';

/** What an overview covers: days of created contacts, days in which visitors were recognized, and how many it lists. */
export const overviewSpan = { days: 30, visitorDays: 7, visitors: 5 } as const;

const count = z.int().min(0);

const dayCountSchema = z
  .strictObject({
    date: z.iso.date().meta({ description: 'A day in UTC.', example: '2026-11-14' }),
    newContactCount: count.meta({ description: 'Contacts created on it, including those deleted since.' }),
  })
  .meta({ id: 'DayCount' });

const daysSchema = z
  .array(dayCountSchema)
  .meta({ description: `The last ${overviewSpan.days} days, oldest first, today included.` });

const usage = {
  id: z.string().regex(idKinds.bot.pattern),
  contactCount: count.meta({ description: 'Exact.' }),
  newContactCount: count.meta({
    description: `Contacts created in the last ${overviewSpan.days} days, including those deleted since.`,
  }),
  visitorCount: count.meta({
    description: `Contacts recognized on a page in the last ${overviewSpan.visitorDays} days.`,
  }),
  hasMoreVisitors: z.boolean().meta({ description: 'There were more visitors than were counted.' }),
  widgetLoadedAt: timestampSchema
    .nullable()
    .meta({ description: 'When a page of another origin first loaded the widget. Null: not yet.' }),
  visitorRecognizedAt: timestampSchema
    .nullable()
    .meta({ description: 'When a visitor was first recognized by a contact token. Null: not yet.' }),
};

const botUsageSchema = z.strictObject(usage).meta({ id: 'BotUsage' });
export type BotUsage = z.infer<typeof botUsageSchema>;

export const overviewSchema = z
  .strictObject({
    days: daysSchema,
    bots: z.array(botUsageSchema).meta({ description: 'Oldest first.' }),
    isComplete: z.boolean().meta({
      description: 'False: bots are missing, because the part of the database that holds them is out of reach.',
    }),
  })
  .meta({ id: 'Overview' });
export type Overview = z.infer<typeof overviewSchema>;

const visitorSchema = z
  .strictObject({
    id: z.string().regex(idKinds.contact.pattern),
    name: z.string(),
    lastSeenAt: timestampSchema,
  })
  .meta({ id: 'SeenVisitor' });

export const botOverviewSchema = z
  .strictObject({
    ...usage,
    days: daysSchema,
    visitors: z.array(visitorSchema).meta({
      description: `The contacts recognized last, latest first, at most ${overviewSpan.visitors}.`,
    }),
  })
  .meta({ id: 'BotOverview' });
export type BotOverview = z.infer<typeof botOverviewSchema>;
