// The docs as a site. Its pages are built ahead and the same for everybody.
import type { Operation } from './operation.ts';

export const guideOperations = {
  readGuide: {
    id: 'guide.start',
    method: 'GET',
    path: '/docs/guide',
    credentials: ['public'],
    summary: 'The first page of the guide',
    answer: { status: 200, description: 'A page.', mediaType: 'text/html', isRevalidated: true },
  },
  readGuidePage: {
    id: 'guide.page',
    method: 'GET',
    path: '/docs/guide/{page}',
    credentials: ['public'],
    summary: 'A page of the guide',
    description: 'If there is no such page, a browser gets a page that says so.',
    answer: { status: 200, description: 'A page.', mediaType: 'text/html', isRevalidated: true },
  },
  readGuideSubpage: {
    id: 'guide.subpage',
    method: 'GET',
    path: '/docs/guide/{section}/{subpage}',
    credentials: ['public'],
    summary: 'A page of a section of the guide',
    description: 'If there is no such page, a browser gets a page that says so.',
    answer: { status: 200, description: 'A page.', mediaType: 'text/html', isRevalidated: true },
  },
  readGuideFile: {
    id: 'guide.file',
    method: 'GET',
    path: '/docs/guide/files/{guideFile}',
    credentials: ['public'],
    summary: 'A script, style, picture or download of the guide',
    description:
      'The name contains a hash of the content, so a file never changes. A server has only the files of its own version.',
    answer: { status: 200, description: 'The file.', mediaType: '*/*' },
  },
} as const satisfies Record<string, Operation>;
