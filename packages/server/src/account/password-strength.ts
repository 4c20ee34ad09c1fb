// Refuses new passwords that are guessed early: common ones, patterns of a keyboard, repeats, and ones made of what
// everybody knows about the member. The list of common passwords and the estimate are zxcvbn's.
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** What is known about whoever the password is of. */
export interface PasswordOwner {
  email: string;
  name: string;
  organizationName: string;
}

/** Estimated guesses, as a power of ten. Twelve random letters have 12, four words 14, a name with a year 8. */
const guessesMinLog10 = 9;
/** The time of an estimate grows with the cube of the length: two parts of so many characters are judged apart, and the rest not. */
const judgedLength = 32;
/** So many letters and digits a password must have beside known words: a year or "123" adds little. */
const ownLengthMin = 6;
/** A name may be a long text: only its first words are compared. */
const knownWordsMax = 40;

/** The dictionaries take 24 MB and 0.1 s, so they are loaded with the first new password. */
let loading: Promise<ZxcvbnFactory> | undefined;

async function load(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}

const ofOwner = 'must not be based on your name, email or organization; use several unrelated words';
const common = 'is too easy to guess; use a longer one, or several unrelated words';

/** What is wrong with a new password, in the words of a field's error, or nothing. */
export async function faultOfPassword(password: string, owner: PasswordOwner): Promise<string | undefined> {
  // As it is hashed: another form of Unicode is the same password.
  const text = password.normalize('NFKC');
  const known = wordsOf(owner);
  if (isMadeOf(text, known)) return ofOwner;
  loading ??= load();
  const estimator = await loading;
  const characters = [...text];
  let guessesLog10 = 0;
  let isOfOwner = false;
  for (let from = 0; from < Math.min(characters.length, 2 * judgedLength); from += judgedLength) {
    const estimate = estimator.check(characters.slice(from, from + judgedLength).join(''), known);
    guessesLog10 += estimate.guessesLog10;
    isOfOwner ||= estimate.sequence.some(({ dictionaryName }) => dictionaryName === 'userInputs');
  }
  if (guessesLog10 >= guessesMinLog10) return undefined;
  return isOfOwner ? ofOwner : common;
}

function wordsOf({ email, name, organizationName }: PasswordOwner): string[] {
  const texts = [email, name, organizationName, 'roster'].map((text) => text.normalize('NFKC').toLowerCase());
  const words = texts.flatMap((text) => [text, text.replaceAll(/\s/g, ''), ...text.split(/[^\p{L}\p{N}]+/u)]);
  return [...new Set(words)].filter(({ length }) => length > 2).slice(0, knownWordsMax);
}

/** Whether hardly a letter or digit is left without the words. The longest go first: they may contain others. */
function isMadeOf(text: string, words: readonly string[]): boolean {
  const whole = text.toLowerCase();
  const longestFirst = words.toSorted((one, other) => other.length - one.length);
  const left = longestFirst.reduce((rest, word) => rest.replaceAll(word, ' '), whole);
  return left !== whole && left.replaceAll(/[^\p{L}\p{N}]/gu, '').length < ownLengthMin;
}
