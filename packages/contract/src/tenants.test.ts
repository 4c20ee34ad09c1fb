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

  test('languages of greetings are brought to their canonical tags, in order', () => {
    const greetings = { 'PT-br': ' Oi! ', de: 'Hallo', 'zh-hant-tw': '您好' };
    const stored = botChangesSchema.parse({ greetings }).greetings;
    assert.deepEqual(Object.entries(stored ?? {}), [
      ['de', 'Hallo'],
      ['pt-BR', 'Oi!'],
      ['zh-Hant-TW', '您好'],
    ]);
  });

  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const manyLanguages = Array.from(
    { length: limits.greetings + 1 },
    (_, i) => `en-${letters[i % 26]}${letters[(i / 26) | 0]}`,
  );

  const wrong: object[] = [
    { color: 'red' },
    { color: '' },
    { color: '#fff' },
    { position: 'top' },
    { greeting: 'x'.repeat(limits.greetingLength + 1) },
    { greeting: 'two\nlines' },
    { name: '' },
    { allowedOrigins: ['*'] },
    ...[59, 31_536_001, 60.5, '60', null].map((tokenMaxSeconds) => ({ tokenMaxSeconds })),
    { allowedOrigins: ['https://example.com/path'] },
    { allowedOrigins: ['https://example.com/?'] },
    { allowedOrigins: ['https://user@example.com'] },
    { allowedOrigins: ['ftp://example.com'] },
    { allowedOrigins: ['example.com'] },
    { allowedOrigins: [''] },
    { allowedOrigins: Array.from({ length: limits.allowedOrigins + 1 }, (_, index) => `https://${index}.example.com`) },
    { allowedOrigins: 'https://example.com' },
    { colour: '#000000' },
    { channels: {} },
    { channels: [{ type: 'fax', value: '1' }] },
    { channels: [{ type: 'email', value: 'help@example.com', icon: 'x' }] },
    { channels: [{ type: 'email', value: 'help@example.com', label: 'x'.repeat(limits.channelLabelLength + 1) }] },
    { channels: Array(limits.channels + 1).fill({ type: 'email', value: 'help@example.com' }) },
    { greetings: [] },
    { greetings: { de: '' } },
    { greetings: { de: 7 } },
    { greetings: { de: 'x'.repeat(limits.greetingLength + 1) } },
    { greetings: { '': 'Hello' } },
    { greetings: { german: 'Hallo' } },
    { greetings: { de_DE: 'Hallo' } },
    { greetings: { 'de-': 'Hallo' } },
    { greetings: { 'de-DE': 'Hallo', 'de-de': 'Servus' } },
    { greetings: { he: 'שלום', iw: 'שלום' } },
    { greetings: Object.fromEntries(manyLanguages.map((tag) => [tag, 'Hello'])) },
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

suite('channels', () => {
  const read = (type: string, value: unknown, label?: string) =>
    botChangesSchema.safeParse({ channels: [{ type, value, ...(label !== undefined && { label }) }] });

  const taken: [type: string, value: string, stored?: string][] = [
    ['whatsapp', ' +1 (555) 010-0123 ', '+15550100123'],
    ['messenger', 'example.shop'],
    ['messenger', 'https://m.me/example.shop', 'example.shop'],
    ['messenger', '4815162342'],
    ['email', 'help@example.com'],
    ['phone', '+1 (555) 010-0123'],
    ['phone', '110'],
    ['link', 'HTTPS://Example.com', 'https://example.com/'],
    ['link', 'https://example.com/a b?c="d"', 'https://example.com/a%20b?c=%22d%22'],
    ['link', 'https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ];
  for (const [type, value, stored = value] of taken) {
    test(`${type}: ${value}`, () => {
      assert.deepEqual(read(type, value).data?.channels, [{ type, value: stored, label: '' }]);
      assert.deepEqual(read(type, value, ' Talk to us ').data?.channels?.[0]?.label, 'Talk to us');
    });
  }

  const refused: [type: string, values: unknown[]][] = [
    ['whatsapp', ['', '15550100123', '+1', 'javascript:alert(1)', null, 15550100123]],
    ['messenger', ['', 'a b', 'a/b', 'https://evil.example/x', '"x"', 'javascript:alert(1)', 'x'.repeat(200)]],
    ['email', ['', 'help', 'a@b?bcc=c@d,e@f', '"a"@b', 'javascript:alert(1)']],
    ['phone', ['', '12', 'call me', 'tel:110', '110;x', '+'.repeat(5), '1'.repeat(65)]],
    [
      'link',
      [
        ...['', 'example.com', '//example.com', '/help', 'http://example.com', 'ftp://example.com', 'mailto:a@b'],
        ...['javascript:alert(1)', ' JaVaScRiPt:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'vbscript:x'],
        ...[
          'blob:https://example.com/x',
          'https://user:word@example.com',
          'https://',
          `https://a.example/${'x'.repeat(1024)}`,
        ],
      ],
    ],
  ];
  for (const [type, values] of refused) {
    test(`${type}: what is none is refused, at its value`, () => {
      for (const value of values) {
        const { error } = read(type, value);
        assert.deepEqual(
          error?.issues.map(({ path }) => path.join('.')),
          ['channels.0.value'],
          String(value),
        );
      }
    });
  }
});
