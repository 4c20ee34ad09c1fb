// A request of the feed test, which may have no answer because its server was killed.
import { ConnectionError, NotFoundError, UnavailableError } from '@roster/client';

/**
 * `uncertain`: there was no answer, and the request may have happened. `refused`: it did not happen. Throws on every other error:
 * it cannot follow from a killed server.
 */
export async function attempt<Answer>(
  send: () => Promise<Answer>,
): Promise<{ answer: Answer } | 'uncertain' | 'refused'> {
  try {
    return { answer: await send() };
  } catch (error) {
    if (!(error instanceof ConnectionError || error instanceof UnavailableError)) throw error;
    return error.isOutcomeUnknown ? 'uncertain' : 'refused';
  }
}

export async function unlessMissing<Answer>(answered: Promise<Answer>): Promise<Answer | 'missing'> {
  try {
    return await answered;
  } catch (error) {
    if (error instanceof NotFoundError) return 'missing';
    throw error;
  }
}
