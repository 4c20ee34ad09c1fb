// Addresses: those of one client are one, those of proxies are read, and what is no address is none.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { addressKey, isLoopbackHost, isPrivate, toAddress } from './addresses.ts';

suite('addressKey', () => {
  const same: [one: string, other: string][] = [
    ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6'],
    ['2001:db8::1', '2001:db8:0:0:5::'],
    ['::1', '::2'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:DB8::1', '2001:db8::2'],
    ['2001:0db8:0:0::1', '2001:db8::1'],
    ['::ffff:cb00:7107', '203.0.113.7'],
  ];
  for (const [one, other] of same) {
    test(`${one} and ${other} are one`, () => assert.equal(addressKey(one), addressKey(other)));
  }

  const different: [one: string, other: string][] = [
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['2001:db8::1', '2001:db8:0:1::1'],
    ['203.0.113.7', '203.0.113.8'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.8'],
    ['1::', '::1'],
  ];
  for (const [one, other] of different) {
    test(`${one} and ${other} are two`, () => assert.notEqual(addressKey(one), addressKey(other)));
  }
});

suite('toAddress', () => {
  const cases: [stated: string, address: string][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:49152', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:49152', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', ''],
    ['_hidden', ''],
    ['', ''],
    ['203.0.113.7.5', ''],
    ['203.0.113.7:port', ''],
    ['[2001:db8::1', ''],
    ['[203.0.113.7]:', ''],
    ['<script>', ''],
  ];
  for (const [stated, address] of cases) {
    test(`${JSON.stringify(stated)} is ${JSON.stringify(address)}`, () => assert.equal(toAddress(stated), address));
  }
});

suite('isPrivate', () => {
  for (const near of [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.0.1',
    '::1',
    'fd00::1',
    'fe80::1%eth0',
    '::ffff:10.0.0.1',
  ]) {
    test(`${near} is`, () => assert.ok(isPrivate(near)));
  }
  for (const far of ['203.0.113.7', '172.32.0.1', '11.0.0.1', '2001:db8::1', '::ffff:203.0.113.7', '', 'localhost']) {
    test(`${JSON.stringify(far)} is not`, () => assert.ok(!isPrivate(far)));
  }
});

test('isLoopbackHost knows the names of this machine', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]']) assert.ok(isLoopbackHost(host), host);
  for (const host of ['localhost.example.com', '127.0.0.1.example.com', '128.0.0.1', '[::2]', '']) {
    assert.ok(!isLoopbackHost(host), host);
  }
});
