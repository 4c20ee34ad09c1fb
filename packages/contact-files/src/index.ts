// Contacts in files, for the command line and the console: the public exports.
export * from './columns.ts';
export * from './excerpt.ts';
export * from './exported-columns.ts';
export * from './first-bytes.ts';
export * from './header.ts';
export * from './import-run.ts';
export * from './line-ends.ts';
export * from './new-attributes.ts';
export * from './rejected-columns.ts';
export * from './rejected-rows.ts';
export * from './row-validation.ts';
export * from './rows.ts';
export * from './separators.ts';
export * from './spellings.ts';
export * from './spreadsheet-cell.ts';
export * from './value-cells.ts';
export * from './value-columns.ts';
