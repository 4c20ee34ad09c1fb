/** What a look at a part of the set-up found. */
export interface Finding {
  /** What was looked at, in a word or two. */
  check: string;
  level: 'ok' | 'warning' | 'problem';
  /** What was found and, unless it is well, what to do about it. Never holds a password. */
  message: string;
}
