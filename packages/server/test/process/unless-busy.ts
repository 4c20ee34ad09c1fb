// For servers with the limits of the product, which a busy machine may reach: a 503 is the right answer then.
import { until } from './waiting.ts';

/** The first answer that is not a 503. */
export async function unlessBusy<Answer extends { status: number }>(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  await until('another answer than 503', async () => {
    if (answer.status === 503) answer = await ask();
    return answer.status !== 503;
  });
  return answer;
}
