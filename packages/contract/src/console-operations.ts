// The console's own pages and files. They hold no data: the console reads what it shows by the account's operations.
import type { Operation } from './operation.ts';

export const consoleOperations = {
  readRoot: {
    id: 'console.root',
    method: 'GET',
    path: '/',
    credentials: ['public'],
    summary: 'Leads to the console',
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
      'Its name holds a hash of its content, so that it never changes. Only those of this server’s version are there.',
    answer: { status: 200, description: 'The file.', mediaType: '*/*' },
  },
  readConsolePreview: {
    id: 'console.preview',
    method: 'GET',
    path: '/console/preview',
    credentials: ['public'],
    summary: 'The page in which the console shows the widget',
    description: 'For a frame of the console. What it shows is in the fragment of its address.',
    answer: { status: 200, description: 'A page.', mediaType: 'text/html', isRevalidated: true },
  },
} as const satisfies Record<string, Operation>;
