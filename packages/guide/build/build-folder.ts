// Where the guide's builds lie, and what they are made of.
import { Builds } from '@roster/console/builds';
import { entries } from './contents.ts';

export const guideBuilds = new Builds(import.meta.url, [
  '../src/',
  './',
  '../package.json',
  '../../console/src/theme.ts',
  '../../console/src/icon.svg',
  '../../../docs/',
  '../../../examples/webhook-receivers/',
  ...entries.filter(({ source }) => !source.startsWith('docs/')).map(({ source }) => `../../../${source}`),
]);
