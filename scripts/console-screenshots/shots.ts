// The screenshots of the console: every page, dialog, menu, and empty, loading and error state.
import type { Person } from '../../packages/console/test/console-world.ts';
import {
  actOnPage,
  addFilter,
  changeFilter,
  chooseFrom,
  dropFile,
  dropImage,
  editContact,
  fillSecret,
  goOffline,
  importFile,
  keepColumns,
  leaveEdits,
  makeSecret,
  newChoice,
  openAccountMenu,
  openBy,
  openMenu,
  openNavigation,
  press,
  previewDark,
  search,
  selectPage,
  sendInvalidContact,
  showShortcuts,
  signInWrongly,
  tagPage,
  toEmptyBot,
  toTasks,
  untilDiskFull,
  untilDrawn,
  untilFailure,
  untilOutage,
  untilPeeked,
  untilPreviewed,
} from './actions.ts';
import type { Answers } from './answers.ts';
import { sampleContacts } from './sample-contacts.ts';

export interface Shot {
  name: string;
  route: string;
  title: string;
  isAnonymous?: boolean;
  /** Shows what is on the screen, and not the page below it. */
  isScreenOnly?: boolean;
  /** Of a desktop window, for a dialog that is longer than the usual one. */
  height?: number;
  /** Changes what the server answers, or withholds it. */
  answers?: Answers;
  /** Actions on the page before the screenshot. */
  act?(person: Person): Promise<void>;
}

const filters = 'tag=regular&attributes[plan]=Gold&attributes[plan]=Silver&createdAt[gte]=-30d&sort=name';
export const everything = /\/v1\/account\/(?!session)/;

export function shotsOf(botId: string, contactId: string, link: string): Shot[] {
  return [...shotsOfContacts(botId, contactId), ...shotsOfBot(botId), ...shotsOfOrganization(botId, link)];
}

function shotsOfContacts(botId: string, contactId: string): Shot[] {
  const bot = `/bots/${botId}`;
  const list = { route: `${bot}/contacts`, title: 'Harbour Books', isScreenOnly: true };
  const selected = { ...list, route: `${bot}/contacts?${filters}` };
  const contact = { route: `${bot}/contacts/${contactId}`, title: sampleContacts.at(0)?.name ?? '' };
  const search = /\/contacts\?/;
  return [
    { name: 'contacts', ...list },
    { name: 'contacts-search', ...list, route: `${bot}/contacts?query=anna` },
    { name: 'contacts-filters', ...selected },
    { name: 'contacts-segment', ...list, title: 'Gold members', route: `${bot}/contacts?segment=gold` },
    { name: 'contacts-filter-form', ...selected, act: addFilter },
    { name: 'contacts-filter-change', ...selected, act: changeFilter },
    { name: 'contacts-selected', ...selected, act: selectPage },
    { name: 'contacts-peek', ...list, route: `${bot}/contacts?peek=${contactId}`, act: untilPeeked },
    { name: 'shortcuts', ...list, act: showShortcuts },
    { name: 'contacts-columns', ...list, act: openMenu('Columns') },
    { name: 'contacts-menu', ...list, act: openMenu('Import & export') },
    { name: 'contacts-none', ...list, route: `${bot}/contacts?query=nobody` },
    { name: 'contacts-empty', ...list, route: '/bots', act: toEmptyBot },
    { name: 'contacts-loading', ...list, title: 'Contacts', answers: { path: everything, how: 'never' } },
    { name: 'contacts-failure', ...list, answers: { path: search, how: 'failure' } },
    { name: 'contacts-outage', ...list, answers: { path: search, how: 'outage' }, act: untilOutage },
    { name: 'contacts-offline', ...list, act: goOffline },
    { name: 'contacts-disk-full', ...list, answers: { path: /\/readyz$/, how: 'read-only' }, act: untilDiskFull },
    { name: 'contacts-unknown-segment', ...list, route: `${bot}/contacts?segment=unknown` },
    { name: 'contact-new', ...list, act: openBy('New contact') },
    { name: 'contact-invalid', ...list, act: sendInvalidContact },
    { name: 'contact-discard', ...list, act: leaveEdits },
    { name: 'segment-save', ...selected, act: openBy('Save as segment…') },
    { name: 'bulk-tag', ...selected, act: actOnPage('Add tag…') },
    { name: 'bulk-attribute', ...selected, act: actOnPage('Set attribute…') },
    { name: 'bulk-result', ...selected, act: tagPage },
    { name: 'bulk-export', ...selected, act: actOnPage('Export…') },
    { name: 'bulk-delete', ...selected, act: actOnPage(/^Delete \d+ contacts…$/) },
    { name: 'contact', ...contact },
    { name: 'contact-edit-value', ...contact, act: press('Edit Plan') },
    { name: 'contact-edit-several', ...contact, act: editContact },
    { name: 'contact-delete', ...contact, act: openBy('Delete…') },
    { name: 'contact-revoke', ...contact, act: openBy('Revoke all…') },
    { name: 'contact-no-tokens', ...contact, answers: { path: /\/tokens/, how: 'empty' } },
    { name: 'contact-no-events', ...contact, answers: { path: /\/events\?/, how: 'no events' } },
    { name: 'contact-events-failure', ...contact, answers: { path: /\/events\?/, how: 'failure' } },
    { name: 'contact-unknown', route: `${bot}/contacts/con_unknown`, title: 'Contact' },
    { name: 'import', route: `${bot}/import`, title: 'Import contacts' },
    { name: 'import-refused', route: `${bot}/import`, title: 'Import contacts', act: dropImage },
    { name: 'import-check', route: `${bot}/import`, title: 'Import contacts', act: dropFile },
    { name: 'import-attributes', route: `${bot}/import`, title: 'Import contacts', act: keepColumns },
    { name: 'import-done', route: `${bot}/import`, title: 'Import contacts', act: importFile },
    { name: 'tasks', route: `${bot}/import`, title: 'Import contacts', act: toTasks },
    { name: 'tasks-empty', route: '/tasks', title: 'Imports and bulk actions' },
  ];
}

