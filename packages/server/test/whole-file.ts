// Clean-ups of what all tests of a file share.
import { after, type TestContext } from 'node:test';

/**
 * For a server that all tests of a file share: it ends with the file. Whatever a file awaits at its top level, it awaits before its first
 * test: as soon as all tests that are known have ended, the file has.
 */
export const wholeFile: Pick<TestContext, 'after'> = { after: (end) => after(end as () => Promise<void>) };
