#!/usr/bin/env -S node --max-semi-space-size=8
// Starts the command. Plain JavaScript that any Node understands, so that an old one gets a sentence, not a stack.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `Roster needs Node 24.7 or later; this is ${process.version}. Run "npm ci", and start Roster by npm in its folder ("npm start"): the project brings its own.`,
  );
  process.exit(1);
}

// Types are stripped once, not at every start and in every thread: that would cost 50 MB and half a second.
const { enableCompileCache } = await import('node:module');
const { fileURLToPath } = await import('node:url');
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));
enableCompileCache(process.env.NODE_COMPILE_CACHE);

await import('./src/main.ts');
