// The version of this program, which the package.json of the whole repository names.
import manifest from '../../../package.json' with { type: 'json' };

export const { version } = manifest;
