import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { limits } from './limits.ts';
import {
  botChangesSchema,
  botCreateSchema,
  botSettingsSchema,
  defaultBotSettings,
  organizationNameSchema,
} from './tenants.ts';

suite('names', () => {
  test('are trimmed', () => assert.equal(organizationNameSchema.parse(' \n Example Ltd\t '), 'Example Ltd'));

  test('are measured in code points, up to the limit', () => {
    assert.equal(organizationNameSchema.parse('👍'.repeat(limits.nameLength)).length, 2 * limits.nameLength);
    assert.equal(organizationNameSchema.safeParse('👍'.repeat(limits.nameLength + 1)).success, false);
  });

  for (const name of ['', '   ', 'a\u0000b', 'a\nb', 'a\u0085b', 'a\ud800b', 7, null, undefined]) {
    test(`cannot be ${JSON.stringify(name)}`, () =>
      assert.equal(organizationNameSchema.safeParse(name).success, false));
  }
});

suite('settings of a bot', () => {
  test('that are the default ones are allowed', () => {
    const settings = { name: 'Support', ...defaultBotSettings };
    assert.deepEqual(botSettingsSchema.parse(settings), settings);
  });

  test('are brought to one form: colours in lower case, origins as browsers send them, each once', () => {
    const allowedOrigins = ['HTTPS://Shop.Example.com:443/', 'https://shop.example.com', 'http://localhost:3000'];
    assert.deepEqual(botChangesSchema.parse({ color: ' #ABCDEF ', allowedOrigins }), {
      color: '#abcdef',
      allowedOrigins: ['https://shop.example.com', 'http://localhost:3000'],
    });
  });

  const wrong: object[] = [
    { color: 'red' },
    { color: '' },
    { color: '#fff' },
    { position: 'top' },
    { greeting: 'x'.repeat(limits.greetingLength + 1) },
    { greeting: 'two\nlines' },
    { name: '' },
    { allowedOrigins: ['*'] },
    { allowedOrigins: ['https://example.com/path'] },
    { allowedOrigins: ['https://example.com/?'] },
    { allowedOrigins: ['https://user@example.com'] },
    { allowedOrigins: ['ftp://example.com'] },
    { allowedOrigins: ['example.com'] },
    { allowedOrigins: [''] },
    { allowedOrigins: Array.from({ length: limits.allowedOrigins + 1 }, (_, index) => `https://${index}.example.com`) },
    { allowedOrigins: 'https://example.com' },
    { colour: '#000000' },
  ];
  for (const changes of wrong) {
    test(`cannot be ${JSON.stringify(changes).slice(0, 80)}`, () =>
      assert.equal(botChangesSchema.safeParse(changes).success, false));
  }

  test('of a new bot must have a name, those of a change need nothing', () => {
    assert.equal(botCreateSchema.safeParse({}).success, false);
    assert.deepEqual(botChangesSchema.parse({}), {});
    assert.deepEqual(botCreateSchema.parse({ name: 'Support' }), { name: 'Support' });
  });
});
