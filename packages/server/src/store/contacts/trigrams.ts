// Trigrams: runs of three code points, by which both engines index the search text. A search asks its index for the
// rarest trigrams of a word and checks what they leave; a sample of the bot's rows shows which are rare. Only
// speed depends on the sample: a stale or unlucky one makes a search slower, never wrong.

/** Trigrams in fewer of the sampled texts are all rare, and not worth remembering. */
const commonFrom = 5;

/** Enough trigrams of a word are asked for to leave about so many rows to check, and never more than a few. */
const wantedCandidates = 20;
const trigramsPerWordMax = 4;
/** What a trigram that the sample calls rare may still be, as a share of the rows. */
const rareShare = 0.005;

export function trigramsOf(text: string): string[] {
  const points = Array.from(text);
  return points.slice(2).map((point, i) => `${points[i]}${points[i + 1]}${point}`);
}

export function hasTrigram(spelling: string): boolean {
  return spelling.length >= 6 || Array.from(spelling).length >= 3;
}

export interface TrigramSample {
  /** Share of the bot's rows that hold this trigram: 0 when it is rare. */
  shareOf(trigram: string): number;
}

/** An engine that also indexes n-grams of another length passes how they are made. */
export function sampleOf(texts: readonly string[], ngramsOf = trigramsOf): TrigramSample {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const trigram of new Set(ngramsOf(text))) counts.set(trigram, (counts.get(trigram) ?? 0) + 1);
  }
  const shares = new Map<string, number>();
  for (const [trigram, count] of counts) if (count >= commonFrom) shares.set(trigram, count / texts.length);
  return { shareOf: (trigram) => shares.get(trigram) ?? 0 };
}

/** Those that overlap mostly occur together, so that the second adds little: they come last. */
export function rarestTrigrams(spelling: string, sample: TrigramSample, contactCount: number): string[] {
  const byShare = trigramsOf(spelling)
    .map((trigram, position) => ({ trigram, position, share: sample.shareOf(trigram) }))
    .sort((a, b) => a.share - b.share);
  const chosen: typeof byShare = [];
  let candidates = contactCount;
  while (candidates > wantedCandidates && chosen.length < trigramsPerWordMax && chosen.length < byShare.length) {
    const overlaps = ({ position }: { position: number }) =>
      chosen.some((other) => Math.abs(other.position - position) < 3);
    const next = byShare.find((one) => !overlaps(one)) ?? byShare.find((one) => !chosen.includes(one));
    if (next === undefined) break;
    chosen.push(next);
    candidates *= Math.max(rareShare, next.share);
  }
  return (chosen.length > 0 ? chosen : byShare.slice(0, 1)).map(({ trigram }) => trigram);
}
