// The API reference page: Scalar's bundle, served from our own origin, so that it works without the internet.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { etagOf, type Forms, fileAnswer, type RequestHead } from '../http/file-answer.ts';
import { releaseFolder } from '../program/release-files.ts';

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
  // The bundle puts its style into the page.
  'content-security-policy':
    "sandbox allow-scripts allow-popups; default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** The console's colours. The bundle's own greys have too little contrast. */
const brand = `
.light-mode {
  --scalar-color-1: #1f1e1b; --scalar-color-2: #504d47; --scalar-color-3: #5f5b54; --scalar-color-accent: #1a5847;
  --scalar-background-1: #ffffff; --scalar-background-2: #faf9f7; --scalar-background-3: #f4f2ee; --scalar-border-color: #e9e6e0;
  --scalar-color-red: #b3261e; --scalar-color-orange: #a03f00; --scalar-color-yellow: #7a5000; --scalar-color-green: #1a6b4a;
  --scalar-color-blue: #1d5fa8; --scalar-color-purple: #5b3fb0;
}
.dark-mode {
  --scalar-color-1: #ecebe7; --scalar-color-2: #d3d1cb; --scalar-color-3: #adaaa3; --scalar-color-accent: #93c1b1;
  --scalar-background-1: #1c1b19; --scalar-background-2: #151412; --scalar-background-3: #292825; --scalar-border-color: #3a3834;
  --scalar-color-red: #ff9a8f; --scalar-color-orange: #f0a878; --scalar-color-yellow: #e8b866; --scalar-color-green: #7fd0ac;
  --scalar-color-blue: #8ab8f0; --scalar-color-purple: #c3b1f5;
}
`;

const settings = {
  customCss: brand,
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

/** Opened from a bot, the examples have its id: there is no form to type it into. */
const showDocument = `const [bot = '{botId}'] = /^bot_[a-z0-9]+$/.exec(new URLSearchParams(location.search).get('bot') ?? '') ?? [];
const openApi = document.getElementById('openapi').content.textContent.replaceAll('{botId}', bot);
`;

/**
 * The bundle's buttons that copy have an icon alone. Its link to the guide opens another tab, which would inherit this
 * page's sandbox, in which the guide cannot be searched.
 */
const mendElements = `new MutationObserver(() => {
  for (const button of document.querySelectorAll('button[class*=copy-button]:not([aria-label])')) button.setAttribute('aria-label', 'Copy');
  for (const link of document.querySelectorAll('a[target][href$="/docs/guide"]')) link.removeAttribute('target');
}).observe(document.body, { subtree: true, childList: true });
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

async function loadScript(): Promise<Forms> {
  const bundle = releaseFolder('reference')?.read('scalar.js') ?? (await readScalar());
  const start = `\n${showDocument}${mendElements}Scalar.createApiReference('#reference', { ...${JSON.stringify(settings)}, content: openApi });\n`;
  const plain = Buffer.concat([Buffer.from(storageInMemory), bundle, Buffer.from(start)]);
  return { plain, gzip: await promisify(gzip)(plain), etag: etagOf(plain) };
}

/** The plugin is the only published form of the bundle without its hundreds of build dependencies. */
export async function readScalar(): Promise<Buffer> {
  const [{ default: fastify }, { default: scalar }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ]);
  const bundleServer = fastify();
  await bundleServer.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } });
  const { rawPayload, statusCode } = await bundleServer.inject('/js/scalar.js');
  await bundleServer.close();
  if (statusCode !== 200) throw new Error('the reference bundle is missing from @scalar/fastify-api-reference');
  return rawPayload;
}
