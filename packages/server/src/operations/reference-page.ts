// The API reference page: Scalar's bundle, served from our own origin, so that it works without the internet.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Forms, fileAnswer, type RequestHead } from '../http/file-answer.ts';

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
<link rel="icon" href="data:,">
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
  // The bundle puts its style into the page.
  'content-security-policy':
    "sandbox allow-scripts allow-popups; default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

const settings = {
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  hideTestRequestButton: true,
  documentDownloadType: 'none',
  persistAuth: false,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
};

/** A page with an origin of its own has no storage, which the bundle expects: it gets one that ends with the page. */
const storageInMemory = `for (const name of ['localStorage', 'sessionStorage']) {
  const values = new Map();
  const value = {
    get length() { return values.size; },
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (key) => values.get(String(key)) ?? null,
    setItem: (key, text) => void values.set(String(key), String(text)),
    removeItem: (key) => void values.delete(String(key)),
    clear: () => values.clear(),
  };
  Object.defineProperty(window, name, { value });
}
`;

let script: Promise<Forms> | undefined;

export async function referenceScript(request: RequestHead) {
  script ??= loadScript().catch((error) => {
    script = undefined;
    throw error;
  });
  return fileAnswer(request, await script, {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=3600',
  });
}

/** The plugin is the only published form of the bundle without its hundreds of build dependencies. */
async function loadScript(): Promise<Forms> {
  const [{ default: fastify }, { default: scalar }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ]);
  const bundleServer = fastify();
  await bundleServer.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } });
  const { rawPayload, statusCode } = await bundleServer.inject('/js/scalar.js');
  await bundleServer.close();
  if (statusCode !== 200) throw new Error('the reference bundle is missing from @scalar/fastify-api-reference');
  const content = "document.getElementById('openapi').content.textContent";
  const start = `\nScalar.createApiReference('#reference', { ...${JSON.stringify(settings)}, content: ${content} });\n`;
  const plain = Buffer.concat([Buffer.from(storageInMemory), rawPayload, Buffer.from(start)]);
  return { plain, gzip: await promisify(gzip)(plain) };
}
