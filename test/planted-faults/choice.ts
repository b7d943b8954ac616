import { createHash } from "node:crypto";

/** A generator of numbers from 0 to 1 (mulberry32), the same for the same seed. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** All items in a random order. The name keeps one rule's order the same when another rule gets new candidates. */
export function shuffled<Item>(items: readonly Item[], seed: number, name: string): Item[] {
  const next = random(createHash("sha256").update(`${seed} ${name}`).digest().readUInt32LE());
  const order = [...items];
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(next() * (at + 1));
    [order[at], order[other]] = [order[other] as Item, order[at] as Item];
  }
  return order;
}
