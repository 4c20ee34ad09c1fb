// Maps the columns of a file to contact fields, guessed from the header.
import type { contactFields } from '@roster/contract';
import { fold, type NameKind, spellings } from './spellings.ts';

export type Field = (typeof contactFields)[number];

/** The columns of each field, by position. Several are joined by a space: first and last name. */
export type Mapping = Record<Field, number[]>;

export function guessColumns(header: readonly string[]): Mapping {
  const folded = header.map(fold);
  const taken = new Set<number>();
  /** Takes the column with the most preferred spelling: `wanted` is in order of preference. */
  const take = (wanted: readonly string[]): number | undefined => {
    for (const spelling of wanted) {
      const at = folded.findIndex((each, position) => each === spelling && !taken.has(position));
      if (at === -1) continue;
      taken.add(at);
      return at;
    }
    return undefined;
  };
  const one = (at: number | undefined) => (at === undefined ? [] : [at]);
  const wid = one(take(spellings.wid));
  const mid = one(take(spellings.mid));
  const email = one(take(spellings.email) ?? takeEnding(folded, taken, spellings.emailEndings));
  const phone = one(take(spellings.phone));
  return { name: guessName(take), email, phone, wid, mid };
}

/** The fallback when no column has an exact spelling: "Work email", "Customer e-mail address". */
function takeEnding(folded: readonly string[], taken: Set<number>, endings: readonly string[]): number | undefined {
  const at = folded.findIndex(
    (each, position) => !taken.has(position) && endings.some((ending) => each.endsWith(ending)),
  );
  if (at === -1) return undefined;
  taken.add(at);
  return at;
}

/**
 * Some titles mean the whole name on their own, and a part of it next to another column: "Name" next to "Vorname" is
 * the last name, "Nombre" next to "Apellidos" the first.
 */
function guessName(take: (wanted: readonly string[]) => number | undefined): number[] {
  const [whole, first, last, either] = (['whole', 'first', 'last', 'either'] satisfies NameKind[]).map((kind) =>
    take(spellings[kind]),
  );
  if (whole !== undefined) return [whole];
  const isSplit = first !== undefined && last !== undefined;
  const order = isSplit
    ? either === undefined
      ? [first, last]
      : [either]
    : first !== undefined
      ? [first, either]
      : [either, last];
  return order.filter((at) => at !== undefined);
}
