/** MurmurHash3_x86_32 with seed 0, over bytes. A common beginning is hashed once. */
export class Murmur3 {
  readonly #hash: number;
  /** The bytes after the last whole word, the first one lowest. */
  readonly #word: number;
  readonly #length: number;

  constructor(beginning: Uint8Array) {
    let [hash, word, shift] = [0, 0, 0];
    for (const byte of beginning) {
      word |= byte << shift;
      shift = (shift + 8) & 31;
      if (shift > 0) continue;
      hash = withWord(hash, word);
      word = 0;
    }
    this.#hash = hash;
    this.#word = word;
    this.#length = beginning.length;
  }

  /** The hash over the beginning followed by these bytes, as an unsigned integer. */
  of(bytes: Uint8Array): number {
    let hash = this.#hash;
    let word = this.#word;
    let shift = (this.#length & 3) * 8;
    for (let at = 0; at < bytes.length; at++) {
      word |= (bytes[at] as number) << shift;
      shift = (shift + 8) & 31;
      if (shift > 0) continue;
      hash = withWord(hash, word);
      word = 0;
    }
    if (shift > 0) hash ^= scrambled(word);
    hash ^= this.#length + bytes.length;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) >>> 0;
  }
}

function scrambled(word: number): number {
  const product = Math.imul(word, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}

function withWord(hash: number, word: number): number {
  const mixedHash = hash ^ scrambled(word);
  return (Math.imul((mixedHash << 13) | (mixedHash >>> 19), 5) + 0xe6546b64) | 0;
}
