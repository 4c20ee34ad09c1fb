// The API reference page: Scalar's bundle, served from our own origin, so that it works without the internet.
import { createGunzip } from 'node:zlib';
import { accepts, etagOf, type RequestHead } from '../http/file-answer.ts';
import { loadGuide } from '../program/built-files.ts';

/** The console's logo. */
const icon = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#1a5847"/><path d="M9 10h9M9 16h14M9 22h6" stroke="#eef6f3" stroke-width="2.6" stroke-linecap="round"/><circle cx="22.5" cy="10" r="2.6" fill="#f2b84b"/></svg>',
);

/**
 * The bundle is large and not ours. Its page has an origin of its own and fetches nothing, so that a flaw in it reaches
 * neither the console's session nor the API. It shows the document that is in the page.
 */
export function referencePage(openApi: string): string {
  const document = openApi.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Roster API reference</title>
<link rel="icon" href="data:image/svg+xml,${icon}">
</head>
<body>
<div id="reference"></div>
<template id="openapi">${document}</template>
<noscript>This page needs JavaScript. The same document is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/reference.js"></script>
</body>
</html>
`;
}

export const referencePageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  // The bundle adds inline styles to the page.
  'content-security-policy':
    "sandbox allow-scripts allow-popups; default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

let script: { gzip: Buffer; etag: string } | undefined;

/** Four megabytes that anybody may ask for: built ahead, kept compressed, and decompressed as they are read for those who must. */
export function referenceScript(request: RequestHead) {
  if (script === undefined) {
    const gzip = loadGuide().referenceScript();
    script = { gzip, etag: etagOf(gzip) };
  }
  const { gzip, etag } = script;
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=3600',
    vary: 'Accept-Encoding',
    etag,
  };
  if (accepts(request, 'gzip')) return { body: gzip, headers: { ...headers, 'content-encoding': 'gzip' } };
  const plain = createGunzip({ chunkSize: 64 * 1024 });
  plain.end(gzip);
  // A gzip file ends with the length of what is in it (RFC 1952, 2.3.1).
  return { body: plain, headers: { ...headers, 'content-length': String(gzip.readUInt32LE(gzip.length - 4)) } };
}
