// The version of this package, for the User-Agent header. contract.test.ts compares it with package.json: reading that
// file at run time would need Node's modules, and would break in a bundle.
export const version = '0.2.0';
