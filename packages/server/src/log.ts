// Every event of the log, with the members of its line. Another event does not compile, nor does a known member of other events alone.
// docs/operations/monitoring.md has each event and member: its test reads this table.

export const logEvents = {
  answered: ['requestId', 'operation', 'status', 'ms', 'secretId', 'address'],
  failed: ['requestId', 'operation', 'err'],
  'undeclared error': ['requestId', 'operation', 'undeclared'],
  'the database does not respond': ['requestId', 'err'],

  // And the other ids of what was changed.
  'the operator made a change': ['operation', 'organizationId', 'botId', 'secretId', 'memberId'],
  'the operator made a backup': ['operation', 'bytes'],
  'a backup failed': ['requestId', 'err'],

  listening: ['url'],
  'listening on a public interface without TLS: put a TLS-terminating proxy in front, and set ROSTER_PUBLIC_URL to its https address':
    ['host', 'publicUrl'],
  'no operator socket: operator commands cannot reach this server': ['err'],
  'the setup created what was missing': ['organizationId', 'botId', 'secretId'],
  'the secret of the setup exists, but its file is not on this machine': ['organizationId', 'botId', 'secretId'],
  'the setup was rejected': ['reason'],
  stopping: ['signal'],
  stopped: [],
  'a worker exited; starting another': ['pid', 'code', 'signal'],
  'a worker cannot start': ['reason'],
  'the store failed; exiting so that a restart can recover': ['err'],
  'the database is damaged and takes no writes: run "roster doctor", then "roster restore"': ['err'],
  'the database was checked and is intact': ['ms'],
  'the database could not be checked': ['err'],
  'purging failed and will be retried': ['err'],
  'the clock is ahead, so purging is paused; if it is right, run "roster purge --now"': ['aheadHours', 'pausedUntil'],
  'purging is paused until the clock of this machine agrees with the database': ['aheadHours'],

  'delivering webhooks failed and will be retried': ['err'],
  'a webhook keeps failing': ['webhookId', 'origin', 'statusCode', 'reason'],
  'a webhook works again': ['webhookId', 'origin'],
  'a webhook was switched off': ['webhookId', 'origin', 'reason'],
  'events expired before a webhook got them; it goes on with the oldest that are kept': ['webhookId', 'botId'],

  'could not note that a session was used': ['err'],
  'could not note when secrets were last used': ['err'],
  'could not note when contact tokens were last seen': ['err'],
  'could not note the first use of a bot': ['err'],
  'could not note first uses of bots': ['err'],
} as const satisfies Record<string, readonly string[]>;

export type LogEvent = keyof typeof logEvents;

type MemberOf<Event extends LogEvent> = (typeof logEvents)[Event][number];
/** The second half is for lines in a variable: TypeScript looks for further members in object literals alone. */
type Line<Event extends LogEvent> = { [Member in MemberOf<Event>]?: unknown } & {
  [Member in Exclude<MemberOf<LogEvent>, MemberOf<Event>>]?: never;
};
type Write = <Event extends LogEvent>(line: Line<Event>, event: Event) => void;

/** Pino's, but for these events alone. */
export interface Logger extends Record<'fatal' | 'error' | 'warn' | 'info' | 'debug', Write> {
  isLevelEnabled(level: string): boolean;
}
