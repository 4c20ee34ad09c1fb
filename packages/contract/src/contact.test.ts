// The rules for contact input (contract, "Contact", 3 to 6), each with its edges.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { contactCreateSchema, contactSchema, contactUpdateSchema, contactUpsertSchema } from './contact.ts';
import { emailKey } from './email-key.ts';
import { contactFields, readOnlyContactFields } from './names.ts';

type Field = (typeof contactFields)[number];
const valid = { name: 'Jane', email: 'jane@example.com' };

/** The value that a field is stored as, or what is wrong with it. */
function read(field: Field, value: unknown): { value?: unknown; faults?: string[] } {
  const result = contactCreateSchema.safeParse({ ...valid, [field]: value });
  if (result.success) return { value: result.data[field] };
  assert.ok(result.error.issues.every(({ path }) => path.length === 1 && path[0] === field));
  return { faults: result.error.issues.map(({ message }) => message) };
}

function assertTaken(field: Field, value: unknown, stored: unknown = value): void {
  assert.deepEqual(read(field, value), { value: stored }, JSON.stringify(value));
}

function assertRefused(field: Field, value: unknown): void {
  assert.equal(read(field, value).faults?.length, 1, `${field}: ${JSON.stringify(value)} is one error`);
}

const sampleOf: Record<Field, string> = { name: 'x', email: 'x@y', phone: '1', wid: '+1234567', mid: 'm' };

for (const field of contactFields) {
  suite(field, () => {
    test('takes strings only: nothing is coerced', () => {
      for (const value of [5, 0, true, false, {}, [], ['x']]) assertRefused(field, value);
    });

    test('is trimmed as JavaScript trims', () => {
      const sample = sampleOf[field];
      assertTaken(field, ` \t\n\r\v\f\u00a0\ufeff\u2003\u2028${sample}\u3000 `, sample);
    });

    test('takes no unpaired surrogate', () => {
      const sample = sampleOf[field];
      for (const half of ['\ud83d', '\ude00', '\ude00\ud83d']) {
        for (const value of [sample + half, half + sample, sample[0] + half + sample.slice(1)])
          assertRefused(field, value);
      }
    });

    test('takes no control character', () => {
      const sample = sampleOf[field];
      for (const control of ['\0', '\x01', '\t', '\n', '\r', '\x1b', '\x7f', '\x80', '\x85', '\x9f']) {
        assertRefused(field, sample[0] + control + sample.slice(1) + sample);
        assertRefused(field, sample.slice(0, 2) + control + sample.slice(2) + sampleOf.wid.slice(1));
      }
    });
  });
}

suite('no value', () => {
  test('null and empty are errors for name and email', () => {
    for (const field of ['name', 'email'] as const) {
      for (const value of [null, '', '   ', undefined]) assertRefused(field, value);
    }
    assert.equal(contactCreateSchema.safeParse({}).error?.issues.length, 2);
  });

  test('null and empty mean no value for phone, wid and mid', () => {
    for (const field of ['phone', 'wid', 'mid'] as const) {
      for (const value of [null, '', '  \t']) assertTaken(field, value, '');
    }
  });

  test('an update keeps what is left out, clears what is null or empty, and refuses it for name and email', () => {
    assert.deepEqual(contactUpdateSchema.parse({}), {});
    assert.deepEqual(contactUpdateSchema.parse({ phone: null, wid: '', mid: ' ' }), { phone: '', wid: '', mid: '' });
    for (const body of [{ name: null }, { name: '' }, { email: null }, { email: ' ' }]) {
      assert.equal(contactUpdateSchema.safeParse(body).error?.issues.length, 1);
    }
  });

  test('an upsert needs the email only, and its name may be left out but not be empty', () => {
    assert.deepEqual(contactUpsertSchema.parse({ email: 'a@b' }), { email: 'a@b' });
    for (const body of [{}, { name: 'x' }, { email: 'a@b', name: null }, { email: 'a@b', name: '' }]) {
      assert.equal(contactUpsertSchema.safeParse(body).error?.issues.length, 1, JSON.stringify(body));
    }
  });
});

suite('lengths', () => {
  const longest: [Field, number][] = [
    ['name', 256],
    ['phone', 64],
    ['mid', 128],
  ];
  for (const [field, length] of longest) {
    test(`${field} may have ${length} code points, whatever their size, after trimming`, () => {
      for (const unit of ['x', 'é', '漢', '😀']) {
        assertTaken(field, unit.repeat(length));
        assertTaken(field, `  ${unit.repeat(length)}  `, unit.repeat(length));
        assertRefused(field, unit.repeat(length + 1));
      }
    });
  }

  test('email may have 254 code points', () => {
    for (const unit of ['x', '😀']) {
      assertTaken('email', `${unit.repeat(252)}@y`);
      assertRefused('email', `${unit.repeat(253)}@y`);
    }
  });
});

