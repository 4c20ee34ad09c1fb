// State of a page that outlives the end of a session: what a member has typed, and the dialog they typed it in, are there
// again when they sign in anew. It is held in memory only, and for no other member.
import { createContext, type Dispatch, type SetStateAction, use, useEffect, useState } from 'react';
import { pathShown } from './router.ts';

const kept = new Map<string, unknown>();
/** The member whose session has ended. Undefined while a member is signed in, and after a sign-out. */
let keptFor: string | undefined;

/** What a part of a page is about, where the page's path does not say it: the contact in the panel beside the list. */
export const KeptScope = createContext('');

/** Called before the pages of a member are replaced by the sign-in, because their session has ended. */
export function keepState(memberId: string): void {
  keptFor = memberId;
}

/** Called before the pages of a member are shown. */
export function restoreState(memberId: string): void {
  if (keptFor !== memberId) kept.clear();
}

/** Whether a member was signed in here before, and has not signed out. */
export function hasSessionEnded(): boolean {
  return keptFor !== undefined;
}

/** Called when the pages are shown: from now on, a page that is left forgets its state. */
export function stopKeepingState(): void {
  keptFor = undefined;
}

/** Called before a member signs out. */
export function forgetState(): void {
  keptFor = undefined;
  kept.clear();
}

/** As `useState`. The name tells the states of a page apart; `toKeep` leaves out what must not be kept. */
export function useKept<Value>(
  name: string,
  initial: Value,
  toKeep: (value: Value) => Value = (value) => value,
): [Value, Dispatch<SetStateAction<Value>>] {
  const scope = use(KeptScope);
  const [key] = useState(() => `${pathShown()} ${scope} ${name}`);
  const [value, setValue] = useState<Value>(() => (kept.has(key) ? (kept.get(key) as Value) : initial));
  useEffect(() => {
    kept.set(key, toKeep(value));
  });
  useEffect(
    () => () => {
      if (keptFor === undefined) kept.delete(key);
    },
    [key],
  );
  return [value, setValue];
}
