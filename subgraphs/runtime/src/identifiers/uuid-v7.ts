import { pooledRandomBytes } from "./random-bytes.js";

/** A clock that is set back by less than this does not change the UUIDs' order. */
const toleratedStepMs = 10_000;

let lastMs = 0;
let counter = 0;

/**
 * A version 7 UUID (RFC 9562, section 5.7). A 12-bit counter makes it monotonic within this process (section 6.2,
 * method 1). If the clock is set back by 10 s or more, the UUIDs follow it: users read an object's time from its ID.
 */
export function uuidV7(now = Date.now()): string {
  const bytes = pooledRandomBytes(16);
  const ms = lastMs - now < toleratedStepMs ? Math.max(now, lastMs) : now;
  if (ms === lastMs && counter < 0xfff) counter += 1;
  else {
    lastMs = ms === lastMs ? ms + 1 : ms;
    counter = bytes.readUInt16BE(6) & 0x7ff;
  }
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
