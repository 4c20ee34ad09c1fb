// The order of the guide: which Markdown files of the repository are its pages, in which groups, and at which paths. The
// docs that are for readers of the source (ARCHITECTURE.md, CONTRIBUTING.md, docs/decisions/) are not.

export interface Entry {
  /** From the root of the repository. */
  source: string;
  /** Below /docs/guide. That of the first page is empty. */
  path: string;
  /** In the menu. Left out: the page's own title. */
  label?: string;
}

export interface Group {
  title: string;
  /** Its examples are for users of a running server: the guide shows its own address in them. */
  callsServer: boolean;
  entries: Entry[];
}

const doc = (name: string, label?: string): Entry => ({
  source: `docs/${name}.md`,
  path: name,
  ...(label !== undefined && { label }),
});

export const groups: readonly Group[] = [
  {
    title: 'Get started',
    callsServer: true,
    entries: [
      { source: 'README.md', path: '', label: 'Overview' },
      doc('operations/install'),
      doc('console'),
      doc('embedding'),
      doc('migrating'),
      doc('glossary'),
    ],
  },
  {
    title: 'Contacts',
    callsServer: true,
    entries: [
      doc('api'),
      doc('attributes'),
      doc('import-export'),
      doc('sync'),
      doc('events'),
      doc('webhooks'),
      { source: 'packages/client/README.md', path: 'node-client', label: 'Node client' },
      { source: 'packages/cli/README.md', path: 'command-line', label: 'Command line' },
      doc('account'),
      doc('errors'),
      doc('limits'),
    ],
  },
  {
    title: 'Run a server',
    callsServer: false,
    entries: [
      doc('operations'),
      doc('operations/deploy'),
      doc('operations/setup'),
      doc('configuration'),
      doc('operations/monitoring'),
      doc('operations/upgrade'),
      doc('security'),
      doc('operations/scale-out'),
      doc('operations/moving', 'Moving data'),
      doc('operations/capacity'),
      doc('performance'),
      doc('operations/durability', 'Durability'),
    ],
  },
  {
    title: 'Releases',
    callsServer: false,
    entries: [
      { source: 'CHANGELOG.md', path: 'changelog' },
      doc('versioning'),
      { source: 'SECURITY.md', path: 'security-policy' },
    ],
  },
];

export const entries: readonly Entry[] = groups.flatMap((group) => group.entries);