suite('wid', () => {
  test('spaces, dots, dashes and brackets after the + are dropped', () => {
    const spellings = [
      '+1 (555) 010-0123',
      '+1.555.010.0123',
      '+[1]-555–010—0123',
      '+1\u00a0555\u202f0100123',
      '+ 15550100123',
    ];
    for (const spelling of spellings) assertTaken('wid', spelling, '+15550100123');
  });

  test('it is + and 7 to 15 digits, the first not 0', () => {
    for (const digits of ['1234567', '123456789012345']) assertTaken('wid', `+${digits}`);
    for (const digits of ['123456', '1234567890123456', '0123456789', '']) assertRefused('wid', `+${digits}`);
    const others = ['15550100', '0015550100', '(+1)5550100', '++15550100', '+1555010O', '+1555+0100', '-+15550100'];
    for (const value of [
      ...others,
      '+1/5550100',
      '+1_5550100',
      '+١٢٣٤٥٦٧',
      '+１２３４５６７',
      '+1555x100',
      '+',
      '＋15550100',
    ]) {
      assertRefused('wid', value);
    }
  });
});

suite('email', () => {
  const taken = ['a@b', 'jane@example.com', 'Jane.Doe+tag@Example.COM', 'o’neil@x.y', "o'neil@x.y", '用户@例子.公司'];
  for (const email of [
    ...taken,
    'a@localhost',
    'a@b.c.d.e',
    '.a.@x',
    '!#$%&*/=?^`{|}~@x',
    'a@[127.0.0.1]',
    'a@-x-',
    'a:b@x',
  ]) {
    test(`${email} is taken, and stored as sent`, () => assertTaken('email', email));
  }

  const refused = ['a', '@', 'a@', '@b', 'a@@b', 'a@b@c', 'a@b.', 'a@.b', 'a@b..c', 'a b@c', 'a@b c', 'a\u00a0b@c'];
  const signs = ['<', '>', ',', ';', '"'].flatMap((sign) => [`a${sign}b@c`, `a@b${sign}c`]);
  for (const email of [...refused, ...signs, 'Jane <jane@x>', 'a@b,c@d', 'a\u3000b@c', 'a@b\u2028c', 'a\ufeffb@c']) {
    test(`${JSON.stringify(email)} is refused`, () => assertRefused('email', email));
  }

  test('a long hostile email is judged at once', () => {
    const started = performance.now();
    assertRefused('email', `a@${'a.'.repeat(500_000)}`);
    assertRefused('email', `${'a'.repeat(1_000_000)}`);
    assert.ok(performance.now() - started < 10_000);
  });

  test('keys are equal for the same address in another case or composition, and only then', () => {
    assert.equal(emailKey('Jane@Example.COM'), emailKey('jane@example.com'));
    assert.equal(emailKey('zoe\u0308@x'), emailKey('ZO\u00cb@x'));
    assert.notEqual(emailKey('jane@x'), emailKey('jané@x'));
    assert.notEqual(emailKey('jane@x'), emailKey('ｊane@x'), 'compatibility forms are other addresses');
    // Lowering can yield something that composes: the key must not change when made again.
    for (const email of ['İ@x', 'I\u0307@x', 'Å@x', 'ΑΣ@x', 'a\u0323\u0307@x']) {
      assert.equal(emailKey(emailKey(email)), emailKey(email));
      assert.equal(emailKey(email), emailKey(email).normalize('NFC'));
    }
  });
});

suite('shapes', () => {
  test('unknown and read-only fields are dropped from input', () => {
    const body = { ...valid, id: 5, createdAt: {}, updatedAt: null, other: 'x' };
    assert.deepEqual(contactCreateSchema.parse(body), valid);
    assert.deepEqual(readOnlyContactFields.toSorted(), ['createdAt', 'id', 'updatedAt']);
  });

  test('an answer’s contact has exactly eight members, all strings', () => {
    const members = ['id', 'name', 'email', 'phone', 'mid', 'wid', 'createdAt', 'updatedAt'];
    assert.deepEqual(Object.keys(contactSchema.shape).toSorted(), members.toSorted());
    const contact = {
      ...{ id: `con_${'a0'.repeat(17)}`, name: 'x', email: 'a@b', phone: '', mid: '', wid: '' },
      ...{ createdAt: '2026-11-14T09:30:00.123Z', updatedAt: '2026-11-14T09:30:00.123Z' },
    };
    assert.deepEqual(contactSchema.parse(contact), contact);
    const wrong = [
      { ...contact, extra: '' },
      { ...contact, phone: null },
      { ...contact, createdAt: '2026-11-14T09:30:00Z' },
      { ...contact, createdAt: '2026-11-14T09:30:00.123+00:00' },
      { ...contact, id: 'x' },
      Object.fromEntries(Object.entries(contact).filter(([name]) => name !== 'mid')),
    ];
    for (const each of wrong) assert.equal(contactSchema.safeParse(each).success, false, JSON.stringify(each));
  });
});
