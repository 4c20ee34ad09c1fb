// The console's own pages and files. They hold no data: the console reads what it shows by the account's operations.
import type { Operation } from './operation.ts';

export const consoleOperations = {
  readRoot: {
    id: 'console.root',
    method: 'GET',
    path: '/',
    credentials: ['public'],
    summary: 'Redirect to the console',
    answer: { status: 302, description: 'The console’s address.', headers: ['Location'] },
  },
  readConsole: {
    id: 'console.page',
    method: 'GET',
    path: '/console',
    credentials: ['public'],
    summary: 'The console',
    answer: { status: 200, description: 'A page.', mediaType: 'text/html', isRevalidated: true },
  },
  readConsoleFile: {
    id: 'console.file',
    method: 'GET',
    path: '/console/assets/{file}',
    credentials: ['public'],
    summary: 'A script, style or image of the console',
    description:
      'The name contains a hash of the content, so a file never changes. A server has only the files of its own version.',
    answer: { status: 200, description: 'The file.', mediaType: '*/*' },
  },
  readConsolePreview: {
    id: 'console.preview',
    method: 'GET',
    path: '/console/preview',
    credentials: ['public'],
    summary: 'The page in which the console previews the widget',
    description: 'Shown in a frame of the console. The fragment of its URL says what to show.',
    answer: { status: 200, description: 'A page.', mediaType: 'text/html', isRevalidated: true },
  },
} as const satisfies Record<string, Operation>;
