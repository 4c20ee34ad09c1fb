// The script of the API reference page: Scalar's bundle, with what a page without storage and without a network needs around it.

import scalar from '@scalar/fastify-api-reference';
import fastify from 'fastify';

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

/** Paths in lists differ at their ends, so their beginnings are cut off. The marks keep slashes and braces where they are. */
const paths = `
.endpoint { min-width: 0; }
.endpoint .endpoint-path.endpoint-path {
  display: block; min-width: 0; overflow: hidden; direction: rtl; text-align: left; text-overflow: ellipsis;
}
.endpoint-path::before, .endpoint-path::after { content: '\\200e'; }
`;

const settings = {
  customCss: brand + paths,
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

export async function referenceScript(): Promise<string> {
  const start = `\n${showDocument}${mendElements}Scalar.createApiReference('#reference', { ...${JSON.stringify(settings)}, content: openApi });\n`;
  return storageInMemory + (await readScalar()) + start;
}

/** The plugin is the only published form of the bundle without its hundreds of build dependencies. */
async function readScalar(): Promise<string> {
  const bundleServer = fastify();
  await bundleServer.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } });
  const { payload, statusCode } = await bundleServer.inject('/js/scalar.js');
  await bundleServer.close();
  if (statusCode !== 200) throw new Error('the reference bundle is missing from @scalar/fastify-api-reference');
  return payload;
}
