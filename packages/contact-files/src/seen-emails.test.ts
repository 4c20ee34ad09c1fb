// Each email is recognised, among as many as a large file has.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { SeenEmails } from './seen-emails.ts';

suite('emails that were seen', () => {
  test('are recognised, and others are not, among hundreds of thousands that differ little', () => {
    const seen = new SeenEmails();
    const count = 150_000;
    const emails = (at: number) => [`person${at}@example.com`, `${at}@x`];
    for (const round of [undefined, true]) {
      for (let at = 0; at < count; at++) {
        for (const email of emails(at)) assert.equal(seen.note(email, true), round, email);
      }
    }
    assert.equal(seen.note(`person${count}@example.com`, true), undefined);
  });

  test('count as unchanged until a row changes them, as a map of them would say', () => {
    const notes = fc.array(fc.tuple(fc.stringMatching(/^[a-c]{1,2}@x$/), fc.boolean()), { maxLength: 200 });
    fc.assert(
      fc.property(notes, (given) => {
        const seen = new SeenEmails();
        const model = new Map<string, boolean>();
        for (const [email, isUnchanged] of given) {
          assert.equal(seen.note(email, isUnchanged), model.get(email));
          model.set(email, (model.get(email) ?? true) && isUnchanged);
        }
      }),
    );
  });
});
