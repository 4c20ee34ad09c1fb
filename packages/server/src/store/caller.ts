/** Whose request it is, for the fair queue. */
export interface Caller {
  organizationId: string;
  /** Aborted when the client has left: a request that has not begun by then never does. */
  signal?: AbortSignal | undefined;
}
