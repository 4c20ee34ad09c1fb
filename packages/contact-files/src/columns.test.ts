// Headers of real files are mapped to the right contact fields.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Field, guessColumns } from './columns.ts';

/** The guessed mapping, with titles instead of positions. */
function guess(...header: string[]): Partial<Record<Field, string>> {
  const found = Object.entries(guessColumns(header)).filter(([, columns]) => columns.length > 0);
  return Object.fromEntries(found.map(([field, columns]) => [field, columns.map((at) => header[at]).join(' + ')]));
}

suite('columns are guessed from the header', () => {
  const headers: [string[], Partial<Record<Field, string>>][] = [
    [
      ['name', 'email', 'phone', 'wid', 'mid', 'id', 'createdAt', 'updatedAt'],
      { name: 'name', email: 'email', phone: 'phone', wid: 'wid', mid: 'mid' },
    ],
    [['Full Name', 'E-Mail', 'Mobile'], { name: 'Full Name', email: 'E-Mail', phone: 'Mobile' }],
    [
      ['FIRST_NAME', 'LAST_NAME', 'EMAIL_ADDRESS', 'TEL.'],
      { name: 'FIRST_NAME + LAST_NAME', email: 'EMAIL_ADDRESS', phone: 'TEL.' },
    ],
    [['Name', 'First name', 'Last name', 'Email'], { name: 'Name', email: 'Email' }],
    [
      ['Name', 'Vorname', 'E-Mail-Adresse', 'Handynummer'],
      { name: 'Vorname + Name', email: 'E-Mail-Adresse', phone: 'Handynummer' },
    ],
    [['Nom', 'Prénom', 'Courriel', 'Téléphone'], { name: 'Prénom + Nom', email: 'Courriel', phone: 'Téléphone' }],
    [
      ['Nombre', 'Apellidos', 'Correo electrónico', 'Móvil'],
      { name: 'Nombre + Apellidos', email: 'Correo electrónico', phone: 'Móvil' },
    ],
    [['Nombre', 'Correo'], { name: 'Nombre', email: 'Correo' }],
    [['氏名', 'メールアドレス', '電話番号'], { name: '氏名', email: 'メールアドレス', phone: '電話番号' }],
    [['姓名', '邮箱', '手机'], { name: '姓名', email: '邮箱', phone: '手机' }],
    [
      ['Имя', 'Фамилия', 'Электронная почта', 'Телефон'],
      { name: 'Имя + Фамилия', email: 'Электронная почта', phone: 'Телефон' },
    ],
    [['이름', '이메일', '전화번호'], { name: '이름', email: '이메일', phone: '전화번호' }],
    [
      ['Given Name', 'Family Name', 'E-mail 1 - Value', 'Phone 1 - Value'],
      { name: 'Given Name + Family Name', email: 'E-mail 1 - Value', phone: 'Phone 1 - Value' },
    ],
    [
      ['Customer', 'Billing email', 'WhatsApp number', 'Facebook Messenger ID'],
      { name: 'Customer', email: 'Billing email', wid: 'WhatsApp number', mid: 'Facebook Messenger ID' },
    ],
    [['Company', 'Notes', 'Email status'], {}],
  ];
  for (const [header, expected] of headers) {
    test(header.join(', '), () => assert.deepEqual(guess(...header), expected));
  }
});
