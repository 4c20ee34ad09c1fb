// The console's icons: strokes on a grid of 24. They are decorative; every button has a text or an accessible label.

const paths = {
  home: 'M4 11.500 12 4.500l8 7M6 10v9.500h4.500v-5h3v5H18V10',
  bot: 'M5 5.5h14a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-7l-4.5 3.5v-3.5H5a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2ZM8.5 11h.01M12 11h.01M15.5 11h.01',
  contacts:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20c.5-3.6 3-5.5 6.5-5.5s6 1.9 6.5 5.5M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.8c2 .7 3.2 2.4 3.5 5.2',
  widget: 'M4 4h16v12H4zM4 20h9M15.5 12.500h2',
  key: 'M8 20a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM11.5 12.5 20 4M16.5 7.500l2.5 2.5',
  team: 'M12 11.500a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM5 20c.6-3.8 3.4-5.5 7-5.500s6.4 1.7 7 5.5',
  log: 'M8 6h12M8 12h12M8 18h8M4 6h.01M4 12h.01M4 18h.01',
  activity: 'M3 12.500h4l3-8 4 15 3-7h4',
  book: 'M6.500 4H20v16H6.500A2.500 2.500 0 0 1 4 17.500v-11A2.500 2.500 0 0 1 6.500 4ZM4 17.500A2.500 2.500 0 0 1 6.500 15H20',
  code: 'm8 7-5 5 5 5M16 7l5 5-5 5M14 5l-4 14',
  gear: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM9 19.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  webhook:
    'M12 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM6 20a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM18 20a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM10.600 8.700l-3.200 5.600M9 17h6M13.400 8.700l3.200 5.600',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'm5 12.5 4.5 4.500L19 7.5',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM16 16l4.5 4.5',
  upload: 'M12 16V4.500M7 9l5-5 5 5M4 16v4h16v-4',
  download: 'M12 4v11.500M7 11l5 5 5-5M4 16v4h16v-4',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  trash: 'M4 7h16M9.5 7V4.500h5V7M6 7l1 13h10l1-13M10 11v5.500M14 11v5.5',
  dots: 'M5 12h.01M12 12h.01M19 12h.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  columns: 'M4 5h16v14H4zM9.500 5v14M14.500 5v14',
  filter: 'M4 6h16M7 12h10M10 18h4',
  close: 'm6.500 6.500 11 11M17.500 6.500l-11 11',
  tag: 'M4 4h8l8 8-8 8-8-8zM8.500 8.500h.01',
  up: 'm6 14.500 6-6 6 6',
  down: 'm6 9.500 6 6 6-6',
  left: 'm14.5 6-6 6 6 6',
  right: 'm9.5 6 6 6-6 6',
  first: 'm18 6-6 6 6 6M7 6v12',
  last: 'm6 6 6 6-6 6M17 6v12',
  keyboard: 'M3 6.500h18v11H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  expand: 'M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7',
  warning: 'M12 4 2.5 20h19L12 4ZM12 10v4.500M12 17.200h.01',
  out: 'M14 8V4H4v16h10v-4M9.5 12H21M17.5 8.5 21 12l-3.5 3.5',
  file: 'M6 3.500h8l4.5 4.500v12.500H6zM14 3.500V8h4.5',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  const isDots = name === 'dots';
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={isDots ? 2.6 : 1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** The logo: a list with a person on it. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="9" fill="#1a5847" />
      <path d="M9 10h9M9 16h14M9 22h6" stroke="#eef6f3" strokeWidth="2.6" strokeLinecap="round" />
      <circle cx="22.5" cy="10" r="2.6" fill="#f2b84b" />
    </svg>
  );
}
