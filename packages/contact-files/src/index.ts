// Public face of what the command line and the console know of contacts in files.
export * from './columns.ts';
export * from './contact-of-row.ts';
export * from './exported-columns.ts';
export * from './import-run.ts';
export * from './rejected-columns.ts';
export * from './rejected-rows.ts';
export * from './rows.ts';
export * from './separators.ts';
export * from './spellings.ts';
export * from './spreadsheet-cell.ts';
