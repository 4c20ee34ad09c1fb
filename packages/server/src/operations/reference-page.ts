// The API reference page: Scalar's bundle, served from our own origin, so that it works without the internet.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Forms, fileAnswer, type RequestHead } from '../http/file-answer.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Roster API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The same document is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/reference.js"></script>
</body>
</html>
`;

const settings = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
};

export const referencePage = {
  body: page,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    // The bundle puts its style into the page; scripts come from this origin alone, and nothing else is fetched.
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  },
};

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
  await bundleServer.register(scalar, { routePrefix: '/', configuration: { url: settings.url } });
  const { rawPayload, statusCode } = await bundleServer.inject('/js/scalar.js');
  await bundleServer.close();
  if (statusCode !== 200) throw new Error('the reference bundle is missing from @scalar/fastify-api-reference');
  const start = `\nScalar.createApiReference('#reference', ${JSON.stringify(settings)});\n`;
  const plain = Buffer.concat([rawPayload, Buffer.from(start)]);
  return { plain, gzip: await promisify(gzip)(plain) };
}
