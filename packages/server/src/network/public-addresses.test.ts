// Which addresses count as public, in every spelling that a URL can give them.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { AllowedNetworks, faultOfUrl, isPublicAddress, literalAddressOf, privateNetworks } from './public-addresses.ts';

const specialAddresses = {
  'this machine': ['127.0.0.1', '127.255.255.254', '::1'],
  'no address': ['0.0.0.0', '0.1.2.3', '::'],
  'a private network': [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    'fc00::1',
    'fd12:3456::1',
    'fec0::1',
  ],
  'a link': ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  'a carrier’s network': ['100.64.0.1', '100.127.255.255'],
  'protocol assignments': ['192.0.0.1', '192.0.0.170', '192.88.99.1', '2001::1', '2001:1ff::1', '100::1'],
  benchmarks: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'reserved for later': ['240.0.0.1', '255.255.255.255', '4000::1', '1::1', 'e000::1'],
  'an IPv4 address in an IPv6 one': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  ],
  'not an address': ['', 'localhost', 'example.com', '1.2.3', '1.2.3.4.5', '256.1.1.1', '0x7f.1', ':::'],
};

suite('an address is not public when it is', () => {
  for (const [what, addresses] of Object.entries(specialAddresses)) {
    test(what, () => {
      for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
    });
  }
});

test('addresses of the internet are public', () => {
  const addresses = ['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1', '192.0.1.1'];
  for (const address of [...addresses, '2606:4700::1111', '2a00:1450:4001::1', '::ffff:8.8.8.8']) {
    assert.equal(isPublicAddress(address), true, address);
  }
});

const none = new AllowedNetworks([]);

suite('networks that are allowed', () => {
  test('never hold a link-local address, whatever they are', () => {
    for (const networks of [['0.0.0.0/0', '::/0'], ['169.254.0.0/16', 'fe80::/10'], privateNetworks]) {
      const allowed = new AllowedNetworks(networks);
      for (const address of ['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', 'febf::1']) {
        assert.equal(allowed.has(address), false, `${networks}: ${address}`);
      }
    }
  });

  test('hold their own addresses, and those of a private machine for short', () => {
    const own = new AllowedNetworks(['192.168.1.0/24', '10.0.0.5', 'fd00::1']);
    for (const address of ['192.168.1.255', '10.0.0.5', '::ffff:10.0.0.5', 'fd00::1'])
      assert.ok(own.has(address), address);
    for (const address of ['192.168.2.1', '10.0.0.6', 'fd00::2', 'hooks.test', ''])
      assert.ok(!own.has(address), address);
    const short = new AllowedNetworks(privateNetworks);
    for (const address of ['127.0.0.1', '::1', '10.9.9.9', '172.31.0.1', '192.168.0.1', 'fd12::1'])
      assert.ok(short.has(address));
    for (const address of ['8.8.8.8', '100.64.0.1', '0.0.0.0', '::']) assert.ok(!short.has(address), address);
  });
});

suite('the fault of a URL', () => {
  test('a private address is found in every spelling', () => {
    const hosts = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '0x7f.0.0.1',
      '127.0.0.1.',
      '１２７.0.0.1',
    ];
    const sixes = [
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::FFFF:7f00:1]',
      '[0:0:0:0:0:0:0:1]',
      '[fd00::1]',
      '[fe80::1]',
    ];
    for (const host of [...hosts, ...sixes, 'localhost', 'LocalHost.', 'a.localhost']) {
      assert.equal(faultOfUrl(`https://${host}/hooks`, none), 'must be a public address', host);
    }
  });

  test('an address of the networks that are allowed has none, by https: or http:, and no other has', () => {
    const allowed = new AllowedNetworks(['10.1.0.0/16', '127.0.0.1', 'fd00::/8']);
    for (const host of ['10.1.2.3', '127.0.0.1', '2130706433', '[fd12::1]', '[::ffff:10.1.2.3]']) {
      for (const scheme of ['http', 'https'])
        assert.equal(faultOfUrl(`${scheme}://${host}/`, allowed), undefined, host);
    }
    for (const host of ['10.2.0.1', '127.0.0.2', '[fc00::1]', '[::1]', '169.254.169.254']) {
      assert.equal(faultOfUrl(`https://${host}/`, allowed), 'must be a public address', host);
    }
    assert.equal(faultOfUrl('http://8.8.8.8/', allowed), 'must begin with https://');
  });

  test('http: is one, unless the name may be that of an allowed address', () => {
    assert.equal(faultOfUrl('http://shop.example.com/', none), 'must begin with https://');
    assert.equal(faultOfUrl('http://shop.example.com/', new AllowedNetworks(['10.0.0.0/8'])), undefined);
  });

  test('public names and addresses have none', () => {
    for (const host of ['shop.example.com', 'localhost.example.com', '8.8.8.8', '[2606:4700::1111]:8443']) {
      assert.equal(faultOfUrl(`https://${host}/hooks`, none), undefined, host);
    }
  });
});

test('only a literal address is one', () => {
  assert.equal(literalAddressOf(new URL('https://[::1]:8443/')), '::1');
  assert.equal(literalAddressOf(new URL('https://0x7f.1/')), '127.0.0.1');
  assert.equal(literalAddressOf(new URL('https://example.com/')), undefined);
});