function shotsOfBot(botId: string): Shot[] {
  const bot = `/bots/${botId}`;
  const activity = { route: `${bot}/activity`, title: 'Activity', isScreenOnly: true };
  const attributes = { route: `${bot}/attributes`, title: 'Attributes and tags' };
  return [
    { name: 'widget', route: `${bot}/settings`, title: 'Harbour Books', act: untilPreviewed },
    { name: 'widget-contact', route: `${bot}/settings`, title: 'Harbour Books', isScreenOnly: true, act: previewDark },
    { name: 'bot-delete', route: `${bot}/settings`, title: 'Harbour Books', act: openBy('Delete bot…') },
    { name: 'bot-unknown', route: '/bots/bot_unknown/settings', title: '', act: untilFailure },
    { name: 'activity', ...activity },
    { name: 'activity-type', ...activity, route: `${bot}/activity?type=contact.updated` },
    { name: 'activity-none', ...activity, route: `${bot}/activity?type=tag.deleted` },
    { name: 'activity-loading', ...activity, answers: { path: everything, how: 'never' } },
    { name: 'activity-failure', ...activity, answers: { path: /\/events\?/, how: 'failure' } },
    { name: 'activity-off', ...activity, answers: { path: /\/events\?/, how: 'missing' } },
    { name: 'attributes', ...attributes },
    { name: 'attributes-empty', ...attributes, answers: { path: /\/(attributes|tags|segments)$/, how: 'empty' } },
    { name: 'attributes-loading', ...attributes, answers: { path: everything, how: 'never' } },
    { name: 'attributes-failure', ...attributes, answers: { path: /\/tags$/, how: 'failure' } },
    { name: 'attributes-menu', ...attributes, act: openMenu('Actions for Plan') },
    { name: 'attribute-new', ...attributes, act: openBy('New attribute') },
    { name: 'attribute-choices', ...attributes, height: 930, act: newChoice },
    { name: 'attribute-edit', ...attributes, act: chooseFrom('Actions for Plan', 'Edit…') },
    { name: 'attribute-delete', ...attributes, act: chooseFrom('Actions for Plan', 'Delete…') },
    { name: 'tag-rename', ...attributes, act: chooseFrom('Actions for book club', 'Rename…') },
    { name: 'tag-delete', ...attributes, act: chooseFrom('Actions for book club', 'Delete…') },
    { name: 'segment-edit', ...attributes, act: chooseFrom('Actions for Keen readers', 'Edit…') },
    { name: 'segment-delete', ...attributes, act: chooseFrom('Actions for Gold members', 'Delete…') },
  ];
}

