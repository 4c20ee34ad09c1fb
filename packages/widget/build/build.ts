// `npm run build`: builds the widget ahead of time, so that a server in production needs no compiler.
import { mkdirSync, writeFileSync } from 'node:fs';
import { bundleWidget } from './bundle.ts';
import { distFolder, hashSources } from './widget-script.ts';

const script = await bundleWidget();
mkdirSync(distFolder, { recursive: true });
writeFileSync(new URL('widget.js', distFolder), script);
// Last: a build that was interrupted is not taken for a whole one.
writeFileSync(new URL('sources.txt', distFolder), hashSources());
console.log(`built packages/widget/dist/widget.js, ${script.length} bytes`);
