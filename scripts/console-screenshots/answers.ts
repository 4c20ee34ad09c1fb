// What the server seems to answer while a screenshot is taken: states that are hard to bring about.
import type { Page } from 'playwright-core';

/**
 * How requests to paths that match are answered: never, as a list or a feed without entries, by an error, by no server, or as by one
 * whose disk is full.
 */
export interface Answers {
  path: RegExp;
  how: 'never' | 'empty' | 'no events' | 'failure' | 'missing' | 'outage' | 'read-only';
}

const problem = (status: number, title: string, code: string, detail: string) => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    type: 'about:blank',
    title,
    status,
    code,
    detail,
    requestId: '3f1c9a52-7d0e-4c1b-9a55-2f6f0c8e4b17',
  }),
});

const answers = {
  empty: { json: { data: [], next: null } },
  'no events': { json: { data: [], next: '000000000000-0' } },
  failure: problem(500, 'Internal Server Error', 'internal', 'Something went wrong on the server.'),
  'read-only': { json: { status: 'ready', mode: 'read-only' } },
  missing: problem(404, 'Not Found', 'not_found', 'This server keeps no events.'),
};

export async function intercept(page: Page, { path, how }: Answers): Promise<void> {
  await page.route(path, (route) => {
    if (how === 'never') return;
    if (how === 'outage') return route.abort('connectionrefused');
    return route.fulfill(answers[how]);
  });
}
