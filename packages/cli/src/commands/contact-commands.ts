// The commands of contacts, attributes, tags, segments, events and webhooks, in the order in which the help lists them. They
// talk to a server over HTTP.
import type { Commands } from '../program.ts';

export const contactCommands: Commands = {
  contacts: async (program) => {
    const contacts = program.command('contacts').description('manage the contacts of a bot, over HTTP');
    (await import('./contacts.ts')).addContactCommands(contacts);
    (await import('./contacts-import.ts')).addContactsImport(contacts);
    (await import('./contacts-export.ts')).addContactsExport(contacts);
  },
  attribute: async (program) => (await import('./attribute.ts')).addAttributeCommands(program),
  tag: async (program) => (await import('./tag.ts')).addTagCommands(program),
  segment: async (program) => (await import('./segment.ts')).addSegmentCommands(program),
  events: async (program) => {
    const events = program.command('events').description('follow what happens to the contacts of a bot, over HTTP');
    (await import('./events-follow.ts')).addEventsFollow(events);
    (await import('./events-listen.ts')).addEventsListen(events);
  },
  webhook: async (program) => {
    const webhook = program.command('webhook').description('manage webhooks, which events are sent to, over HTTP');
    (await import('./webhook.ts')).addWebhookCommands(webhook);
    (await import('./webhook-deliveries.ts')).addWebhookDeliveries(webhook);
  },
};
