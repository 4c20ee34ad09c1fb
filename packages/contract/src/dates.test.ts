// Which texts are dates, and of which moment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDate, parseDateBound } from './dates.ts';

test('a date is its midnight UTC, a date-time says its offset', () => {
  const moments = {
    '2026-11-30': '2026-11-30T00:00:00.000Z',
    '2024-02-29': '2024-02-29T00:00:00.000Z',
    '0001-01-01': '0001-01-01T00:00:00.000Z',
    '2026-11-30T12:34Z': '2026-11-30T12:34:00.000Z',
    '2026-11-30T12:34:56Z': '2026-11-30T12:34:56.000Z',
    '2026-11-30T12:34:56.7Z': '2026-11-30T12:34:56.700Z',
    '2026-11-30T12:34:56.789999999Z': '2026-11-30T12:34:56.789Z',
    '2026-11-30T00:30:00+05:30': '2026-11-29T19:00:00.000Z',
    '2026-11-30T23:30:00-03:00': '2026-12-01T02:30:00.000Z',
  };
  for (const [text, iso] of Object.entries(moments)) {
    const ms = parseDate(text);
    assert.equal(ms !== undefined && new Date(ms).toISOString(), iso, text);
  }
});

test('every moment is read back as it is written', () => {
  const moment = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });
  fc.assert(fc.property(moment, (date) => parseDate(date.toISOString()) === date.getTime()));
});

test('what is no date is none', () => {
  const texts = [
    ...[
      '',
      'x',
      '2026',
      '2026-11',
      '2026-1-1',
      '20261130',
      '2026-02-30',
      '2025-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-11-00',
    ],
    ...['2026-11-30T12:34', '2026-11-30T12:34:56', '2026-11-30 12:34Z', '2026-11-30T24:00Z', '2026-11-30T12:60Z'],
    ...[
      '2026-11-30T12:34:60Z',
      '2026-11-30T12:34+0100',
      '2026-11-30T12:34+24:00',
      '2026-11-30T12:34+01:60',
      '2026-11-30t12:34z',
    ],
    ...[' 2026-11-30', '2026-11-30\n', '+002026-11-30', '１２０２-11-30', '1764460800000'],
  ];
  for (const text of texts) assert.equal(parseDate(text), undefined, JSON.stringify(text));
});

test('a bound may also be a time from now', () => {
  const nowMs = Date.parse('2026-11-30T12:00:00Z');
  const iso = (text: string) => new Date(parseDateBound(text, nowMs) as number).toISOString();
  assert.equal(iso('-12h'), '2026-11-30T00:00:00.000Z');
  assert.equal(iso('-30d'), '2026-10-31T12:00:00.000Z');
  assert.equal(iso('-0d'), '2026-11-30T12:00:00.000Z');
  assert.equal(iso('+12h'), '2026-12-01T00:00:00.000Z');
  assert.equal(iso('+30d'), '2026-12-30T12:00:00.000Z');
  assert.equal(iso('30d'), iso('+30d'));
  assert.equal(iso('2026-01-02'), '2026-01-02T00:00:00.000Z');
  for (const text of ['-d', '-1', '-1m', '-1.5d', '-1234567d', '--1d', '+-1d', '++1d', '+ 1d', '-1D']) {
    assert.equal(parseDateBound(text, nowMs), undefined, text);
  }
});
