// Events as lines for a person: what is in them, and that nothing in them controls the terminal.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventText, stamp } from './event-text.ts';
import type { FollowedEvent } from './feed.ts';

const event: FollowedEvent = {
  id: 'evt_1',
  type: 'contact.updated',
  at: '2026-11-14T09:30:00.123Z',
  contactId: 'con_1',
  fields: ['email', 'attributes.plan'],
  actor: { kind: 'member', id: 'mem_1' },
};
const contact = {
  id: 'con_1',
  name: 'Jane',
  email: 'jane@x',
  phone: '',
  wid: '',
  mid: '',
  createdAt: '',
  updatedAt: '',
};

suite('a line of an event', () => {
  const begin = stamp(event.at, event.type);

  test('says what changed, and who did it', () => {
    assert.equal(eventText(event), `${begin}  con_1  email, attributes.plan  by member`);
  });

  test('has the contact, its attributes and tags if they were asked for', () => {
    const included = { ...contact, attributes: { plan: 'pro', seats: 3 }, tags: ['vip', 'new'] };
    assert.equal(
      eventText({ ...event, contact: included }),
      `${begin}  con_1  Jane <jane@x>  attributes.plan=pro  attributes.seats=3  tags=vip;new  email, attributes.plan  by member`,
    );
    assert.equal(eventText({ ...event, contact: null }), eventText(event));
  });

  test('of all contacts names none', () => {
    assert.match(
      eventText({ ...event, type: 'tag.deleted', contactId: null, fields: ['tags'] }),
      / all contacts {2}tags/,
    );
  });

  test('is one line, whatever a visitor is called', () => {
    const text = eventText({ ...event, contact: { ...contact, attributes: {}, tags: [], name: 'a\nb\x1b[2J' } });
    assert.ok(text.includes('a\\u{a}b\\u{1b}[2J'), text);
  });
});
