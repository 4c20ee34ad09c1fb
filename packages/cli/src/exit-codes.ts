// What the exit code says. Scripts decide by these: a number never changes its meaning.

export const exitCodes = {
  ok: 0,
  /** Something broke: no connection, a full disk, a failure of the server. Trying again may help. */
  failed: 1,
  /** The command cannot work as it was given. */
  usage: 2,
  /** The answer is no: not found, not allowed, not valid, or it exists already. */
  refused: 3,
  /** Done, but somebody has to look: rows were rejected, or the doctor found a problem. */
  incomplete: 4,
  /** As shells say it for SIGINT. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
