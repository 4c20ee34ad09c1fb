// The version of this package, as the User-Agent tells it. A test holds it against package.json: reading that file at
// run time would need Node's modules, and a bundler would lose it.
export const version = '0.1.0';
