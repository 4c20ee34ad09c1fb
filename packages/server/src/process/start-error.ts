/** The server cannot listen. The message says why and what to do. */
export class StartError extends Error {
  override name = 'StartError';
}
