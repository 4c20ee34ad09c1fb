// The client runs on servers, and refuses to run in a page or in a worker of a page.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { UsageError } from './index.ts';
import { refuseBrowsers } from './refuse-browsers.ts';

suite('the client', () => {
  test('refuses to run in a page and in a worker of a page', () => {
    const polyfilled = { document: {}, process: { versions: {} } };
    for (const platform of [{ document: {} }, { importScripts: () => {} }, polyfilled]) {
      assert.throws(
        () => refuseBrowsers(platform),
        (error) => error instanceof UsageError && /browser/.test(error.message),
      );
    }
  });

  test('runs on Node (even with a document from a test library), Bun, Deno and edge runtimes', () => {
    const node = { process: { versions: { node: '20.0.0' } } };
    for (const platform of [node, { ...node, document: {} }, { Bun: {} }, { Deno: {}, importScripts: () => {} }, {}]) {
      assert.doesNotThrow(() => refuseBrowsers(platform));
    }
  });
});
