// The emails that an import has seen, so that rows of one contact are counted as such. Keeps hashes of 63 bits instead of the
// emails, 11 to 22 bytes for each: a file may have tens of millions. With a million emails the chance that two are taken for
// one, and a count is wrong by one, is one in ten million.

/** The table is a power of two long, and at most three quarters of it are filled. */
const lengthAtFirst = 1024;
const filledMax = 0.75;

/** Of FNV-1a with 32 bits. */
const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;

export class SeenEmails {
  /** The first half of each hash; 0 where there is none. */
  #first = new Uint32Array(lengthAtFirst);
  /** The second half of each hash, but for its lowest bit: whether no row has changed the contact yet. */
  #second = new Uint32Array(lengthAtFirst);
  #size = 0;

  /** Whether the earlier rows with this email left the contact unchanged; undefined when this is the first. */
  note(emailKey: string, isUnchanged: boolean): boolean | undefined {
    const [first, second] = hash(emailKey);
    const at = this.#find(first, second);
    const wasUnchanged = this.#first[at] === 0 ? undefined : (this.#second[at] as number) % 2 === 1;
    this.#first[at] = first;
    this.#second[at] = second + Number(isUnchanged && wasUnchanged !== false);
    if (wasUnchanged === undefined && ++this.#size > this.#first.length * filledMax) this.#grow();
    return wasUnchanged;
  }

  /** The position of the hash, or the free one where it belongs. */
  #find(first: number, second: number): number {
    const last = this.#first.length - 1;
    let at = first & last;
    while (
      this.#first[at] !== 0 &&
      !(this.#first[at] === first && (this.#second[at] as number) >>> 1 === second >>> 1)
    ) {
      at = (at + 1) & last;
    }
    return at;
  }

  #grow(): void {
    const [first, second] = [this.#first, this.#second];
    this.#first = new Uint32Array(2 * first.length);
    this.#second = new Uint32Array(2 * second.length);
    for (const [from, half] of first.entries()) {
      if (half === 0) continue;
      const to = this.#find(half, second[from] as number);
      this.#first[to] = half;
      this.#second[to] = second[from] as number;
    }
  }
}

/** FNV-1a over the text, and over its reverse. The first half is never 0, the second is even. */
function hash(text: string): [first: number, second: number] {
  let forward = offsetBasis;
  let backward = offsetBasis;
  for (let at = 0, end = text.length - 1; at <= end; at++) {
    forward = Math.imul(forward ^ text.charCodeAt(at), prime);
    backward = Math.imul(backward ^ text.charCodeAt(end - at), prime);
  }
  return [forward >>> 0 || 1, (backward >>> 1) * 2];
}