function shotsOfOrganization(botId: string, link: string): Shot[] {
  const home = { route: '/', title: 'Home' };
  const bots = { route: '/bots', title: 'Bots' };
  const secrets = { route: '/secrets', title: 'Secrets' };
  const members = { route: '/members', title: 'Members' };
  const account = { route: '/account', title: 'Your account' };
  return [
    { name: 'sign-in', route: '/', title: 'Sign in', isAnonymous: true },
    { name: 'sign-in-refused', route: '/', title: 'Sign in', isAnonymous: true, act: signInWrongly },
    { name: 'join', route: link, title: 'Join Example Ltd', isAnonymous: true },
    { name: 'link-used', route: '/link/nonsense', title: 'This link doesn’t work', isAnonymous: true },
    { name: 'home', ...home, act: untilDrawn },
    { name: 'home-bot', route: `/?bot=${botId}`, title: 'Home', act: untilDrawn },
    { name: 'home-no-bots', ...home, answers: { path: /\/account\/bots$/, how: 'empty' } },
    { name: 'home-loading', ...home, answers: { path: everything, how: 'never' } },
    { name: 'home-failure', ...home, answers: { path: /\/account\/overview$/, how: 'failure' } },
    { name: 'bots', ...bots },
    { name: 'bots-empty', ...bots, answers: { path: /\/account\/bots$/, how: 'empty' } },
    { name: 'bots-loading', ...bots, answers: { path: everything, how: 'never' } },
    { name: 'bots-failure', ...bots, answers: { path: /\/account\/bots$/, how: 'failure' } },
    { name: 'bot-new', ...bots, act: openBy('New bot') },
    { name: 'menu', ...secrets, isScreenOnly: true, act: openNavigation },
    { name: 'account-menu', ...secrets, isScreenOnly: true, act: openAccountMenu },
    { name: 'palette', route: `/bots/${botId}/contacts`, title: 'Harbour Books', act: search('') },
    { name: 'palette-results', route: `/bots/${botId}/contacts`, title: 'Harbour Books', act: search('an') },
    { name: 'palette-none', route: `/bots/${botId}/contacts`, title: 'Harbour Books', act: search('zeppelin') },
    { name: 'secrets', ...secrets },
    { name: 'secrets-empty', ...secrets, answers: { path: /\/secrets$/, how: 'empty' } },
    { name: 'secret-form', ...secrets, height: 930, act: fillSecret },
    { name: 'secret-new', ...secrets, act: makeSecret },
    { name: 'secret-revoke', ...secrets, act: chooseFrom('Actions for Nightly import', 'Revoke…') },
    { name: 'members', ...members },
    { name: 'member-invite', ...members, act: openBy('Invite') },
    { name: 'member-remove', ...members, act: chooseFrom('Actions for Tomás Ferreira', 'Remove…') },
    { name: 'audit', route: '/audit', title: 'Audit log' },
    { name: 'audit-narrowed', route: '/audit?type=Secrets', title: 'Audit log' },
    { name: 'audit-none', route: '/audit?to=2020-01-31', title: 'Audit log' },
    {
      name: 'audit-failure',
      route: '/audit',
      title: 'Audit log',
      answers: { path: /\/account\/audit/, how: 'failure' },
    },
    { name: 'account', ...account },
    { name: 'account-sign-out', ...account, act: openBy('Sign out everywhere…') },
    { name: 'not-found', route: '/nowhere', title: 'Page not found' },
  ];
}
