// What SQLite says about a failure.

/** SQLite's extended result code, or undefined when the error is not SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | undefined)?.errcode;
  return typeof code === 'number' ? code : undefined;
}

/** The low byte of an extended code is the primary one. */
export const primaryCodes = { busy: 5, ioError: 10, corrupt: 11, full: 13, notADatabase: 26 } as const;

export function primaryCode(error: unknown): number | undefined {
  const code = sqliteCode(error);
  return code === undefined ? undefined : code & 0xff;
}
