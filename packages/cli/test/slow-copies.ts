// Loaded before a program (--import), it makes copies of SQLite databases slow: page by page, with a pause after each. So
// no test is too late to interrupt one.
import { registerHooks } from 'node:module';
import { backup as copy } from 'node:sqlite';

export * from 'node:sqlite';

const pauseMs = 500;

export const backup: typeof copy = (source, path, { progress, ...options } = {}) =>
  copy(source, path, {
    ...options,
    rate: 1,
    progress(pages) {
      progress?.(pages);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    },
  });

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:sqlite' && context.parentURL !== import.meta.url
      ? { url: import.meta.url, shortCircuit: true }
      : next(specifier, context),
});
