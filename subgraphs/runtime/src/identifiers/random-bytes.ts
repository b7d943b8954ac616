import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(4096);
let usedBytes = pool.length;

/**
 * Random bytes that are valid until the next call. They come from a pool, because each call into the generator is
 * expensive.
 */
export function pooledRandomBytes(size: number): Buffer {
  if (usedBytes + size > pool.length) {
    randomFillSync(pool);
    usedBytes = 0;
  }
  usedBytes += size;
  return pool.subarray(usedBytes - size, usedBytes);
}
