// Positions in the feed of a bot's events. They are opaque to callers of the API. The console comes with the server, and also
// counts back from a position: it shows the newest events first. Imports nothing, so that a page can load it alone.

/** What belongs to one history of one bot, and the number of the last event before the position. */
export const eventPositionPattern = /^([0-9a-f]{12})-(0|[1-9][0-9]{0,14})$/;

function partsOf(position: string): { history: string; number: number } {
  const [, history, number] = eventPositionPattern.exec(position) ?? [];
  if (history === undefined) throw new TypeError(`${position} is not a position in a feed`);
  return { history, number: Number(number) };
}

/** How many events there were before the position, kept or not. */
export function eventsBefore(position: string): number {
  return partsOf(position).number;
}

/** The position so many events earlier, and at most at the beginning. Events there may not be kept any more. */
export function positionBefore(position: string, events: number): string {
  const { history, number } = partsOf(position);
  return `${history}-${Math.max(0, number - events)}`;
}

/** Whether the numbers of both positions mean the same events. */
export function areOfOneHistory(one: string, other: string): boolean {
  return partsOf(one).history === partsOf(other).history;
}
