// The tokens by which filters find a bot's contacts: 64 bits of a hash of the bot, an attribute or a tag, and a value of it. They are
// stored, so what is made of a value must never change without a migration. Two that share a token are not met with.
import { hash } from 'node:crypto';
import type { AttributeValue } from '@roster/contract';
import type { ValueRange } from '../../../contacts/filters.ts';
import { fold } from '../../../contacts/search-text.ts';
import { type StoredValues, toValues } from '../../values/stored-values.ts';

/** As the database takes it: a JavaScript number does not hold 64 bits. */
export type FilterToken = string;

function tokenOf(botId: string, number: number, ...what: (string | number)[]): FilterToken {
  return hash('sha256', [botId, number, ...what].join(), 'buffer')
    .readBigInt64LE()
    .toString();
}

/** Has a value of the attribute, or has the tag. */
export function tokenOfField(botId: string, number: number): FilterToken {
  return tokenOf(botId, number);
}

/** Has this value. Text is folded. */
export function tokenOfValue(botId: string, number: number, value: AttributeValue): FilterToken {
  return tokenOf(botId, number, typeof value, String(value));
}

/**
 * Numbers that are found by range have a token for each of these prefixes of their place in the order, as Lucene once had:
 * a range is then the union of few prefixes.
 */
const prefixShifts = [24, 16, 8, 0] as const;

function tokenOfPrefix(botId: string, number: number, shift: number, prefix: number): FilterToken {
  return tokenOf(botId, number, `range${shift}`, prefix);
}

const double = new DataView(new ArrayBuffer(8));

/** 32 bits in the order of the numbers; those that are almost equal share a place. Whole numbers below 2^20 have their own. */
export function placeOf(value: number): number {
  // -0 equals 0, and is stored as such.
  double.setFloat64(0, value === 0 ? 0 : value);
  const high = double.getUint32(0);
  return (high & 0x8000_0000 ? ~high : high ^ 0x8000_0000) >>> 0;
}

/** Of all that a contact has. Null: nothing. */
export function filterTokensOf(botId: string, [attributesJson, tagsJson]: StoredValues): FilterToken[] | null {
  if (attributesJson === null && tagsJson === null) return null;
  const { attributes, tags } = toValues(attributesJson, tagsJson);
  return [
    ...Object.entries(attributes).flatMap(([key, value]) => {
      const number = Number(key);
      const folded = typeof value === 'string' ? fold(value) : value;
      return [
        tokenOfField(botId, number),
        tokenOfValue(botId, number, folded),
        ...(typeof value === 'number'
          ? prefixShifts.map((shift) => tokenOfPrefix(botId, number, shift, placeOf(value) >>> shift))
          : []),
      ];
    }),
    ...tags.map((number) => tokenOfField(botId, number)),
  ];
}

const placesEnd = 2 ** 32;

/**
 * Tokens of a range: those who have one of `within` are in it; those who have one of `ends` may be, which their value
 * tells.
 */
export function tokensOfRange(
  botId: string,
  number: number,
  { gte, gt, lte, lt }: ValueRange,
): { within: FilterToken[]; ends: FilterToken[] } {
  const lower = [gte, gt].filter((bound) => bound !== undefined).map(placeOf);
  const upper = [lte, lt].filter((bound) => bound !== undefined).map(placeOf);
  const first = lower.length === 0 ? -1 : Math.max(...lower);
  const last = upper.length === 0 ? placesEnd : Math.min(...upper);
  const ends = [...new Set([...lower, ...upper])].filter((place) => place >= first && place <= last);
  const within: FilterToken[] = [];
  for (let place = first + 1; place < last; ) {
    const shift = prefixShifts.find((each) => place % 2 ** each === 0 && place + 2 ** each <= last) as number;
    within.push(tokenOfPrefix(botId, number, shift, Math.floor(place / 2 ** shift)));
    place += 2 ** shift;
  }
  return { within, ends: ends.map((place) => tokenOfPrefix(botId, number, 0, place)) };
}
