// Colours, fonts and spacing. The build generates a style sheet from this file, so it must not need a browser.
import type { CSSVariablesResolver, MantineColorsTuple, MantineThemeOverride } from '@mantine/core';

export const pine: MantineColorsTuple = [
  '#eef6f3',
  '#dcebe5',
  '#b9d7cc',
  '#93c1b1',
  '#70ab98',
  '#519682',
  '#34806b',
  '#226b57',
  '#1a5847',
  '#114134',
];

/** Warm greys. */
export const gray: MantineColorsTuple = [
  '#faf9f7',
  '#f4f2ee',
  '#e9e6e0',
  '#dad6ce',
  '#bcb7ad',
  '#908b81',
  '#6b675f',
  '#504d47',
  '#35332f',
  '#1f1e1b',
];

export const dark: MantineColorsTuple = [
  '#ecebe7',
  '#d3d1cb',
  '#adaaa3',
  '#8a867f',
  '#4b4944',
  '#3a3834',
  '#292825',
  '#1c1b19',
  '#151412',
  '#0e0d0c',
];

export const sans =
  '"Inter", -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
export const mono = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace';

export const theme: MantineThemeOverride = {
  primaryColor: 'pine',
  primaryShade: { light: 8, dark: 6 },
  colors: { pine, gray, dark },
  white: '#ffffff',
  black: '#1f1e1b',
  fontFamily: sans,
  fontFamilyMonospace: mono,
  headings: { fontFamily: sans, fontWeight: '650', textWrap: 'balance' },
  defaultRadius: 'md',
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '14px', xl: '24px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  // Links within a sentence must be recognisable without colour (WCAG 1.4.1).
  components: {
    Anchor: { defaultProps: { underline: 'always' } },
    // Dialogs, menus and tooltips belong to the page's main landmark, as everything else that it shows.
    Portal: { defaultProps: { target: 'main' } },
    // An element that only takes the focus has no place in a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
  },
};

/** Mantine's own colours of the light variant have too little contrast to the dark background. */
function lightVariant(name: string): Record<string, string> {
  return {
    [`--mantine-${name}-light`]: 'rgb(81 150 130 / 22%)',
    [`--mantine-${name}-light-hover`]: 'rgb(81 150 130 / 30%)',
    [`--mantine-${name}-light-color`]: pine[2],
  };
}

/** Of what lies on the page, beyond the greys. The guide has the same. */
export const surfaces = {
  light: {
    '--surface': '#ffffff',
    '--surface-sunken': gray[1],
    '--line': gray[2],
    '--shade': '0 1px 2px rgb(53 51 47 / 5%), 0 6px 18px rgb(53 51 47 / 4%)',
    '--danger': '#b3261e',
    '--good': '#1a6b4a',
    '--warn': '#8a5a00',
  },
  dark: {
    '--surface': dark[7],
    '--surface-sunken': '#181715',
    '--line': '#302e2a',
    '--shade': 'none',
    '--danger': '#ff9a8f',
    '--good': '#7fd0ac',
    '--warn': '#e8b866',
  },
};

/** Variables in addition to Mantine's own. */
export const themeVariables: CSSVariablesResolver = () => ({
  variables: {
    '--sidebar-width': '16.25rem',
    '--page-width': '68rem',
    '--banner-height': '0px',
  },
  light: {
    '--mantine-color-body': gray[0],
    '--mantine-color-dimmed': gray[6],
    '--mantine-color-placeholder': gray[5],
    '--mantine-color-default-border': gray[3],
    '--mantine-color-error': surfaces.light['--danger'],
    ...surfaces.light,
  },
  dark: {
    '--mantine-color-body': dark[8],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': dark[3],
    '--mantine-color-default': dark[7],
    '--mantine-color-default-hover': dark[6],
    '--mantine-color-default-border': dark[4],
    '--mantine-color-error': surfaces.dark['--danger'],
    ...lightVariant('primary-color'),
    ...lightVariant('color-pine'),
    ...surfaces.dark,
  },
});
