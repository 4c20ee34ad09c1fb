// Where the console's builds lie, and what they are made of.
import { Builds } from './builds.ts';

export const consoleBuilds = new Builds(import.meta.url, [
  '../src/',
  './',
  '../index.html',
  '../preview.html',
  '../package.json',
  '../tsconfig.json',
  '../../../tsconfig.json',
  ...['contract', 'client', 'contact-files'].map((name) => `../../${name}/src/`),
]);
