// `npm run build`, which `npm ci` runs too: builds the guide, unless a build of the present docs is there.
import { buildGuide } from './guide-build.ts';

try {
  const { version, isNew } = await buildGuide();
  console.log(`${isNew ? 'built' : 'there already:'} packages/guide/dist/${version}`);
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  console.error(
    code === 'ERR_MODULE_NOT_FOUND'
      ? `The guide cannot be built without the development dependencies. Run "npm ci", which builds it too. (${message})`
      : message,
  );
  process.exitCode = 1;
}
