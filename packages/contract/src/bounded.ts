// Lists and objects that are as long as the caller likes. Their length is checked before anything in them, which may cost far more
// than it took to send.
import * as z from 'zod';

interface Bound {
  max: number;
  /** What is said of one that is longer. */
  tooLong: string;
}

interface ListRules extends Bound {
  /** What is said of something else than a list. */
  error: string;
  /** What is said of an empty one. Left out: it may be empty. */
  empty?: string;
}

export function bounded<Schema extends z.ZodType>(schema: Schema, { max, tooLong }: Bound) {
  const checked = z.preprocess((input, { issues }) => {
    if (!isLonger(input, max)) return input;
    issues.push({ code: 'custom', message: tooLong, input });
    return z.NEVER;
  }, schema);
  return checked as z.ZodType<z.output<Schema>, z.input<Schema>>;
}

/** A list of an input. Those of answers are as long as they are. */
export function list<Item extends z.ZodType>(item: Item, { error, empty, ...bound }: ListRules) {
  const items = z.array(item, { error }).max(bound.max);
  return bounded(empty === undefined ? items : items.min(1, { error: empty }), bound);
}

/** Counts the items of a list, or the members of an object. */
function isLonger(input: unknown, max: number): boolean {
  if (Array.isArray(input)) return input.length > max;
  let count = 0;
  for (const _ in input as object) if (++count > max) return true;
  return false;
}
